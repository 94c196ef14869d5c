import { printable } from "../../common/log.ts";
import { needsCredentials } from "../../exports/middleware_module.ts";
import { type Method, schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import {
  type EffectiveSchema,
  effectiveSchema,
} from "../../schema/effective_schema.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { MethodSchema } from "../../types/schema.ts";

/** The schemas and metadata of a method, including its contracts. */
export function effectiveOf(info: RouteInfo, method: Method): EffectiveSchema {
  const { schema: { [schemaKey(method)]: schema = {} }, file } = info;
  return effectiveSchema(info.contracts, { schema, file });
}

/**
 * The schemas and metadata of each method, with the files that declare them, by
 * lowercase method. If several levels check a part, the part lists the files of these
 * levels, outermost first.
 */
export function operationsOf(info: RouteInfo): Record<string, object> {
  return Object.fromEntries(info.methods.map((method) => {
    const effective = effectiveOf(info, method);
    const { parts, response, ...rest } = effective;
    const guard = openBelow(effective, info);
    const checked = SCHEMA_PARTS.filter((part) => parts[part].length > 0);
    return [schemaKey(method), {
      ...Object.fromEntries(
        checked.map((part) => [part, parts[part].map(({ file }) => file)]),
      ),
      ...(response.size > 0 && {
        response: Object.fromEntries(
          [...response].map(([status, { file }]) => [status, file]),
        ),
      }),
      ...Object.fromEntries(
        Object.entries(rest).flatMap(([name, located]) => {
          if (located === undefined) return [];
          const { value, file } = located;
          // The schemas of events and sockets cannot be printed as JSON, so only the
          // names of the events and directions are listed.
          const isNamed = name === "events" || name === "socket";
          return [[name, {
            value: isNamed ? Object.keys(value) : value,
            file,
          }]];
        }),
      ),
      ...(guard !== undefined && { openBelow: guard }),
    }];
  }));
}

/**
 * The security of a route, in one line. The line names the methods only if their
 * security differs.
 */
export function securityText(info: RouteInfo): string {
  const byMethod = info.methods.flatMap((method) => {
    const text = methodSecurityText(info, method);
    return text === undefined ? [] : [{ method: schemaKey(method), text }];
  });
  const [first, ...others] = byMethod;
  const isSame = byMethod.length === info.methods.length &&
    others.every(({ text }) => text === first!.text);
  return isSame && first !== undefined
    ? first.text
    : byMethod.map(({ method, text }) => `${method}: ${text}`).join("; ");
}

/**
 * The security of one method, and the file of the level that declares the security:
 * `bearer from api/(staff)/middleware.ts`.
 */
export function methodSecurityText(
  info: RouteInfo,
  method: Method,
): string | undefined {
  const { security } = effectiveOf(info, method);
  return security && `${formatSecurity(security.value)} from ${security.file}`;
}

/** Formats alternatives and the schemes they require: `bearer or key + oauth(read)`. */
function formatSecurity(
  security: NonNullable<MethodSchema["security"]>,
): string {
  const alternatives = security.map((requirement) =>
    Object.entries(requirement).map(([name, scopes = []]) =>
      scopes.length === 0 ? name : `${name}(${scopes.join(" ")})`
    ).join(" + ") || "none"
  );
  return alternatives.join(" or ") || "none";
}

/**
 * The file of the guard above an operation. The result is `undefined` if there is no
 * guard, or if the operation requires credentials.
 */
function openBelow(
  { security }: EffectiveSchema,
  { contracts }: RouteInfo,
): string | undefined {
  if (needsCredentials(security?.value)) return undefined;
  return contracts.findLast(({ contract }) =>
    needsCredentials(contract.security)
  )?.file;
}

/** Lists the operations that allow anonymous requests below a guard, one on each line. */
export function openOperations(routes: readonly RouteInfo[]): string[] {
  return routes.flatMap((info) =>
    info.methods.flatMap((method) => {
      const guard = openBelow(effectiveOf(info, method), info);
      return guard === undefined ? [] : [
        printable(
          `${method} ${info.path} is open below the guard "${guard}"`,
        ),
      ];
    })
  );
}

/** The contracts around a route, and the members of each. */
export function contractsText({ contracts }: RouteInfo): string {
  return contracts.map(({ contract, file }) =>
    [`${file}:`, ...Object.keys(contract)].join(" ")
  ).join("; ");
}
