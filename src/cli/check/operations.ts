import { printable } from "../../core/common/log.ts";
import { needsCredentials } from "../../core/start/modules.ts";
import { type Method, schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { contractsFor } from "../../core/schema/declaration.ts";
import { SCHEMA_PARTS } from "../../core/schema/check_request.ts";
import type { EffectiveSchema } from "../../core/types/effective_schema.ts";
import type { MethodSchema } from "../../core/types/schema.ts";

/**
 * The schemas and metadata of each method, with the files that declare them, by
 * lowercase method. If several levels check a part, the part lists the files of these
 * levels, outermost first.
 */
export function operationsOf(info: RouteInfo): Record<string, object> {
  return Object.fromEntries(info.methods.map((method) => {
    const effective = info.operations.get(method)!;
    const { parts, response, ...rest } = effective;
    const guard = openBelow(effective, info, method);
    const members: Record<string, unknown> = {};
    for (const part of SCHEMA_PARTS) {
      const files = parts[part].map(({ file }) => file);
      if (files.length > 0) members[part] = files;
    }
    if (response.size > 0) {
      const files = [...response].map(([status, { file }]) => [status, file]);
      members.response = Object.fromEntries(files);
    }
    for (const [name, located] of Object.entries(rest)) {
      if (located === undefined) continue;
      const { value, file } = located;
      // The schemas of events and sockets cannot be printed as JSON, so only the names
      // of the events and directions are listed.
      const isNamed = name === "events" || name === "socket";
      members[name] = { value: isNamed ? Object.keys(value) : value, file };
    }
    if (guard !== undefined) members.openBelow = guard;
    return [schemaKey(method), members];
  }));
}

/** The security of a route, in one line; by method if the methods differ. */
export function securityText(info: RouteInfo): string {
  const byMethod = info.methods.flatMap((method) => {
    const text = methodSecurityText(info, method);
    return text === undefined ? [] : [{ method: schemaKey(method), text }];
  });
  const texts = new Set(byMethod.map(({ text }) => text));
  return texts.size === 1 && byMethod.length === info.methods.length
    ? byMethod[0]!.text
    : byMethod.map(({ method, text }) => `${method}: ${text}`).join("; ");
}

/** The security of one method and its file: `bearer from api/(staff)/middleware.ts`. */
export function methodSecurityText(
  info: RouteInfo,
  method: Method,
): string | undefined {
  const { security } = info.operations.get(method)!;
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

/** The file of the guard above an operation that allows anonymous requests, if any. */
function openBelow(
  { security }: EffectiveSchema,
  { contracts }: RouteInfo,
  method: Method,
): string | undefined {
  if (needsCredentials(security?.value)) return undefined;
  return contractsFor(contracts, method).findLast(({ contract }) =>
    needsCredentials(contract.security)
  )?.file;
}

/**
 * Lists the operations that allow anonymous requests below a guard, and those whose
 * sunset has passed, one on each line.
 */
export function operationNotes(routes: readonly RouteInfo[]): string[] {
  return routes.flatMap((info) =>
    info.methods.flatMap((method) => {
      const effective = info.operations.get(method)!;
      const guard = openBelow(effective, info, method);
      const { sunset } = Object(effective.deprecated?.value);
      return [
        guard !== undefined && `is open below the guard "${guard}"`,
        Date.parse(sunset) <= Date.now() && `has passed its sunset, ${sunset}`,
      ].filter(Boolean)
        .map((note) => printable(`${method} ${info.path} ${note}`));
    })
  );
}

/** The contracts around a route, and the members of each. */
export function contractsText({ contracts }: RouteInfo): string {
  return contracts.map(({ contract, file, methods = [] }) => {
    const names = Object.keys(contract).map((name) =>
      name === "methods" ? contract.methods!.join(" ") : name
    );
    return [`${file}:`, ...methods.slice(0, 1), ...names].join(" ");
  }).join("; ");
}
