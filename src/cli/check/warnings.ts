import {
  mapKeywords,
  toJsonSchema,
} from "../../shared/document/json_schema.ts";
import type { JsonSchema } from "../../shared/types.ts";
import { quoted } from "../../core/common/values.ts";
import { needsCredentials } from "../../core/start/modules.ts";
import { findTools } from "../../mcp/tools.ts";
import { schemaKey } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import { fitsForm } from "../../core/schema/json_issues.ts";
import {
  describeStrings,
  lenientForm,
  resolveRoot,
  UNDESCRIBED,
} from "../../core/schema/json_schema.ts";
import type { ListedRoute } from "../../shared/route_finder.ts";
import { declarationOf, looseSchemas } from "../../core/schema/declaration.ts";
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
export async function responseWarnings(
  routes: readonly RouteInfo[],
): Promise<Warning[]> {
  const found: Warning[] = [];
  for (const { schema: method, file, member: at } of declarationsOf(routes)) {
    for (const { member, schema } of declarationOf(method).sent) {
      if (!await hasTwoTypes(schema)) continue;
      found.push(warning(
        "response-form",
        file,
        `${at}.${member} has different input and output types, so the document may show another type, and validateResponses cannot check what a function makes; describe the sent JSON, without defaults or conversions`,
      ));
    }
  }
  return found;
}

/** Warns about schemas by which more members may be sent than intended. */
export function memberWarnings(routes: readonly RouteInfo[]): Warning[] {
  return declarationsOf(routes).flatMap(({ schema, file, member: at }) => {
    const { undescribed, mixed } = looseSchemas(schema);
    return [
      ...undescribed.map(({ member }) =>
        warning(
          "undeclared-members",
          file,
          `${at}.${member} has no JSON Schema, so undeclared members are sent; use a schema that has one`,
        )
      ),
      ...mixed.map(({ member }) =>
        warning(
          "mixed-union",
          file,
          `${at}.${member} has a union whose objects no constant distinguishes, so members of several branches may be sent together; add one, such as kind: z.literal("book")`,
        )
      ),
    ];
  });
}

/** Whether the JSON types of the input and of the output of a schema differ. */
async function hasTwoTypes(schema: StandardSchemaV1): Promise<boolean> {
  const [input, output] = [
    sideOf(lenientForm(schema, "input", describeStrings)),
    sideOf(lenientForm(schema, "output")),
  ];
  if (input === undefined || output === undefined) return false;
  // Valibot describes both sides equally, even if the schema has a default.
  if (input.text === output.text) return output.hasDefault;
  if ([...output.undescribed].every((type) => input.undescribed.has(type))) {
    return true;
  }
  // Libraries cannot describe the output of a function, so an example shows its type.
  const { json, hasDefault } = input;
  const result = await outputOf(schema, createExample(json));
  return hasDefault || result === undefined ||
    !fitsForm(json, result.value, json);
}

/**
 * Describes one side of a schema for comparison. The description of an object omits
 * whether unknown members are removed or rejected.
 */
function sideOf(form: JsonSchema | undefined) {
  if (form === undefined) return undefined;
  let hasDefault = false;
  const undescribed = new Set<unknown>();
  const json = mapKeywords(form, (part) => {
    const { additionalProperties, $schema: _, ...keywords } = part;
    hasDefault ||= "default" in keywords;
    if (UNDESCRIBED in keywords) undescribed.add(keywords[UNDESCRIBED]);
    return additionalProperties === false
      ? keywords
      : { additionalProperties, ...keywords };
  });
  return { json, text: JSON.stringify(json), hasDefault, undescribed };
}

/** The output of a schema; `undefined` if the schema rejects the value. */
export async function outputOf(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  try {
    const result = await runSchema(schema, value, "body");
    return result.issues ? undefined : result;
  } catch {
    // The schema cannot check an example.
    return undefined;
  }
}
