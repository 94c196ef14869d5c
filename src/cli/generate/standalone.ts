import type { Method } from "../../core/methods.ts";
import { capitalize } from "../../core/common/values.ts";
import { isProblem } from "../../core/schema/declaration.ts";
import { isStreamedSchema } from "../../core/schema/check_request.ts";
import type { Direction, JsonSchema } from "../../core/schema/json_schema.ts";
import type { EffectiveSchema } from "../../core/types/effective_schema.ts";
import type { RouteInfo } from "../../core/types/plugin.ts";
import type {
  MethodSchema,
  StandardSchemaV1,
} from "../../core/types/schema.ts";
import { Components } from "../../shared/document/components.ts";
import {
  mapKeywords,
  toJsonSchema,
} from "../../shared/document/json_schema.ts";
import { isOptional } from "../../shared/document/operation.ts";
import { literal } from "./modules.ts";
import { block, keyOf, TypePrinter } from "./type_text.ts";

/** The beginning of each file of standalone types. */
const HEADER =
  `// Written by "bough types --standalone" from the schemas of the application; do not edit.
// deno-fmt-ignore-file
// deno-lint-ignore-file

/** A schema, with the type of its values. */
export interface Schema<Type> {
  readonly "~standard": {
    readonly types?: { readonly input: Type; readonly output: Type };
  };
}

/** The query of a method without a schema. */
export type AnyQuery = Schema<{ readonly [name: string]: Value | readonly Value[] | undefined }>;
export type Value = string | number | boolean;

/** A schema of strings by name, such as a query, which may convert the strings. */
export type StringSchema<Type> = Schema<Strings<Type>>;
export type Strings<Type> = Type extends number | boolean ? Value
  : Type extends object ? { [Name in keyof Type]: Strings<Type[Name]> }
  : Type;

/** A schema of a streamed body, whose fields take one file or several. */
export type UploadSchema<Type> = Schema<Upload<Type>>;
export type Upload<Type> = Type extends Blob ? Blob : {
  [Name in keyof Type]: Exclude<Type[Name], undefined> extends Blob | Blob[]
    ? Blob | readonly Blob[]
    : Type[Name];
};

/** A body of a media type. */
export interface Content<MediaType, Of = undefined> {
  readonly mediaType: MediaType;
  readonly schema: Of;
}

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly errors?: readonly { readonly in: string; readonly pointer: string; readonly detail: string }[] | undefined;
  readonly issueCount?: number | undefined;
}
`;

/** The types that a schema with the same id must not hide. */
const TAKEN = "AnyQuery Array Blob Content Exclude File ProblemDocument Record"
  .concat(" Routes Schema StringSchema Strings Upload UploadSchema Value")
  .split(" ");

/** A type: its code, a tuple, the members of an object, or code that is known later. */
type Type = string | (() => string) | readonly Type[] | ObjectType;

interface ObjectType {
  [name: string]: Type;
}

/**
 * Generates a module with the map of the routes, like `bough types`, but from the JSON
 * Schemas of the routes and without imports. Each method has its schemas merged with the
 * contracts that cover it.
 *
 * @param source The folder of the routes, such as `api`. The path of each route file
 * begins with this folder.
 */
export function standaloneText(
  routes: readonly RouteInfo[],
  source: string,
): string {
  const types = new StandaloneTypes();
  const files: ObjectType = {};
  const below = (file: string) => file.slice(source.length + 1);
  for (const { file, folders, methods, operations, ...route } of routes) {
    const members: ObjectType = {};
    for (const method of methods) members[method] = "unknown";
    const schema: ObjectType = {};
    for (const [method, operation] of operations) {
      const key = method.toLowerCase() as Lowercase<Method>;
      const name = [...folders, key].join("/")
        .split(/[^\p{ID_Continue}]+/u).map(capitalize).join("");
      const own = route.schema[key] ?? {};
      const type = types.ofOperation(operation, { own, name });
      if (Object.keys(type).length > 0) schema[key] = type;
    }
    if (Object.keys(schema).length > 0) members.schema = schema;
    files[below(file)] = members;
    const { errors, errorsFile = "" } = route;
    // The map does not contain the error format of the application.
    if (errors === undefined || !errorsFile.startsWith(`${source}/`)) continue;
    files[below(errorsFile)] ??= {
      errors: {
        schema: types.ofSchema(errors.schema, {
          name: "Errors",
          direction: "output",
        }),
      },
    };
  }
  const declarations = types.finish();
  const sorted = Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1);
  return `${HEADER}
/** The files of the application: \`createClient<Routes>()\` calls them. */
export interface Routes ${print(Object.fromEntries(sorted))}
${declarations.join("")}`;
}

function print(type: Type): string {
  if (typeof type === "string") return type;
  if (typeof type === "function") return type();
  if (Array.isArray(type)) return `[${type.map(print).join(", ")}]`;
  const members = Object.entries(type);
  return block(members.map(([name, of]) => `${keyOf(name)}: ${print(of)};`));
}

/**
 * The types of schemas. A schema with the id `Book` becomes a type named `Book`. If its
 * input differs from its output, the type of the input is named `BookInput`. Another
 * schema with the same id becomes `Book2`.
 */
class StandaloneTypes {
  readonly #components = new Components();
  readonly #added: JsonSchema[] = [];
  #typeAt = (_index: number): string => "";

  /**
   * The type of the schemas of a method.
   *
   * @param options The schemas in the route file, and the name of recursive schemas
   * without an id.
   */
  ofOperation(
    { parts, response, events, socket }: EffectiveSchema,
    { own, name }: { readonly own: MethodSchema; readonly name: string },
  ): ObjectType {
    const type: ObjectType = {};
    const received = { name, direction: "input" } as const;
    const sent = (schema: StandardSchemaV1) =>
      this.ofSchema(schema, { name, direction: "output" });
    for (const part of ["params", "query", "headers"] as const) {
      const all = parts[part].map(({ value }) =>
        this.ofSchema(value, { ...received, generic: "StringSchema" })
      );
      if (all.length > 0) type[part] = () => all.map(print).join(" & ");
    }
    const bodies = parts.body.map(({ mediaType, value }) => {
      const of = this.ofSchema(value, {
        ...received,
        generic: isStreamedSchema(value) ? "UploadSchema" : "Schema",
        rest: isOptional(value) ? " | undefined" : "",
      });
      return mediaType === undefined ? of : content(mediaType, of);
    });
    const isTyped = parts.body[0]?.mediaType !== undefined;
    if (bodies.length > 0) type.body = isTyped ? bodies : bodies[0]!;
    if (response.size > 0) {
      type.response = Object.fromEntries(
        [...response].map(([status, { value: { bodies } }]) => {
          const all = bodies.map(({ mediaType = "", schema }) => {
            const of = schema && sent(schema);
            const isPlain = of !== undefined && PLAIN.test(mediaType);
            return isPlain ? of : content(mediaType, of);
          });
          return [status, all.length > 1 ? all : all[0] ?? "{}"];
        }),
      );
    }
    if (events !== undefined) {
      type.events = Object.fromEntries(
        Object.entries(events.value).map(([event, of]) => [event, sent(of)]),
      );
    }
    if (socket !== undefined) {
      const { receive, send } = socket.value;
      type.socket = {
        ...(receive && { receive: this.ofSchema(receive, received) }),
        ...(send && { send: sent(send) }),
      };
    }
    const isOpen = Object.keys(own).length === 0;
    const isEmpty = Object.keys(type).length === 0;
    // A method without a schema takes any query and body. A method with only metadata
    // takes neither, so its type needs a member.
    if (isOpen && !isEmpty) {
      return { query: "AnyQuery", body: "Schema<unknown>", ...type };
    }
    return isEmpty && !isOpen ? { summary: "string" } : type;
  }

  /**
   * The type of a schema.
   *
   * @param options The name of the schema if it is recursive and has no id, and the
   * generic type around the type of its values, which may have a further part.
   */
  ofSchema(schema: StandardSchemaV1, {
    name,
    direction,
    generic = "Schema",
    rest = "",
  }: {
    readonly name: string;
    readonly direction: Direction;
    readonly generic?: string;
    readonly rest?: string;
  }): Type {
    if (isProblem(schema)) return "Schema<ProblemDocument>";
    let json: JsonSchema;
    try {
      json = toJsonSchema(schema, { direction, name });
    } catch {
      // `bough check` reports schemas that do not convert to JSON Schema.
      return "Schema<unknown>";
    }
    const added = this.#components.add(
      mapKeywords(json, withoutClosed),
      direction,
    );
    const index = this.#added.push(added) - 1;
    return () => `${generic}<${this.#typeAt(index)}${rest}>`;
  }

  /** Names all types, and returns the declarations of schemas with an id. */
  finish(): string[] {
    const { document, schemas } = this.#components.finish(this.#added, "");
    const printer = new TypePrinter(Object.keys(schemas), TAKEN);
    this.#typeAt = (index) => printer.type(document[index]);
    return Object.entries(schemas)
      .map(([name, schema]) => printer.declaration(name, schema));
  }
}

/** The media types of a response that need no `Content`. */
const PLAIN = /^(?:application\/(?:problem\+)?json|text\/plain|)$/;

/** A body of a media type. */
function content(mediaType: string, schema?: Type): Type {
  const type = literal(mediaType);
  return schema === undefined
    ? `Content<${type}>`
    : () => `Content<${type}, ${print(schema)}>`;
}

/** In zod, only the output forbids further members, which types cannot express. */
function withoutClosed(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}
