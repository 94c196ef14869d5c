import { needsCredentials } from "../../core/start/modules.ts";
import { type Method, schemaKey, UNSAFE_METHODS } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { contractsFor } from "../../core/schema/declaration.ts";
import type { LocatedSchema } from "../../core/types/effective_schema.ts";
import { namedMembers } from "../../core/schema/shape.ts";
import type { Warning } from "../../core/start/discover.ts";
import { type Rule, warning } from "./rules.ts";

/** Warns of contracts and routes that contradict each other. */
export function contractWarnings(routes: readonly RouteInfo[]): Warning[] {
  return [
    ...unguardedRoutes(routes),
    ...unguardedMethods(routes),
    ...contractsWithoutSecurity(routes),
    ...missingValues(routes),
    ...levelWarnings(routes),
  ];
}

/**
 * Warns of routes that document security without a contract that requires credentials.
 * Only contracts count, since Bough cannot analyse the code of middleware.
 */
function unguardedRoutes(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap((route) =>
    Object.entries(route.schema).flatMap(([method, { security }]) => {
      const contracts = contractsFor(route.contracts, method.toUpperCase());
      if (
        !needsCredentials(security) ||
        contracts.some(({ contract }) => needsCredentials(contract.security))
      ) return [];
      const open = contracts.findLast(({ contract }) => contract.security);
      const fault = open === undefined
        ? "no folder above has a contract with security"
        : `the contract of "${open.file}" allows anonymous requests`;
      return warning(
        "unguarded",
        route.file,
        `schema.${method}.security is documented, but ${fault}; declare the security in the contract of the middleware that guards the route`,
      );
    })
  );
}

/** Warns of methods that change data without a guard, if other changes have one. */
function unguardedMethods(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ methods, operations, file }) => {
    const changes = methods.filter((method) => UNSAFE_METHODS.has(method));
    const securityOf = (method: Method) =>
      operations.get(method)!.security?.value;
    const guarded = changes.find((each) => needsCredentials(securityOf(each)));
    if (guarded === undefined) return [];
    return changes.filter((each) => securityOf(each) === undefined)
      .map((method) => {
        const own = `schema.${schemaKey(method)}.security`;
        return warning(
          "unguarded-method",
          file,
          `${guarded} requires credentials, but ${method} does not; guard ${method}, too, or set ${own} to []`,
        );
      });
  });
}

/** Warns of contracts that declare 401 or 403, but have and inherit no security. */
function contractsWithoutSecurity(routes: readonly RouteInfo[]): Warning[] {
  const files = new Map<string, Warning>();
  const lists = routes.flatMap(({ contracts, methods }) =>
    methods.map((method) => contractsFor(contracts, method))
  );
  for (const contracts of lists) {
    for (const { contract, file } of contracts) {
      // The contracts below inherit the security.
      if (contract.security !== undefined) break;
      const status = [401, 403].find((status) =>
        Object.hasOwn(contract.response ?? {}, status)
      );
      if (status === undefined) continue;
      const message =
        `contract.response has ${status}, but contract.security is missing; declare the credentials that the middleware requires, such as [{ bearer: [] }], or [] for none`;
      files.set(file, warning("contract-security", file, message));
    }
  }
  return [...files.values()];
}

/** Warns of values that a route needs, but that no contract above provides. */
function missingValues(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ contracts, schema, file }) =>
    Object.entries(schema).flatMap(([method, { needs = [] }]) => {
      const provided = contractsFor(contracts, method.toUpperCase())
        .flatMap(({ contract }) => contract.provides ?? []);
      return needs.filter((value) => !provided.includes(value)).map((value) =>
        warning(
          "missing-value",
          file,
          `schema.${method} needs the value "${value.name}", but no contract above provides it; move the route below the middleware that sets the value, or add the name to contract.provides`,
        )
      );
    })
  );
}

/** A schema, and its name in its file: `contract.query`. */
interface Level extends LocatedSchema {
  readonly member: string;
}

/** A schema, and a name of another level that conflicts with it. */
interface Conflict {
  readonly level: Level;
  readonly name: string;
  readonly other: Level;
}

/** Warns of schemas that conflict with names of other levels. */
function levelWarnings(routes: readonly RouteInfo[]): Warning[] {
  const rejected: Conflict[] = [];
  const unclear: Conflict[] = [];
  for (const info of routes) {
    for (const method of info.methods) {
      const { parts } = info.operations.get(method)!;
      for (const part of ["params", "query", "headers"] as const) {
        const levels = parts[part].map((schema) => ({
          ...schema,
          // Only schemas of contracts have `paramNames`.
          member: schema.paramNames === undefined
            ? `schema.${schemaKey(method)}.${part}`
            : `contract.${part}`,
        }));
        for (const [index, level] of levels.entries()) {
          // A contract receives only the params of its own path.
          if (part !== "params") rejected.push(...rejectedNames(level, levels));
          unclear.push(...unclearNames(level, levels.slice(0, index)));
        }
      }
    }
  }
  return [
    ...warningsOf(
      rejected,
      "strict-schema",
      (member, list) =>
        `${member} is strict but receives all names, so it rejects ${list} with 400; make the schema non-strict, or declare these names`,
    ),
    ...warningsOf(
      unclear,
      "unclear-name",
      (member, list) =>
        `${member} may check ${list} without declaring it, so request.validated may not match its type; declare the name in a schema that converts to JSON Schema`,
    ),
  ];
}

/** The names of other levels that a strict schema rejects. */
function rejectedNames(level: Level, levels: readonly Level[]): Conflict[] {
  const { isStrict, possible: own } = namedMembers(level.value);
  if (!isStrict) return [];
  return levels.flatMap((other) =>
    [...namedMembers(other.value).possible.difference(own)]
      .map((name) => ({ level, name, other }))
  );
}

/** The names of outer levels that a schema may check without declaring them. */
function unclearNames(level: Level, outer: readonly Level[]): Conflict[] {
  const { certain, possible: own, mayCheckOthers } = namedMembers(level.value);
  return outer.flatMap((other) => {
    const { possible, mayCheckOthers: isUnknown } = namedMembers(other.value);
    const names = possible.size === 0 && isUnknown ? [ANY] : [...possible];
    return names
      .filter((name) => !certain.has(name) && (mayCheckOthers || own.has(name)))
      .map((name) => ({ level, name, other }));
  });
}

/** Represents the names of a schema that does not list its names. */
const ANY = "";

/** Warns of each level once, with each name once, even if it covers many routes. */
function warningsOf(
  conflicts: readonly Conflict[],
  rule: Rule,
  describe: (member: string, list: string) => string,
): Warning[] {
  const byLevel = Map.groupBy(
    conflicts,
    ({ level: { file, member } }) => `${file} ${member}`,
  );
  return [...byLevel.values()].map((all) => {
    const byName = Map.groupBy(all, ({ name }) => name);
    const list = [...byName.values()].map(([first]) => {
      const { name, other } = first!;
      const names = name === ANY ? "names" : `"${name}"`;
      return `${names} of ${other.member} ("${other.file}")`;
    });
    const { file, member } = all[0]!.level;
    return warning(rule, file, describe(member, list.join(" and ")));
  });
}
