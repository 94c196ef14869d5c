import { assert } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import {
  type CreatedDocument,
  createDocument,
  type DocumentOptions,
  type OpenApiDocument,
  type Operation,
} from "@bough/framework/openapi";
import { TestApplication, type TestModule } from "../support/application.ts";

export const INFO = { title: "Test", version: "1.0.0" };

export type Files = Readonly<Record<string, TestModule>>;
type Options = Omit<DocumentOptions, "info">;

/** The problems that every operation documents: the component by status. */
export const OWN = { 400: "BadRequest", 500: "ServerError" };

/** Statuses together with those of every operation, in the order of a document. */
export function withOwn(...statuses: readonly string[]): string[] {
  return [...statuses, ...Object.keys(OWN)].sort();
}

/** A handler of any method. */
export const handler = (): Response => new Response();

/** A route file with a handler for each method of its schema. */
export function routeOf(schema: object): TestModule {
  const handlers = Object.keys(schema)
    .map((method) => [method.toUpperCase(), handler]);
  return { schema, ...Object.fromEntries(handlers) };
}

/** The place, the name, the schema and other members of a parameter. */
export function parameterLine(
  { in: place, name, required, schema, ...rest }: NonNullable<
    Operation["parameters"]
  >[number],
): string {
  const members = [schema, rest].map((each) => JSON.stringify(each))
    .filter((each) => each !== "{}");
  return [place, `${name}${required ? "" : "?"}`, ...members].join(" ");
}

/** Each response: its component, or its description, headers and content. */
export function responseLines({ responses }: Operation): string[] {
  return Object.entries(responses).map(([status, response]) => {
    if ("$ref" in response) {
      return `${status} ${
        response.$ref.replace("#/components/responses/", "")
      }`;
    }
    const { description, headers = {}, content = {}, ...rest } = response;
    return [
      `${status} "${description}"`,
      ...Object.entries(headers).map(([name, { required, ...members }]) =>
        `${name}${required ? "" : "?"} ${JSON.stringify(members)}`
      ),
      ...Object.entries(content).map(([type, media]) =>
        `${type} ${JSON.stringify(media)}`
      ),
      ...Object.entries(rest).map((entry) => JSON.stringify(entry)),
    ].join(" ");
  });
}

/** The document of some route files, and its warnings. */
export async function createdFrom(
  files: Files,
  options: Options = {},
): Promise<CreatedDocument> {
  const routes = await TestApplication.of(files).app.routes();
  return createDocument(routes, { info: INFO, ...options });
}

/** It compiles the schema of a version of OpenAPI once. */
const VALIDATOR = new Validator();

/** Fails if a document is not valid OpenAPI. */
export async function assertValid(document: OpenApiDocument): Promise<void> {
  const { valid, errors } = await VALIDATOR.validate({ ...document });
  assert(valid, JSON.stringify(errors, null, 2));
}

/** The valid document of some route files, and its warnings. */
export async function documentOf(
  files: Files,
  options: Options = {},
): Promise<CreatedDocument> {
  const created = await createdFrom(files, options);
  await assertValid(created.document);
  return created;
}
