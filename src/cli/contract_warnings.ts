import type { RouteInfo } from "../app/plugin.ts";
import { resolveRoot } from "../http/validation/json_form.ts";
import type { PlacedSchema } from "../http/validation/effective_schema.ts";
import type { StandardSchemaV1 } from "../http/validation/schema.ts";
import { schemaKey } from "../method.ts";
import { toJsonSchema } from "../openapi/json_schema.ts";
import { propertyNames } from "../openapi/parameters.ts";
import { needsCredentials } from "../routes/contract_export.ts";
import type { Warning } from "../routes/route_file.ts";
import { effectiveOf } from "./operations.ts";
import type { Rule } from "./rules.ts";

/** Warns of contracts, and of routes below them, that do not fit together. */
export function contractWarnings(routes: readonly RouteInfo[]): Warning[] {
  return [
    ...unguardedRoutes(routes),
    ...contractsWithoutSecurity(routes),
    ...strictSchemas(routes),
  ];
}

/**
 * Routes whose security is documented, and that stand below no contract with security.
 * What a middleware does is not guessed: its contract says it.
 */
function unguardedRoutes(routes: readonly RouteInfo[]): Warning[] {
  const rule: Rule = "unguarded";
  return routes.flatMap(({ contracts, schema, file: path }) => {
    if (contracts.some(({ contract }) => needsCredentials(contract.security))) {
      return [];
    }
    return Object.entries(schema)
      .filter(([, { security }]) => needsCredentials(security))
      .map(([method]) => ({
        rule,
        path,
        message:
          `schema.${method}.security is documented, but no folder above has a contract with security; declare it in the contract of the middleware that guards the route`,
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

/**
 * Strict schemas of a query or of headers that refuse what another level declares:
 * each sees all names.
 */
function strictSchemas(routes: readonly RouteInfo[]): Warning[] {
  const found = new Map<string, { level: Level; names: Map<string, Level> }>();
  for (const info of routes) {
    for (const method of info.methods) {
      for (const part of ["query", "headers"] as const) {
        const levels = effectiveOf(info, method).parts[part].map((schema) => ({
          ...schema,
          member: schema.file === info.file
            ? `schema.${schemaKey(method)}.${part}`
            : `contract.${part}`,
        }));
        for (const level of levels) {
          const key = `${level.file} ${level.member}`;
          const names = found.get(key)?.names ?? new Map<string, Level>();
          for (const [name, other] of refusedNames(level, levels)) {
            names.set(name, names.get(name) ?? other);
          }
          if (names.size > 0) found.set(key, { level, names });
        }
      }
    }
  }
  const rule: Rule = "strict-schema";
  return [...found.values()].map(({ level: { file: path, member }, names }) => {
    const list = [...names].map(([name, other]) =>
      `"${name}" of ${other.member} ("${other.file}")`
    );
    return {
      rule,
      path,
      message: `${member} is strict and sees all names, so it refuses ${
        list.join(" and ")
      }: such a request is a 400; do not make it strict, or declare these names`,
    };
  });
}

/** The names that a strict schema refuses, with the level that declares each. */
function refusedNames(
  level: Level,
  levels: readonly Level[],
): [name: string, other: Level][] {
  const { isStrict, names } = shapeOf(level.value);
  return !isStrict ? [] : levels.flatMap((other) =>
    shapeOf(other.value).names
      .filter((name) => !names.includes(name))
      .map((name): [string, Level] => [name, other])
  );
}

/** What the JSON form of an object's schema says of names. */
interface Shape {
  readonly isStrict: boolean;
  readonly names: readonly string[];
}

/** A contract is looked at once, however many routes it covers. */
const shapes = new WeakMap<StandardSchemaV1, Shape>();

function shapeOf(schema: StandardSchemaV1): Shape {
  let shape = shapes.get(schema);
  if (shape === undefined) shapes.set(schema, shape = findShape(schema));
  return shape;
}

function findShape(schema: StandardSchemaV1): Shape {
  try {
    const json = toJsonSchema(schema, { direction: "input", name: "Part" });
    return {
      isStrict: resolveRoot(json).additionalProperties === false,
      names: propertyNames(json) ?? [],
    };
  } catch {
    // The document cannot have it, which is a finding already.
    return { isStrict: false, names: [] };
  }
}
