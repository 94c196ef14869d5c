import { assert, assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import { createDocument, type OpenApiDocument } from "@bough/framework/openapi";
import { mapKeywords } from "../../src/shared/document/json_schema.ts";
import { SCHEMA_KINDS } from "../cli/generate/schema_kinds.ts";
import { FolderApplication } from "../support/application.ts";

const HANDLERS = `
  export const GET = () => new Response();
  export const POST = () => new Response();
`;

/** The document of an application with two routes for each kind of schema. */
async function documentOf(library: string): Promise<OpenApiDocument> {
  const kinds = SCHEMA_KINDS[library]!;
  await using application = await FolderApplication.create({
    "_kinds.ts": kinds,
  });
  const { folder } = application;
  const { kinds: all } = await import(`${folder.path}/api/_kinds.ts`);
  for (const name of Object.keys(all)) {
    await folder.write(
      `api/${name}/route.ts`,
      `import { kinds } from "../_kinds.ts";
       export const schema = {
         get: { query: kinds.${name}, response: kinds.${name} },
         post: { body: kinds.${name} },
       }; ${HANDLERS}`,
    );
  }
  const info = { title: "Kinds", version: "1.0.0" };
  const routes = await application.app.routes();
  assert(routes.length >= 50, `${routes.length} kinds`);
  return createDocument(routes, { info }).document;
}

/** A copy whose schemas have other texts, so that each keyword is compared. */
function marked(document: OpenApiDocument): OpenApiDocument {
  const { components, paths } = mapKeywords(
    document,
    (schema) =>
      Object.keys(schema).length > 0 ? { ...schema, "x-copy": true } : schema,
  );
  const schemas = Object.fromEntries(
    Object.keys(document.components.schemas).map((name) =>
      [name, components.schemas[name]!] as const
    ),
  );
  return { ...document, components: { ...components, schemas }, paths };
}

// Slow: it compares every part of large documents, 6 CPU seconds.
for (const library of Object.keys(SCHEMA_KINDS)) {
  Deno.test(`fifty schemas of ${library} have no change from themselves`, async () => {
    const first = await documentOf(library);
    const second = await documentOf(library);
    const other = marked(first);
    assertEquals(await diffDocuments(first, first), []);
    assertEquals(await diffDocuments(first, other), []);
    assertEquals(await diffDocuments(other, first), []);
    assertEquals(await diffDocuments(first, second), []);
    assertEquals(await diffDocuments(second, first), []);
  });
}
