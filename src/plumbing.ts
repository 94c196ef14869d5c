/**
 * Types that files from `bough types` import, and types that appear only in the
 * declarations of other entry points. Do not import them yourself: use `Routes` and
 * `RequestOf` of the generated file. Run `bough types` again after an update.
 *
 * @example The request of a handler, in a generated file
 * ```ts
 * import type { RouteRequest } from "@bough/framework/types";
 *
 * interface Routes {
 *   "users/[id]/route.ts": { GET: unknown };
 * }
 *
 * function GET(request: RouteRequest<Routes, "/users/[id]", "GET">): Response {
 *   return Response.json({ id: request.params.id });
 * }
 * ```
 *
 * @module
 */
export type {
  ContractsAlong,
  ContractsIn,
  ContractsOfAll,
  ContractsOfDefault,
  Covering,
  ErrorsAlong,
  ErrorsIn,
  FilesByPath,
  FolderContracts,
  Loaded,
  MemberOf,
  MiddlewareByFolder,
  MiddlewareFolder,
  OwnContracts,
  PathOfFile,
  PathOfFolders,
  RouteContracts,
  RouteErrors,
  RouteExtension,
  RouteMethod,
  RouteModule,
  RoutePath,
  SchemaOfMethod,
  WithoutGroups,
} from "./core/types/route_map.ts";
export type {
  CheckPath,
  NamedPaths,
  RouteHandlers,
  RouteRequest,
  UnderContracts,
} from "./core/types/route_request.ts";
export type { ContractedMiddleware } from "./core/types/request.ts";
export type {
  ParamNames,
  PathParams,
  PathWildcard,
} from "./core/types/path.ts";
export type {
  LocatedContract,
  MergedPart,
  NamesOf,
  Unchecked,
} from "./core/types/contract.ts";
export type {
  AccessRule,
  AnyContent,
  Content,
  ContentList,
  Deprecation,
  EventSchemas,
  NamedContents,
  PartSchema,
  RequestContent,
  RequestContents,
  ResponseBody,
  ResponseDescription,
  SchemaPart,
  SocketSchemas,
  StandardSchemaIssue,
  StandardSchemaResult,
  ToolDescription,
  ValidatedContent,
  ValidatedParts,
} from "./core/types/schema.ts";
export type {
  DeclaredBody,
  DeclaredResponses,
  DefaultType,
  HeadersFault,
  JsonMediaType,
  JsonOf,
  MissingHeaders,
  MissingValue,
  NegotiableStatus,
  OtherHeaders,
  RequiredNames,
  RespondFault,
  RespondHeaders,
  RespondInit,
  RespondSchema,
  RespondValue,
  ResponseStatus,
  ResponseType,
  SchemaInput,
  SchemaOutput,
  Sendable,
  SendableBody,
  SendableOfAll,
  StandardTypes,
  TakesNoValue,
  TextInJson,
  TypeOfContent,
} from "./core/types/responses.ts";
export type {
  CommonOptions,
  FolderOptions,
  ManifestOptions,
} from "./core/types/options.ts";
export type { PermissionDeclaration } from "./core/types/permissions.ts";
export type { RoutePlace } from "./core/start/inspect.ts";
export type { UrlSegment } from "./core/routing/pattern.ts";
export type { ValidationIssue } from "./core/errors.ts";
