/**
 * Compares two OpenAPI documents of an application, and finds the changes that break
 * clients. The command `bough diff` prints these changes.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { diffDocuments } from "@bough/framework/diff";
 * import { createDocument } from "@bough/framework/openapi";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const { document } = createDocument(await app.routes(), {
 *   info: { title: "Minimal", version: "1.0.0" },
 * });
 * const after = { ...document, paths: {} };
 * for (const change of await diffDocuments(document, after)) {
 *   console.log(change.operation, change.message); // the operation was removed
 * }
 * ```
 *
 * @module
 */
import type { OpenApiDocument } from "../shared/types.ts";
import type { Change } from "./change.ts";
import { DocumentComparison } from "./compare.ts";
import { completed } from "./document.ts";
import type { Refuse } from "./parts.ts";
export { type Change, RULES } from "./change.ts";
export type { Refuse } from "./parts.ts";
export type { RequestPart, ShownRequest } from "./operations.ts";
export type { Clients } from "./schema.ts";

/** The options of {@linkcode diffDocuments}. */
export interface DiffOptions {
  /**
   * The date for which to judge removed operations.
   *
   * @default {new Date()}
   */
  readonly at?: Date;
  /**
   * Validates values with the schemas of the new application. Without this function,
   * only the documents decide.
   */
  readonly refuse?: Refuse;
}

/**
 * Finds the changes between two documents that break clients, or that cannot be judged.
 *
 * @param before The document that clients know, as Bough wrote it in version 3.1 or 3.2.
 * @param after The document of the changed application.
 * @returns The changes, in the order of the operations in `before`. The list is empty if
 * every client keeps working.
 *
 * @example Usage
 * ```ts
 * import { diffDocuments } from "@bough/framework/diff";
 * import type { OpenApiDocument } from "@bough/framework/openapi";
 * import { assertEquals } from "@std/assert";
 *
 * const before: OpenApiDocument = {
 *   openapi: "3.1.0",
 *   info: { title: "Notes", version: "1.0.0" },
 *   paths: { "/api/notes": { get: { operationId: "a", responses: {} } } },
 *   components: { schemas: {}, responses: {} },
 * };
 * const [change] = await diffDocuments(before, { ...before, paths: {} });
 * assertEquals(change?.rule, "operation-removed");
 * ```
 */
export async function diffDocuments(
  before: OpenApiDocument,
  after: OpenApiDocument,
  { at = new Date(), refuse }: DiffOptions = {},
): Promise<Change[]> {
  const documents = { before: completed(before), after: completed(after) };
  return await new DocumentComparison({ ...documents, at, refuse }).changes();
}
