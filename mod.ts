/**
 * Bough serves a folder of route files as an HTTP API.
 *
 * The folders are the URL: the exported `GET` of `api/users/[id]/route.ts` responds
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
export { Framework } from "./src/framework.ts";
export type {
  CommonOptions,
  FolderOptions,
  FrameworkOptions,
  ManifestOptions,
} from "./src/app/options.ts";
export type { RouteManifest } from "./src/routes/manifest.ts";
export type {
  PermissionDeclaration,
  RoutePermissions,
} from "./src/routes/permissions_export.ts";
export type { RouteLoader } from "./src/routes/source.ts";
export { draining } from "./src/server/drain.ts";
export type { ServeOptions } from "./src/server/serve_options.ts";
export type {
  FrameworkRequest,
  Handler,
  MiddlewareRequest,
} from "./src/http/request.ts";
export type { Middleware, Next } from "./src/http/middleware.ts";
export { RequestState } from "./src/http/request_state.ts";
export { answerError, errorResponse } from "./src/http/error_response.ts";
export type { ErrorHandler } from "./src/http/failure.ts";
export type { NotFoundHandler } from "./src/http/handler.ts";
export type {
  ParamNames,
  PathParams,
  PathWildcard,
} from "./src/http/path_types.ts";
export { respond } from "./src/http/respond.ts";
export type {
  HeadersFault,
  MissingHeaders,
  MissingValue,
  OtherHeaders,
  RequiredNames,
  RespondFault,
  RespondHeaders,
  RespondInit,
  RespondSchema,
  RespondValue,
  SendableBody,
  TakesNoValue,
} from "./src/http/respond_types.ts";
export type {
  ContractIn,
  ContractsAlong,
  FilesByPath,
  Loaded,
  MemberOf,
  MiddlewareByFolder,
  MiddlewareFolder,
  PathOfFile,
  PathOfFolders,
  RouteContracts,
  RouteExtension,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
  WithoutGroups,
} from "./src/http/route_map_types.ts";
export type {
  RouteRequest,
  TellsPath,
  ToldPaths,
  UnderContracts,
} from "./src/http/route_request_types.ts";
export { content } from "./src/http/validation/content.ts";
export type {
  FolderContract,
  MergedPart,
  NamesOf,
  PlacedContract,
  Unchecked,
  Under,
} from "./src/http/validation/contract.ts";
export {
  type EffectiveSchema,
  effectiveSchema,
  type Placed,
  type PlacedSchema,
} from "./src/http/validation/effective_schema.ts";
export type {
  Content,
  EventSchemas,
  MethodSchema,
  ResponseBody,
  ResponseDescription,
  ResponseSchemas,
  RouteSchema,
  SchemaPart,
  SecurityRequirement,
  SocketSchemas,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
  Validated,
} from "./src/http/validation/schema.ts";
export type {
  DeclaredBody,
  DeclaredResponses,
  JsonMediaType,
  JsonOf,
  ResponseStatus,
  SchemaInput,
  SchemaOutput,
  Sendable,
  StandardTypes,
  TextInJson,
} from "./src/http/validation/response_types.ts";
export { HttpError, type HttpErrorOptions } from "./src/http/http_error.ts";
export { RouteError, type RouteFault } from "./src/routes/route_error.ts";
export type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "./src/app/plugin.ts";
export type { Inspection, RoutePlace } from "./src/app/inspect.ts";
export type { Warning as RouteWarning } from "./src/routes/route_file.ts";
export type { Method } from "./src/method.ts";
export type { UrlSegment } from "./src/routing/segment.ts";
