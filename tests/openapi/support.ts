import { assert } from "@std/assert";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2.11.0";
import {
  type CreatedDocument,
  createDocument,
  type DocumentOptions,
} from "@bough/framework/openapi";
import { FolderApplication } from "../support/application.ts";

export const INFO = { title: "Test", version: "1.0.0" };
export const ZOD = `import { z } from "npm:zod@^4.1.13";`;

/** The document of some route files, which must be valid. */
export async function documentOf(
  files: Readonly<Record<string, string>>,
  options: Omit<DocumentOptions, "info"> = {},
): Promise<CreatedDocument> {
  await using application = await FolderApplication.create(files);
  const routes = await application.app.routes();
  const created = createDocument(routes, { info: INFO, ...options });
  const { valid, errors } = await new Validator().validate({
    ...created.document,
  });
  assert(valid, JSON.stringify(errors, null, 2));
  return created;
}

/** A schema written by hand, whose JSON form is given as source text. */
export function handWritten(validate: string, json: string): string {
  return `({ "~standard": {
    version: 1, vendor: "mine", validate: ${validate},
    jsonSchema: { input: () => ${json}, output: () => ${json} },
  } })`;
}

/** What Redocly's linter finds, by all rules that it recommends, as errors. */
export async function lint(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "operation-tag-defined": "error" },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "openapi.json",
    config,
  });
  return problems.map(({ ruleId, location, message }) =>
    `${ruleId} ${location[0]?.pointer}: ${message}`
  );
}
