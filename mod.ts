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
  RouteLoader,
  RouteManifest,
} from "./src/options/options.ts";
export type {
  PermissionDeclaration,
  RoutePermissions,
} from "./src/exports/permissions.ts";
export { draining } from "./src/server/process.ts";
export type { ServeOptions } from "./src/server/serve.ts";
export type {
  ErrorHandler,
  FrameworkRequest,
  Handler,
  Middleware,
  MiddlewareRequest,
  Next,
  NotFoundHandler,
} from "./src/types/request.ts";
export { RequestState } from "./src/request/record.ts";
export { errorResponse } from "./src/request/failure.ts";
export type { ParamNames, PathParams, PathWildcard } from "./src/types/path.ts";
export { respond } from "./src/schema/respond.ts";
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
} from "./src/types/respond.ts";
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
} from "./src/types/route_map.ts";
export type {
  RouteRequest,
  TellsPath,
  ToldPaths,
  UnderContracts,
} from "./src/types/route_request.ts";
export { content } from "./src/schema/responses.ts";
export type {
  FolderContract,
  MergedPart,
  NamesOf,
  PlacedContract,
  Unchecked,
  Under,
} from "./src/types/contract.ts";
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
} from "./src/types/schema.ts";
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
} from "./src/types/responses.ts";
export { HttpError, type HttpErrorOptions } from "./src/errors.ts";
export { RouteError, type RouteFault } from "./src/faults.ts";
export type {
  Plugin,
  PluginContext,
  PluginRoute,
  RouteInfo,
} from "./src/options/plugin.ts";
export type { Inspection, RoutePlace } from "./src/start/inspect.ts";
export type { Warning as RouteWarning } from "./src/start/discover.ts";
export type { Method } from "./src/methods.ts";
export type { UrlSegment } from "./src/routing/pattern.ts";
