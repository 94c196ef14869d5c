import type { RouteInfo } from "../../options/plugin.ts";
import { declaredResponses } from "../../schema/responses.ts";
import { SCHEMA_PARTS } from "../../schema/validate.ts";
import type { MethodSchema, StandardSchemaV1 } from "../../types/schema.ts";
import { literal } from "./manifest.ts";
import { StandaloneSchemas } from "./standalone_schemas.ts";

/** What stands in each file of standalone types. */
const HEAD =
  `// Written by "bough types --standalone" from the schemas of the application; do not edit.
// deno-fmt-ignore-file
// deno-lint-ignore-file

/** What a schema takes or returns. */
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
 * The text of a module with the map of the routes as `bough types` writes it, made
 * of the JSON forms of their schemas: it imports nothing.
 *
 * @param source Where the files come from, as their paths begin: `api`.
 */
export async function standaloneText(
  routes: readonly RouteInfo[],
  source: string,
): Promise<string> {
  const schemas = new StandaloneSchemas();
  const files = new Map<string, string>();
  const keyOf = (file: string) => literal(file.slice(source.length + 1));
  for (const { file, methods, schema, contracts, folders } of routes) {
    const name = folders.map(pascalCase).join("") || "Root";
    const handlers = methods.map((method) => `    ${method}: unknown;\n`);
    const members = Object.entries(schema).map(([method, of]) =>
      `      ${method}: ${typeOf(of, name + pascalCase(method), schemas)};\n`
    );
    const typed = members.length === 0
      ? ""
      : `    schema: {\n${members.join("")}    };\n`;
    files.set(keyOf(file), `{\n${handlers.join("")}${typed}  }`);
    for (const { contract, file } of contracts) {
      if (files.has(keyOf(file))) continue;
      const type = typeOf(contract, pascalCase(file), schemas);
      files.set(keyOf(file), `{ contract: ${type} }`);
    }
  }
  const map = [...files].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, type]) => `  ${key}: ${type};\n`);
  return await schemas.finish(
    `${HEAD}/** The files of the application: \`createClient<Routes>()\` calls them. */
export interface Routes {
${map.join("")}}

`,
  );
}

/** The type of the schemas of a method, or of a contract. */
function typeOf(
  schema: MethodSchema,
  name: string,
  schemas: StandaloneSchemas,
): string {
  const parts = SCHEMA_PARTS.flatMap((part) => {
    const of = schema[part];
    if (of === undefined) return [];
    const whole = name + pascalCase(part);
    const type = part === "body"
      ? schemas.add(of, whole, "input")
      : schemas.addTexts(of, whole);
    return [`${part}: ${type}`];
  });
  const { response } = schema;
  if (response !== undefined) {
    const bodies = [...declaredResponses(response)].map(
      ([status, { mediaType, body }]) =>
        `${status}: ${
          bodyType({ mediaType, body, name: `${name}${status}` }, schemas)
        }`,
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
      ...(receive === undefined
        ? []
        : [`receive: ${schemas.add(receive, `${name}Receive`, "input")}`]),
      ...(send === undefined
        ? []
        : [`send: ${schemas.add(send, `${name}Send`, "output")}`]),
    ];
    parts.push(`socket: { ${types.join("; ")} }`);
  }
  // A method that says something, if nothing of its types, takes no more than it says.
  if (parts.length === 0 && Object.keys(schema).length > 0) {
    parts.push("summary: string");
  }
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`;
}

/** A body that is declared, and a name for it. */
interface Body {
  readonly mediaType: string | undefined;
  readonly body: StandardSchemaV1 | undefined;
  readonly name: string;
}

function bodyType(
  { mediaType, body, name }: Body,
  schemas: StandaloneSchemas,
): string {
  const type = body && schemas.add(body, name, "output");
  const isPlain = mediaType === undefined ||
    /^(?:application\/json|application\/problem\+json|text\/plain)$/.test(
      mediaType,
    );
  if (type !== undefined && isPlain) return type;
  if (mediaType === undefined) return "{}";
  const of = type === undefined ? "" : `, ${type}`;
  return `Content<${literal(mediaType)}${of}>`;
}

/** The words of a text as one name: `[bookId]` is `BookId`. */
function pascalCase(text: string): string {
  return text.split(/[^\p{ID_Continue}]+/u).filter(Boolean)
    .map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}
