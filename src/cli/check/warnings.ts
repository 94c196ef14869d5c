import {
  mapKeywords,
  toJsonSchema,
} from "../../openapi/document/json_schema.ts";
import type { JsonSchema } from "../../openapi/types.ts";
import type { RouteInfo } from "../../options/plugin.ts";
import type { RoutePattern } from "../../routing/pattern.ts";
import { type Direction, resolveRoot } from "../../schema/json_schema.ts";
import { declaredResponses } from "../../schema/responses.ts";
import type { Warning } from "../../start/discover.ts";
import type { RoutePlace } from "../../start/inspect.ts";
import type { StandardSchemaV1 } from "../../types/schema.ts";
import { warning } from "./rules.ts";

/** A route, as its folder names describe it. */
export interface NamedRoute {
  readonly info: Pick<RoutePlace, "file" | "folders">;
  readonly pattern: RoutePattern;
}

/** Warns of folder names that are likely a mistake. */
export function treeWarnings(routes: readonly NamedRoute[]): Warning[] {
  // The keys of paths that are routes, or have some below them, but for a wildcard.
  const populated = new Set<string>();
  // Those with a dynamic segment below them that has routes below itself.
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
  const warnings: Warning[] = [];
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
      unknownParams(contract.params, {
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
        return unknownParams(params, { file, member, place, captured });
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

function unknownParams(
  params: StandardSchemaV1 | undefined,
  { file, member, place, captured }: ParamsPlace,
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
  const refused = captured
    .filter((name) =>
      json.additionalProperties === false && !declared.includes(name)
    )
    .map((name) =>
      `refuses "${name}", which ${place} captures: every request is a 400; declare it`
    );
  return [...stray, ...refused].map((misfit) =>
    warning("unknown-param", file, `${member} ${misfit}`)
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

/**
 * Warns of schemas of responses, events and messages to a client that take other values
 * than they return. Such a schema does not say which of the two is sent:
 * `z.string().default("")` documents a text, and accepts that there is none.
 */
export function responseWarnings(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ file, schema }) =>
    Object.entries(schema).flatMap(([method, { response, events, socket }]) => [
      ...[...declaredResponses(response ?? {})].flatMap(
        ([status, { body, headers }]) => [
          ...misfits(body, `schema.${method}.response[${status}]`),
          ...misfits(headers, `schema.${method}.response[${status}].headers`),
        ],
      ),
      ...Object.entries(events ?? {}).flatMap(([name, data]) =>
        misfits(data, `schema.${method}.events[${JSON.stringify(name)}]`)
      ),
      ...misfits(socket?.send, `schema.${method}.socket.send`),
    ]).map((message) => warning("response-form", file, message))
  );
}

function misfits(
  schema: StandardSchemaV1 | undefined,
  member: string,
): string[] {
  if (schema === undefined) return [];
  try {
    const input = formOf(schema, "input");
    const output = formOf(schema, "output");
    // Valibot describes both sides alike, and yet fills in a default.
    if (input.text === output.text && !output.hasDefault) return [];
  } catch {
    // The document cannot have it, which is a finding already.
    return [];
  }
  return [
    `${member} takes other values than it returns; describe what is sent, without a default or a conversion`,
  ];
}

/**
 * Describes one side of a schema. Both sides describe a date as a text, and neither
 * says whether further members are removed or refused.
 */
function formOf(
  schema: StandardSchemaV1,
  direction: Direction,
): { text: string; hasDefault: boolean } {
  let hasDefault = false;
  const form = mapKeywords(
    toJsonSchema(schema, { direction, name: "Response", dates: "output" }),
    ({ additionalProperties, ...keywords }) => {
      hasDefault ||= "default" in keywords;
      return additionalProperties === false
        ? keywords
        : { additionalProperties, ...keywords };
    },
  );
  return { text: JSON.stringify(form), hasDefault };
}
