import { toJsonSchema } from "../../openapi/document/json_schema.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { RoutePattern } from "../../routing/pattern.ts";
import { resolveRoot } from "../../schema/json_schema.ts";
import type { Warning } from "../../start/discover.ts";
import type { RoutePlace } from "../../start/inspect.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import type { Rule } from "./rules.ts";

/** A route, as its folder names describe it. */
export interface NamedRoute {
  readonly info: Pick<RoutePlace, "file" | "folders">;
  readonly pattern: RoutePattern;
}

/** A finding of one rule. */
function warning(rule: Rule, path: string, message: string): Warning {
  return { rule, path, message };
}

/** Warns of folder names that are likely a mistake. */
export function treeWarnings(routes: readonly NamedRoute[]): Warning[] {
  const warnings: Warning[] = [];
  const { populated, dynamicAbove } = surveyOf(routes);
  for (const { info: { file: path, folders }, pattern } of routes) {
    const base = baseOf(pattern);
    if (base !== undefined && dynamicAbove.has(base)) {
      warnings.push(warning(
        "wildcard-beside-dynamic",
        path,
        '"[...]" stands beside a dynamic folder with routes below it, and takes all other paths there; choose one of them',
      ));
    }
    // `products/[...]` beside `products/[id]` leaves `/products` out on purpose.
    if (base !== undefined && !populated.has(base)) {
      const url = pattern.text.slice(0, -"/[...]".length) || "/";
      warnings.push(warning(
        "wildcard-base",
        path,
        `"${url}" itself is a 404, since a wildcard takes one segment or more; add a route file there`,
      ));
    }
    for (const name of folders) {
      if (name === name.normalize("NFC")) continue;
      warnings.push(warning(
        "decomposed-name",
        path,
        `folder "${name}" is not in Unicode's composed form (NFC), which clients send: its route is never reached; rename the folder`,
      ));
    }
  }
  return warnings;
}

/** Where there are routes, by the keys of patterns. */
interface Survey {
  /** The paths that are routes, or have some below them, but for a wildcard. */
  readonly populated: ReadonlySet<string>;
  /** The paths with a dynamic segment below them that has routes below itself. */
  readonly dynamicAbove: ReadonlySet<string>;
}

function surveyOf(routes: readonly NamedRoute[]): Survey {
  const populated = new Set<string>();
  const dynamicAbove = new Set<string>();
  for (const { pattern: { key, hasWildcard } } of routes) {
    const names = key.split("/").filter(Boolean);
    const above = names.map((_, index) => names.slice(0, index).join("/"));
    const own = hasWildcard ? above.slice(0, -1) : [...above, names.join("/")];
    own.forEach((path) => populated.add(path));
    names.slice(0, -1).forEach((name, index) => {
      if (name === "[]") dynamicAbove.add(above[index]!);
    });
  }
  return { populated, dynamicAbove };
}

/** The path that a wildcard stands below, as a key. */
function baseOf({ key, hasWildcard }: RoutePattern): string | undefined {
  return hasWildcard ? key.slice(1).replace(/\/?\[\.\.\.\]$/, "") : undefined;
}

/** Warns of schemas for parameters that the path does not have. */
export function paramWarnings(routes: readonly RouteInfo[]): Warning[] {
  const contracts = new Map(
    routes.flatMap(({ contracts }) => contracts)
      .map((contract) => [contract.file, contract]),
  );
  return [
    ...[...contracts.values()].flatMap(({ contract, file, paramNames }) =>
      strayParams(contract.params, {
        file,
        member: "contract.params",
        place: "the path of its folder",
        captured: paramNames,
      })
    ),
    ...routes.flatMap(({ schema, file, path, segments }) => {
      const captured = segments.flatMap((segment) =>
        segment.kind === "dynamic" ? [segment.name] : []
      );
      const place = `the path "${path}"`;
      return Object.entries(schema).flatMap(([method, { params }]) => {
        const member = `schema.${method}.params`;
        return strayParams(params, { file, member, place, captured });
      });
    }),
  ];
}

/** Where a schema of parameters stands, and which of them it sees. */
interface ParamsPlace {
  readonly file: string;
  readonly member: string;
  readonly place: string;
  readonly captured: readonly string[];
}

function strayParams(
  params: StandardSchemaV1 | undefined,
  { file, member, ...path }: ParamsPlace,
): Warning[] {
  if (params === undefined) return [];
  let json: JsonSchema;
  try {
    json = resolveRoot(
      toJsonSchema(params, { direction: "input", name: "Params" }),
    );
  } catch {
    // The document cannot have it, which is a finding already.
    return [];
  }
  return misfitsOf(json, path).map((misfit) =>
    warning("stray-param", file, `${member} ${misfit}`)
  );
}

/** Warns of declared permissions that confine next to nothing. */
export function permissionWarnings(routes: readonly RouteInfo[]): Warning[] {
  const declared = new Map(
    routes.flatMap(({ permissions }) => permissions)
      .map(({ file, permissions }) => [file, permissions]),
  );
  return [...declared].flatMap(([file, { run, net, write }]) => [
    ...(run === undefined ? [] : [warning(
      "wide-permission",
      file,
      `permissions.run lets it run ${
        run === true ? "any program" : run.map((each) => `"${each}"`).join(", ")
      }, which Deno does not confine; do that in a process of its own`,
    )]),
    ...Object.entries({ net, write }).flatMap(([kind, list]) =>
      list !== true ? [] : [warning(
        "wide-permission",
        file,
        `permissions.${kind} is true, which is ${
          kind === "net" ? "every host" : "every file"
        }; list those that it needs`,
      )]
    ),
  ]);
}

/** What keeps the captured values from fitting a schema of them. */
function misfitsOf(
  json: JsonSchema,
  { place, captured }: Pick<ParamsPlace, "place" | "captured">,
): string[] {
  const declared = Object.keys(json.properties ?? {});
  const required = (json.required ?? []) as readonly string[];
  const has = captured.map((name) => `"${name}"`).join(" and ") || "no name";
  const stray = [...new Set([...required, ...declared])]
    .filter((name) => !captured.includes(name))
    .map((name) =>
      `has "${name}", but ${place} captures ${has}: ${
        required.includes(name) ? "every request is a 400" : "it is never there"
      }; use the name in brackets, or drop it`
    );
  const refused = json.additionalProperties === false
    ? captured.filter((name) => !declared.includes(name))
    : [];
  return [
    ...stray,
    ...refused.map((name) =>
      `refuses "${name}", which ${place} captures: every request is a 400; declare it`
    ),
  ];
}
