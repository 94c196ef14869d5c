import { needsCredentials } from "../../exports/middleware_module.ts";
import { schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { LocatedSchema } from "../../schema/effective_schema.ts";
import { memberNames } from "../../schema/json_schema.ts";
import type { Warning } from "../../start/discover.ts";
import { effectiveOf } from "./operations.ts";
import { type Rule, warning } from "./rules.ts";

/** Warns of contracts, and of routes below them, that do not fit together. */
export function contractWarnings(routes: readonly RouteInfo[]): Warning[] {
  return [
    ...unguardedRoutes(routes),
    ...contractsWithoutSecurity(routes),
    ...levelWarnings(routes),
  ];
}

/**
 * Routes whose security is documented, and that no contract above asks for credentials.
 * What a middleware does is not guessed: its contract says it.
 */
function unguardedRoutes(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ contracts, schema, file }) => {
    if (contracts.some(({ contract }) => needsCredentials(contract.security))) {
      return [];
    }
    const open = contracts.findLast(({ contract }) => contract.security);
    const fault = open === undefined
      ? "no folder above has a contract with security"
      : `the contract of "${open.file}" lets everybody in`;
    return Object.entries(schema)
      .filter(([, { security }]) => needsCredentials(security))
      .map(([method]) =>
        warning(
          "unguarded",
          file,
          `schema.${method}.security is documented, but ${fault}; declare it in the contract of the middleware that guards the route`,
        )
      );
  });
}

/** Contracts with the responses of a guard, where neither they nor others above say so. */
function contractsWithoutSecurity(routes: readonly RouteInfo[]): Warning[] {
  const files = new Map<string, Warning>();
  for (const { contracts } of routes) {
    for (const { contract, file } of contracts) {
      // It holds for the contracts below it, too.
      if (contract.security !== undefined) break;
      const status = [401, 403].find((status) =>
        Object.hasOwn(contract.response ?? {}, status)
      );
      if (status === undefined) continue;
      files.set(
        file,
        warning(
          "contract-security",
          file,
          `contract.response has ${status}, but there is no contract.security; declare what the middleware asks for, such as [{ bearer: [] }], or [] if it asks for no credentials`,
        ),
      );
    }
  }
  return [...files.values()];
}

/** A schema, and how it is called in its file: `contract.query`. */
interface Level extends LocatedSchema {
  readonly member: string;
}

/** A level whose schema does not fit a name of another. */
interface Conflict {
  readonly level: Level;
  readonly name: string;
  readonly other: Level;
}

/** Warns of levels whose schemas do not fit what other levels name. */
function levelWarnings(routes: readonly RouteInfo[]): Warning[] {
  const refused: Conflict[] = [];
  const unclear: Conflict[] = [];
  for (const info of routes) {
    for (const method of info.methods) {
      const { parts } = effectiveOf(info, method);
      for (const part of ["params", "query", "headers"] as const) {
        const levels = parts[part].map((schema) => ({
          ...schema,
          member: schema.file === info.file
            ? `schema.${schemaKey(method)}.${part}`
            : `contract.${part}`,
        }));
        for (const [index, level] of levels.entries()) {
          // A contract sees its own params alone.
          if (part !== "params") refused.push(...refusedNames(level, levels));
          unclear.push(...unclearNames(level, levels.slice(0, index)));
        }
      }
    }
  }
  return [
    ...warningsOf(
      refused,
      "strict-schema",
      (member, list) =>
        `${member} is strict and sees all names, so it refuses ${list}: such a request is a 400; do not make it strict, or declare these names`,
    ),
    ...warningsOf(
      unclear,
      "unclear-name",
      (member, list) =>
        `${member} may check ${list} without naming it: where it leaves the value as it was sent, validated has that of the contract, whatever the type says; name it, in a schema with a JSON form`,
    ),
  ];
}

/** The names that a strict schema refuses: it sees those of all levels. */
function refusedNames(level: Level, levels: readonly Level[]): Conflict[] {
  const { isStrict, possible: own } = memberNames(level.value);
  return !isStrict
    ? []
    : levels.flatMap((other) =>
      [...memberNames(other.value).possible.difference(own)]
        .map((name) => ({ level, name, other }))
    );
}

/** The names of outer levels that a schema checks or not, as far as can be seen. */
function unclearNames(level: Level, outer: readonly Level[]): Conflict[] {
  const { certain, possible: own, mayCheckOthers } = memberNames(level.value);
  return outer.flatMap((other) => {
    const { possible, mayCheckOthers: isUnknown } = memberNames(other.value);
    const names = possible.size === 0 && isUnknown ? [ANY] : [...possible];
    return names
      .filter((name) => !certain.has(name) && (mayCheckOthers || own.has(name)))
      .map((name) => ({ level, name, other }));
  });
}

/** Stands for the names of a schema that does not say them. */
const ANY = "";

/** Warns of each level once, however many routes it covers, and of each name once. */
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
