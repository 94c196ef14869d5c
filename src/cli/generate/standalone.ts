import { capitalize, isObject } from "../../core/common/values.ts";
import { Components } from "../../shared/document/components.ts";
import {
  addNamed,
  componentsIn,
  mapKeywords,
  reachableNames,
  toJsonSchema,
} from "../../shared/document/json_schema.ts";
import {
  deprecationText,
  isOptional,
} from "../../shared/document/operation.ts";
import type { JsonSchema } from "../../shared/types.ts";
import type { Method } from "../../core/methods.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import type { Direction } from "../../core/schema/json_schema.ts";
import { declarationOf, isProblem } from "../../core/schema/declaration.ts";
import {
  isStreamedSchema,
  SCHEMA_PARTS,
} from "../../core/schema/check_request.ts";
import type {
  FolderContract,
  LocatedContract,
} from "../../core/types/contract.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { literal } from "./modules.ts";

/** The beginning of each file of standalone types. */
const HEADER =
  `// Written by "bough types --standalone" from the schemas of the application; do not edit.
// deno-fmt-ignore-file
// deno-lint-ignore-file

/** A schema, with the type of its values. */
interface Schema<Type> {
  readonly "~standard": {
    readonly types?: { readonly input: Type; readonly output: Type };
  };
}

/** A body of a media type. */
interface Content<MediaType, Of = undefined> {
  readonly mediaType: MediaType;
  readonly schema: Of;
}

/** A problem document (RFC 9457). */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly errors?: readonly { readonly in: string; readonly pointer: string; readonly detail: string }[] | undefined;
  readonly issueCount?: number | undefined;
}

`;

/**
 * Generates a module with the map of the routes, like `bough types`, but from the JSON
 * Schemas of the routes and without imports.
 *
 * @param source The folder of the routes, such as `api`. The path of each route file
 * begins with this folder.
 */
export async function standaloneText(
  routes: readonly RouteInfo[],
  source: string,
): Promise<string> {
  const schemas = new StandaloneSchemas();
  const files = new Map<string, string>();
  const middleware = new Map<string, Map<string, string>>();
  const keyOf = (file: string) => literal(file.slice(source.length + 1));
  const addExport = (file: string, name: string, typeOf: () => string) =>
    middleware.getOrInsertComputed(keyOf(file), () => new Map())
      .getOrInsertComputed(name, () => `${name}: ${typeOf()}`);
  for (const route of routes) {
    const { file, methods, schema, contracts, folders } = route;
    const name = folders.map(pascalCase).join("") || "Root";
    const handlers = methods.map((method) =>
      `${deprecatedComment(route, method)}    ${method}: unknown;\n`
    );
    const members = Object.entries(schema).map(([method, of]) =>
      `      ${method}: ${typeOf(of, name + pascalCase(method), schemas)};\n`
    );
    const typed = members.length === 0
      ? ""
      : `    schema: {\n${members.join("")}    };\n`;
    const byFile = Map.groupBy(contracts, ({ file }) => file);
    const own = ownMiddleware(byFile.get(file) ?? [], schemas);
    byFile.delete(file);
    files.set(keyOf(file), `{\n${handlers.join("")}${typed}${own}  }`);
    for (const [file, all] of byFile) {
      // The types of a client do not contain the contracts of the option `middleware`.
      if (!file.startsWith(`${source}/`)) continue;
      addExport(file, "default", () => contractsType(all, schemas));
    }
    const { errors, errorsFile = "" } = route;
    if (errors === undefined) continue;
    addExport(errorsFile, "errors", () => {
      const name = `${pascalCase(errorsFile)}Errors`;
      return `{ schema: ${schemas.add(errors.schema, name, "output")} }`;
    });
  }
  for (const [key, exports] of middleware) {
    files.set(key, `{ ${[...exports.values()].join("; ")} }`);
  }
  const map = [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, type]) => `  ${key}: ${type};\n`);
  return await schemas.finish(
    `${HEADER}/** The files of the application: \`createClient<Routes>()\` calls them. */
export interface Routes {
${map.join("")}}

`,
  );
}

/** The type of a middleware function with contracts. */
function contractsType(
  located: readonly LocatedContract[],
  schemas: StandaloneSchemas,
): string {
  const types = located.map(({ contract, file }) =>
    typeOf(contract, pascalCase(file), schemas)
  );
  return `{ contracts: [${types.join(", ")}] }`;
}

/** The export `middleware` of a route file: a list, or an object by method. */
function ownMiddleware(
  contracts: readonly LocatedContract[],
  schemas: StandaloneSchemas,
): string {
  const byMethod = Map.groupBy(contracts, ({ methods }) => methods?.[0]);
  const lists = [...byMethod].map(([method, all]) =>
    `${method ? `${method}: ` : ""}[${contractsType(all, schemas)}]`
  );
  const list = lists.join("; ");
  if (list === "") return "";
  return `    middleware: ${byMethod.has(undefined) ? list : `{ ${list} }`};\n`;
}

/** The comment for editors, if a method is deprecated. */
function deprecatedComment(route: RouteInfo, method: Method): string {
  const { deprecated } = route.operations.get(method)!;
  if (!deprecated?.value) return "";
  const text = deprecationText(Object(deprecated.value))
    .replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ");
  return `    /** ${`@deprecated ${text}`.trim()} */\n`;
}

/** The type of the schemas of a method, or of a contract. */
function typeOf(
  schema: MethodSchema & Pick<FolderContract, "methods">,
  name: string,
  schemas: StandaloneSchemas,
): string {
  const { body, responses } = declarationOf(schema);
  const parts = SCHEMA_PARTS.flatMap((part) => {
    const of = schema[part];
    if (of === undefined) return [];
    const whole = name + pascalCase(part);
    if (part === "body" && body?.isTyped) {
      const types = body.contents.map(({ mediaType, schema }) =>
        `Content<${literal(mediaType)}, ${schemas.addBody(schema, whole)}>`
      );
      return [`${part}: [${types.join(", ")}]`];
    }
    const type = part === "body"
      ? schemas.addBody(of as StandardSchemaV1, whole)
      : schemas.add(of as StandardSchemaV1, whole, "input", asStrings);
    return [`${part}: ${type}`];
  });
  const { methods, response } = schema;
  if (methods !== undefined) {
    parts.unshift(`methods: ${JSON.stringify(methods)}`);
  }
  if (response !== undefined) {
    const bodies = [...responses].map(
      ([status, { bodies }]) => {
        const types = bodies.map(({ mediaType, schema }) =>
          bodyType(
            mediaType,
            schema && schemas.add(schema, `${name}${status}`, "output"),
            bodies.length > 1,
          )
        );
        const list = types.join(", ") || "{}";
        return `${status}: ${types.length > 1 ? `[${list}]` : list}`;
      },
    );
    parts.push(`response: { ${bodies.join("; ")} }`);
  }
  const { events, socket } = schema;
  if (events !== undefined) {
    const types = Object.entries(events).map(([event, of]) => {
      const type = schemas.add(of, `${name}${pascalCase(event)}`, "output");
      return `${literal(event)}: ${type}`;
    });
    parts.push(`events: { ${types.join("; ")} }`);
  }
  if (socket !== undefined) {
    const { receive, send } = socket;
    const types = [
      receive && `receive: ${schemas.add(receive, `${name}Receive`, "input")}`,
      send && `send: ${schemas.add(send, `${name}Send`, "output")}`,
    ].filter((type) => type !== undefined);
    parts.push(`socket: { ${types.join("; ")} }`);
  }
  // If the type is `{}`, the client allows any query and body. A method with only
  // metadata has neither, so its type needs a member.
  if (parts.length === 0 && Object.keys(schema).length > 0) {
    parts.push("summary: string");
  }
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`;
}

/**
 * The type of a body, from its media type and the type of its schema.
 *
 * @param isListed Whether the body is one of several.
 */
function bodyType(
  mediaType: string | undefined,
  type: string | undefined,
  isListed: boolean,
): string {
  const isPlain = mediaType === undefined ||
    /^(?:application\/json|application\/problem\+json|text\/plain)$/.test(
      mediaType,
    );
  if (type !== undefined && isPlain && !isListed) return type;
  if (mediaType === undefined) return "{}";
  const of = type === undefined ? "" : `, ${type}`;
  return `Content<${literal(mediaType)}${of}>`;
}

/** Joins the words of a string into one name: `[bookId]` becomes `BookId`. */
function pascalCase(text: string): string {
  return text.split(/[^\p{ID_Continue}]+/u).map(capitalize).join("");
}

/**
 * Represents the type of a file, which JSON Schema lacks. Real schemas do not contain
 * such strings.
 */
const fileOf = (type: string): JsonSchema => ({ const: `bough:file:${type}` });

/**
 * The schemas of standalone types. A schema with the id `Book` becomes a type named
 * `Book`. If its input differs from its output, the type of the input is named
 * `BookInput`. Another schema with the same id becomes `Book2`.
 */
class StandaloneSchemas {
  readonly #components = new Components();
  readonly #added: { readonly wanted: string; readonly schema: JsonSchema }[] =
    [];

  /** Adds the schema of a body, and returns its type. */
  addBody(schema: StandardSchemaV1, name: string): string {
    const type = this.add(
      schema,
      name,
      "input",
      isStreamedSchema(schema) ? asUpload : undefined,
    );
    return isOptional(schema) ? type.replace(/>$/, " | undefined>") : type;
  }

  /** Adds a schema, and returns its type. */
  add(
    schema: StandardSchemaV1,
    name: string,
    direction: Direction,
    map = (schema: JsonSchema): JsonSchema => schema,
  ): string {
    if (isProblem(schema)) return "Schema<ProblemDocument>";
    let json: JsonSchema;
    try {
      json = mapKeywords(
        toJsonSchema(schema, { direction, name }),
        (schema) => asTyped(map(schema)),
      );
    } catch {
      // `bough check` reports schemas that do not convert to JSON Schema.
      return "Schema<unknown>";
    }
    this.#added.push({
      wanted: name,
      schema: this.#components.add(json, direction),
    });
    // The final name depends on schemas that are added later.
    return `Schema<components["schemas"]["?${this.#added.length - 1}"]>`;
  }

  /** Inserts the final names of the types into code, and appends the types. */
  async finish(text: string): Promise<string> {
    const finished = this.#components.finish(this.#added);
    const named = new Map(Object.entries(finished.schemas));
    const names = finished.document.map(({ wanted, schema }) =>
      nameOf(schema) ?? addNamed(named, wanted, schema)
    );
    const schemas = Object.fromEntries(named);
    const code = text.replaceAll(
      /\["schemas"\]\["\?(\d+)"\]/g,
      (_, index) => `["schemas"][${JSON.stringify(names[index])}]`,
    );
    const { default: openapiTypescript, astToString, stringToAST } =
      await import("openapi-typescript");
    const tree = await openapiTypescript({
      openapi: "3.1.0",
      info: { title: "Types", version: "0.0.0" },
      paths: {},
      components: { schemas: schemas as never },
    }, {
      defaultNonNullable: false,
      emptyObjectsUnknown: true,
      silent: true,
    });
    // TypeScript rejects an interface member that is a union or a tuple of itself, but
    // accepts an alias.
    const recursive = recursiveNames(schemas);
    const aliases: string[] = [];
    for (const member of schemasIn(tree as readonly Node[])) {
      const name = member.name!.text;
      if (!recursive.has(name)) continue;
      const text = astToString(member.type as never).trimEnd().replaceAll(
        /components\["schemas"\]\["([^"]+)"\]/g,
        (all, other) => recursive.has(other) ? aliasOf(other) : all,
      );
      aliases.push(`type ${aliasOf(name)} = ${text};\n`);
      const [alias] = stringToAST(`type _ = ${aliasOf(name)}`) as [Node];
      member.type = alias.type!;
    }
    return code + (aliases.join("") + astToString(tree)).replaceAll(
      /"bough:file:([^"]+)"/g,
      "$1",
    );
  }
}

/** An interface or one of its members, in a syntax tree. */
interface Node {
  readonly name?: { readonly text: string };
  readonly members?: readonly Node[];
  type?: Node;
}

/** The members of `components["schemas"]`. */
function schemasIn(tree: readonly Node[]): readonly Node[] {
  const find = (nodes: readonly Node[] = [], wanted: string) =>
    nodes.find(({ name }) => name?.text === wanted);
  const schemas = find(find(tree, "components")?.members, "schemas");
  return schemas?.type?.members ?? [];
}

/** The names of schemas that refer to themselves, directly or indirectly. */
function recursiveNames(
  schemas: Readonly<Record<string, JsonSchema>>,
): ReadonlySet<string> {
  const references = new Map(
    Object.entries(schemas).map(([name, schema]) =>
      [name, componentsIn(JSON.stringify(schema))] as const
    ),
  );
  return new Set(
    references.entries().filter(([name, below]) =>
      reachableNames(below, (each) => references.get(each) ?? []).has(name)
    ).map(([name]) => name),
  );
}

/** The alias of a schema. The name of the schema may contain a dot or a dash. */
function aliasOf(name: string): string {
  const escaped = (character: string) => `$${character.charCodeAt(0)}`;
  return `Recursive${name.replaceAll(/\W/g, escaped)}`;
}

/** The name in a reference; `undefined` for a schema that is more than a reference. */
function nameOf(schema: JsonSchema): string | undefined {
  const isReference = Object.keys(schema).join() === "$ref";
  return isReference ? [...componentsIn(JSON.stringify(schema))][0] : undefined;
}

/**
 * Removes details that do not affect the type, and replaces binary strings with files.
 * In zod, only the output forbids unknown members, which types cannot express.
 */
function asTyped({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  if (schema.format === "binary") return fileOf("File");
  return additionalProperties === undefined || additionalProperties === false
    ? schema
    : { ...schema, additionalProperties };
}

/**
 * Describes strings by name, as in a query. If a schema converts a string to a number or
 * a boolean, the type accepts all three. With `not`, `preconditions()` requires a header.
 */
function asStrings(schema: JsonSchema): JsonSchema {
  if (/^(?:number|integer|boolean)$/.test(String(schema.type))) {
    return { type: ["string", "number", "boolean"] };
  }
  const names = Object.keys(Object(Object(schema.not).properties));
  if (names.length === 0) return schema;
  const anyOf = names.map((name) => ({
    type: "object",
    properties: { [name]: Object(schema.properties)[name] },
    required: [name],
  }));
  return { allOf: [schema, { anyOf }] };
}

const UPLOAD = fileOf("Blob");
const UPLOADS = fileOf("Blob | readonly Blob[]");

/** Replaces the files of a streamed body, whose fields take one file or several. */
function asUpload(schema: JsonSchema): JsonSchema {
  if (schema.format === "binary") return UPLOAD;
  if (!isObject(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, value]) => {
    const { items = value } = Object(value);
    return [name, Object(items).const === UPLOAD.const ? UPLOADS : value];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
