/**
 * Bough serves a folder of route files as an HTTP API.
 *
 * The folders determine the URL: the export `GET` of `api/users/[id]/route.ts` responds
 * to `GET /api/users/42`.
 *
 * @example A route file, `api/users/[id]/route.ts`
 * ```ts
 * import type { FrameworkRequest } from "@bough/framework";
 *
 * export function GET(request: FrameworkRequest): Response {
 *   return Response.json({ id: request.params.id });
 * }
 * ```
 *
 * @example The application, `main.ts`
 * ```ts
 * import { Framework } from "@bough/framework";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const server = await app.serve({ port: 0 });
 * await server.shutdown();
 * ```
 *
 * @module
 */
// An application.
export { Framework } from "./src/framework.ts";
export type {
  FrameworkOptions,
  RouteLoader,
  RouteManifest,
} from "./src/options/options.ts";
export type { ServeOptions } from "./src/server/serve.ts";
export { draining } from "./src/server/process.ts";
export { RouteError, type RouteFault } from "./src/faults.ts";

// Route files and middleware files.
export type {
  ErrorHandler,
  FrameworkRequest,
  Handler,
  Middleware,
  MiddlewareRequest,
  Next,
  NotFoundHandler,
} from "./src/types/request.ts";
export type { Method } from "./src/methods.ts";
export { RequestState } from "./src/record/request_state.ts";
export type { RoutePermissions } from "./src/exports/permissions.ts";

// Schemas and contracts.
export type {
  MethodSchema,
  ResponseSchemas,
  RouteSchema,
  SecurityRequirement,
  StandardSchemaV1,
  Validated,
} from "./src/types/schema.ts";
export type { FolderContract, Under } from "./src/types/contract.ts";
export { content } from "./src/schema/responses.ts";

// Responses and errors.
export { Problem } from "./src/schema/problem.ts";
export { respond } from "./src/schema/respond.ts";
export { errorResponse } from "./src/request/failure.ts";
export {
  type ErrorDetails,
  type ErrorFormat,
  errorFormat,
  HttpError,
  type HttpErrorOptions,
} from "./src/errors.ts";

// Plugins and tools.
export type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "./src/options/plugin.ts";
export type { Inspection } from "./src/start/inspect.ts";
export type { Warning as RouteWarning } from "./src/start/discover.ts";
