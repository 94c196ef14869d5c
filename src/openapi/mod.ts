/**
 * Documents an application with an OpenAPI document and with a page to read and try the
 * API. Bough generates both from the routes and their schemas.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { openapi } from "@bough/framework/openapi";
 *
 * const app = new Framework({
 *   apiDir: "examples/minimal/api",
 *   plugins: [openapi({ info: { title: "Minimal", version: "1.0.0" } })],
 * });
 * // GET /openapi.json is the document, GET /docs the page.
 * const page = await app.fetch(new Request("http://localhost/docs"));
 * await page.body?.cancel();
 * ```
 *
 * @module
 */
export { openapi, type OpenApiOptions } from "./plugin.ts";
export {
  type CreatedDocument,
  createDocument,
} from "../shared/document/document.ts";
export { Problem, type ProblemDocument } from "../core/schema/problem.ts";
export type {
  DeclaredContent,
  DeclaredResponse,
  EffectiveSchema,
  Located,
  LocatedSchema,
} from "../core/types/effective_schema.ts";
export type { JsonSchema } from "../core/schema/json_schema.ts";
export type * from "../shared/types.ts";
