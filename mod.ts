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
export { Framework } from "./src/core/framework.ts";
export type {
  FrameworkOptions,
  RouteLoader,
  RouteManifest,
} from "./src/core/types/options.ts";
export type { ServeOptions } from "./src/core/server/serve.ts";
export { draining } from "./src/core/server/process.ts";
export { RouteError, type RouteFault } from "./src/core/common/faults.ts";

// Route files and middleware files.
export type {
  ErrorHandler,
  FrameworkRequest,
  Handler,
  Middleware,
  MiddlewareRequest,
  Next,
  NotFoundHandler,
} from "./src/core/types/request.ts";
export type { Method } from "./src/core/methods.ts";
export { RequestState } from "./src/core/request/record.ts";
export type { RoutePermissions } from "./src/core/types/permissions.ts";

// Schemas and contracts.
export type {
  MethodSchema,
  ResponseSchemas,
  RouteSchema,
  SecurityRequirement,
  StandardSchemaV1,
  Validated,
} from "./src/core/types/schema.ts";
export type {
  FolderContract,
  WithContracts,
} from "./src/core/types/contract.ts";
export { content, negotiate } from "./src/core/schema/content.ts";

// Responses and errors.
export { Problem } from "./src/core/schema/problem.ts";
export { respond } from "./src/core/schema/respond.ts";
export { errorResponse } from "./src/core/operation/failure.ts";
export {
  type ErrorDetails,
  type ErrorFormat,
  errorFormat,
  HttpError,
  type HttpErrorOptions,
} from "./src/core/errors.ts";

// Plugins and tools.
export type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "./src/core/types/plugin.ts";
export type { Inspection } from "./src/core/start/inspect.ts";
export type { Warning as RouteWarning } from "./src/core/start/discover.ts";
