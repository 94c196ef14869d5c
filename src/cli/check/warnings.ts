import {
  mapKeywords,
  toJsonSchema,
} from "../../shared/document/json_schema.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { quoted } from "../../core/common/values.ts";
import { needsCredentials } from "../../core/exports/middleware_module.ts";
import { findTools } from "../../mcp/tools.ts";
import { schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/options/plugin.ts";
import {
  type Direction,
  fitsForm,
  lenientForm,
  resolveRoot,
} from "../../core/schema/json_schema.ts";
import type { ListedRoute } from "../../shared/route_finder.ts";
import { declaredResponses } from "../../core/schema/responses.ts";
import type { Warning } from "../../core/start/discover.ts";
import type { RoutePlace } from "../../core/start/inspect.ts";
import { runSchema } from "../../core/schema/run_schema.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { createExample } from "../../shared/values/example.ts";
import { warning } from "./rules.ts";

/** A route, with the names of its folders and its pattern. */
type NamedRoute = ListedRoute<Pick<RoutePlace, "file" | "folders">>;

/** Warns of folder names that are likely mistakes. */
export function treeWarnings(routes: readonly NamedRoute[]): Warning[] {
  // The keys of paths above a dynamic segment that has routes below it.
  const dynamicAbove = new Set<string>();
  for (const { pattern: { key } } of routes) {
    const names = key.split("/").filter(Boolean);
    names.slice(0, -1).forEach((name, index) => {
      if (name === "[]") dynamicAbove.add(names.slice(0, index).join("/"));
    });
  }
  const warnings: Warning[] = [];
  for (const { info: { file: path, folders }, pattern } of routes) {
    const { key, hasWildcard } = pattern;
    if (hasWildcard && dynamicAbove.has(key.slice(1, key.lastIndexOf("/")))) {
      warnings.push(warning(
        "wildcard-beside-dynamic",
        path,
        '"[...]" is next to a dynamic folder that has routes, and serves every path that these routes do not match; keep one of the two folders',
      ));
    }
    for (const name of folders) {
      if (name === name.normalize("NFC")) continue;
      warnings.push(warning(
        "decomposed-name",
        path,
        `folder "${name}" is not in Unicode NFC, the form that clients send, so its route is unreachable; rename the folder`,
      ));
    }
  }
  return warnings;
}

/** The schemas of a contract or of a method, with their place. */
interface Declaration {
  readonly schema: MethodSchema;
  readonly file: string;
  /** The place of the schemas in the file: `contract` or `schema.get`. */
  readonly member: string;
  /** The path whose params the schemas receive, for messages. */
  readonly place: string;
  /** The names of these params. */
  readonly captured: readonly string[];
}

/** The declarations of routes; a contract around several routes is listed once. */
function declarationsOf(routes: readonly RouteInfo[]): Declaration[] {
  const contracts = new Set(routes.flatMap(({ contracts }) => contracts));
  return [
    ...[...contracts].map(({ contract, file, paramNames }) => ({
      schema: contract,
      file,
      member: "contract",
      place: "the path of its folder",
      captured: paramNames,
    })),
    ...routes.flatMap(({ schema, file, path, segments }) => {
      const captured = segments.flatMap((segment) =>
        segment.kind === "dynamic" ? [segment.name] : []
      );
      return Object.entries(schema).map(([method, schema]) => ({
        schema,
        file,
        member: `schema.${method}`,
        place: `the path "${path}"`,
        captured,
      }));
    }),
  ];
}

/** Warns of schemas of parameters that do not match the path. */
export function paramWarnings(routes: readonly RouteInfo[]): Warning[] {
  return declarationsOf(routes).flatMap(unknownParams);
}

function unknownParams(
  { schema: { params }, file, member, place, captured }: Declaration,
): Warning[] {
  if (params === undefined) return [];
  let json: JsonSchema;
  try {
    const options = { direction: "input", name: "Params" } as const;
    json = resolveRoot(toJsonSchema(params, options));
  } catch {
    // Another finding reports that the document cannot describe the schema.
    return [];
  }
  const declared = Object.keys(json.properties ?? {});
  const required = (json.required ?? []) as readonly string[];
  const has = quoted(captured, " and ") || "no name";
  const unknown = [...new Set([...required, ...declared])]
    .filter((name) => !captured.includes(name))
    .map((name) => {
      const result = required.includes(name)
        ? "every request is rejected"
        : "its value is always missing";
      return `has "${name}", but ${place} captures ${has}, so ${result}; use the name in brackets, or remove it`;
    });
  const rejected = captured
    .filter((name) =>
      json.additionalProperties === false && !declared.includes(name)
    )
    .map((name) =>
      `rejects "${name}", which ${place} captures, so every request is rejected; declare the name`
    );
  return [...unknown, ...rejected].map((mismatch) =>
    warning("unknown-param", file, `${member}.params ${mismatch}`)
  );
}

/** Warns of methods that cannot be tools, and of tools without words or a guard. */
export function toolWarnings(routes: readonly RouteInfo[]): Warning[] {
  const { tools, omitted } = findTools(routes);
  const all = tools.flatMap(({ name, method, route, listed }) => {
    const tool = `the tool "${name}" (${method} ${route.path})`;
    const { security } = route.operations.get(method)!;
    const schema = `schema.${schemaKey(method)}`;
    return [
      listed.description === undefined && warning(
        "tool-description",
        route.file,
        `${tool} has no description, so agents do not know when to call it; add ${schema}.description`,
      ),
      method !== "GET" && !needsCredentials(security?.value) && warning(
        "unguarded-tool",
        route.file,
        `${tool} may change data, but no level requires security; declare security in the contract of its guard`,
      ),
    ].filter((each) => each !== false);
  });
  return [
    ...omitted.map((each) => ({ rule: "omitted-tool", ...each })),
    ...all,
  ];
}

/** Warns of declared permissions that barely restrict a file. */
export function permissionWarnings(routes: readonly RouteInfo[]): Warning[] {
  const declared = new Map(
    routes.flatMap(({ permissions }) => permissions)
      .map(({ file, permissions }) => [file, permissions]),
  );
  return [...declared].flatMap(([file, { run, net, write }]) => {
    const programs = run === true ? "any program" : run && quoted(run);
    return [
      programs !== undefined &&
      `permissions.run allows ${programs}, which Deno cannot sandbox; move this code to a separate process`,
      net === true &&
      "permissions.net is true, which allows every host; list only the needed ones",
      write === true &&
      "permissions.write is true, which allows every file; list only the needed ones",
    ].filter((message) => message !== false)
      .map((message) => warning("wide-permission", file, message));
  });
}

/**
 * Warns of schemas of responses, events and sent messages that have different input and
 * output types. With such a schema, the type of the sent value is unclear. For example,
 * `z.string().default("")` documents a string, but accepts `undefined`.
 */
export function responseWarnings(routes: readonly RouteInfo[]): Warning[] {
  return sentSchemas(routes)
    .filter(({ schema }) => hasTwoTypes(schema))
    .map(({ file, member }) =>
      warning(
        "response-form",
        file,
        `${member} has different input and output types, but Bough sends values unchanged, so the document may show another type; describe the sent JSON, without defaults or conversions`,
      )
    );
}

/** Warns about schemas without a JSON Schema, whose undeclared members are sent. */
export function memberWarnings(routes: readonly RouteInfo[]): Warning[] {
  return sentSchemas(routes)
    .filter(({ schema, isHeaders }) =>
      !isHeaders && lenientForm(schema, "input") === undefined
    )
    .map(({ file, member }) =>
      warning(
        "undeclared-members",
        file,
        `${member} has no JSON Schema, so undeclared members are sent; use a schema that has one`,
      )
    );
}

/** A schema of data that handlers send. */
interface SentSchema {
  readonly file: string;
  /** Its place in the `schema` export. */
  readonly member: string;
  readonly schema: StandardSchemaV1;
  readonly isHeaders?: boolean;
}

function sentSchemas(routes: readonly RouteInfo[]): SentSchema[] {
  return declarationsOf(routes).flatMap(({ schema, file, member: at }) => {
    const { response, events, socket } = schema;
    return [
      ...[...declaredResponses(response ?? {})].flatMap(
        ([status, { bodies, headers }]) => {
          const member = `${at}.response[${status}]`;
          return [
            ...bodies.map(({ schema }) => ({ member, schema })),
            { member: `${member}.headers`, schema: headers, isHeaders: true },
          ];
        },
      ),
      ...Object.entries(events ?? {}).map(([name, schema]) => ({
        member: `${at}.events[${JSON.stringify(name)}]`,
        schema,
      })),
      { member: `${at}.socket.send`, schema: socket?.send },
    ].flatMap(({ schema, ...rest }) =>
      schema === undefined ? [] : [{ file, schema, ...rest }]
    );
  });
}

/** Whether the JSON types of the input and of the output of a schema differ. */
function hasTwoTypes(schema: StandardSchemaV1): boolean {
  let input: ReturnType<typeof describeSide>;
  try {
    input = describeSide(schema, "input");
  } catch {
    // Another finding reports that the document cannot describe the schema.
    return false;
  }
  const { json, text, hasDefault } = input;
  try {
    const output = describeSide(schema, "output");
    // Valibot describes both sides equally, even if the schema has a default.
    return text !== output.text || output.hasDefault;
  } catch {
    // Libraries cannot describe the output of a function, so an example shows its type.
    const result = outputOf(schema, createExample(json));
    return hasDefault || result === undefined ||
      !fitsForm(json, result.value, json);
  }
}

/**
 * Describes one side of a schema for comparison. The description of a date is a string,
 * and the description of an object omits whether unknown members are removed or
 * rejected.
 */
function describeSide(
  schema: StandardSchemaV1,
  direction: Direction,
): { json: JsonSchema; text: string; hasDefault: boolean } {
  let hasDefault = false;
  const json = mapKeywords(
    toJsonSchema(schema, { direction, name: "Response", dates: "output" }),
    ({ additionalProperties, ...keywords }) => {
      hasDefault ||= "default" in keywords;
      return additionalProperties === false
        ? keywords
        : { additionalProperties, ...keywords };
    },
  );
  return { json, text: JSON.stringify(json), hasDefault };
}

/** The output of a schema; `undefined` if the schema rejects the value, or is async. */
export function outputOf(
  schema: StandardSchemaV1,
  value: unknown,
): { readonly value: unknown } | undefined {
  try {
    const result = runSchema(schema, value, "body");
    if (!(result instanceof Promise)) return result.issues ? undefined : result;
    result.catch(() => {});
  } catch { /* The schema cannot check an example. */ }
  return undefined;
}
