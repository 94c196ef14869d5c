import { needsCredentials } from "../../exports/middleware_module.ts";
import { schemaKey } from "../../methods.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { PlacedSchema } from "../../schema/effective_schema.ts";
import { memberNames } from "../../schema/json_schema.ts";
import type { Warning } from "../../start/discover.ts";
import { effectiveOf } from "./operations.ts";
import type { Rule } from "./rules.ts";

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
  const rule: Rule = "unguarded";
  return routes.flatMap(({ contracts, schema, file: path }) => {
    if (contracts.some(({ contract }) => needsCredentials(contract.security))) {
      return [];
    }
    const open = contracts.findLast(({ contract }) => contract.security);
    const fault = open === undefined
      ? "no folder above has a contract with security"
      : `the contract of "${open.file}" lets everybody in`;
    return Object.entries(schema)
      .filter(([, { security }]) => needsCredentials(security))
      .map(([method]) => ({
        rule,
        path,
        message:
          `schema.${method}.security is documented, but ${fault}; declare it in the contract of the middleware that guards the route`,
      }));
  });
}

/** Contracts with the responses of a guard, where neither they nor others above say so. */
function contractsWithoutSecurity(routes: readonly RouteInfo[]): Warning[] {
  const rule: Rule = "contract-security";
  const files = new Map<string, Warning>();
  for (const { contracts } of routes) {
    for (const [index, { contract, file: path }] of contracts.entries()) {
      const hasSecurity = contracts.slice(0, index + 1)
        .some(({ contract }) => contract.security !== undefined);
      const status = [401, 403].find((status) =>
        Object.hasOwn(contract.response ?? {}, status)
      );
      if (hasSecurity || status === undefined) continue;
      files.set(path, {
        rule,
        path,
        message:
          `contract.response has ${status}, but there is no contract.security; declare what the middleware asks for, such as [{ bearer: [] }], or [] if it asks for no credentials`,
      });
    }
  }
  return [...files.values()];
}

/** A schema, and how it is called in its file: `contract.query`. */
interface Level extends PlacedSchema {
  readonly member: string;
}

/** Warns of levels whose schemas do not fit what other levels name. */
function levelWarnings(routes: readonly RouteInfo[]): Warning[] {
  const refused = new Conflicts();
  const unclear = new Conflicts();
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
          if (part !== "params") {
            refused.add(level, refusedNames(level, levels));
          }
          unclear.add(level, unclearNames(level, levels.slice(0, index)));
        }
      }
    }
  }
  return [
    ...refused.warnings(
      "strict-schema",
      (member, list) =>
        `${member} is strict and sees all names, so it refuses ${list}: such a request is a 400; do not make it strict, or declare these names`,
    ),
    ...unclear.warnings(
      "unclear-name",
      (member, list) =>
        `${member} may check ${list} without naming it: where it leaves the value as it was sent, validated has that of the contract, whatever the type says; name it, in a schema with a JSON form`,
    ),
  ];
}

/** The names of other levels, each with the level that it is of. */
type Names = readonly (readonly [name: string, other: Level])[];

/** The names that a strict schema refuses: it sees those of all levels. */
function refusedNames({ value }: Level, levels: readonly Level[]): Names {
  const { isStrict, possible: own } = memberNames(value);
  return !isStrict
    ? []
    : levels.flatMap((level) =>
      [...memberNames(level.value).possible]
        .filter((name) => !own.has(name))
        .map((name) => [name, level] as const)
    );
}

/** The names of outer levels that a schema checks or not, as far as can be seen. */
function unclearNames({ value }: Level, outer: readonly Level[]): Names {
  const { certain, possible: own, mayCheckOthers } = memberNames(value);
  return outer.flatMap((level) => {
    const { possible, mayCheckOthers: isUnknown } = memberNames(level.value);
    const names = possible.size === 0 && isUnknown ? [ANY] : [...possible];
    return names
      .filter((name) => !certain.has(name) && (mayCheckOthers || own.has(name)))
      .map((name) => [name, level] as const);
  });
}

/** Stands for the names of a schema that does not say them. */
const ANY = "";

/** Levels that conflict with names of others, each once, however many routes it covers. */
class Conflicts {
  readonly #found = new Map<
    string,
    { readonly level: Level; readonly names: Map<string, Level> }
  >();

  add(level: Level, names: Names): void {
    if (names.length === 0) return;
    const key = `${level.file} ${level.member}`;
    const found = this.#found.get(key) ?? { level, names: new Map() };
    this.#found.set(key, found);
    for (const [name, other] of names) {
      if (!found.names.has(name)) found.names.set(name, other);
    }
  }

  warnings(
    rule: Rule,
    describe: (member: string, list: string) => string,
  ): Warning[] {
    return [...this.#found.values()].map(({ level, names }) => {
      const list = [...names].map(([name, other]) =>
        `${
          name === ANY ? "names" : `"${name}"`
        } of ${other.member} ("${other.file}")`
      );
      const message = describe(level.member, list.join(" and "));
      return { rule, path: level.file, message };
    });
  }
}
