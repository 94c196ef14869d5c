/**
 * A client of an application, typed by its route files: nothing is generated but
 * their list, and no code of the server comes along.
 *
 * @example Usage
 * ```ts ignore
 * import { createClient } from "@bough/framework/client";
 * import type { Routes } from "./api.types.ts"; // bough types api -o api.types.ts
 *
 * const api = createClient<Routes>({ baseUrl: "https://shop.example/api" });
 * const result = await api.GET("/books/[bookId]", { params: { bookId: "7" } });
 * if (result.status === 200) console.log(result.data.title);
 * ```
 *
 * @module
 */
export type {
  CallArguments,
  Client,
  IsUnion,
  LiveCalls,
  MethodCalls,
  PathHandling,
  PathsByHandler,
} from "./client.ts";
export { type ClientOptions, createClient } from "./create_client.ts";
export type {
  BelowContract,
  CallSchema,
  CoveredSchema,
  InputOf,
  OwnSchema,
} from "./call_types.ts";
export type {
  AsPrimitive,
  AsPrimitives,
  BodyOption,
  CallOptions,
  HeadersOption,
  Optional,
  OtherHeaders,
  ParamsOption,
  PathInput,
  Primitive,
  QueryOption,
  SignalOption,
} from "./call_types.ts";
export {
  type DefaultEventsMethod,
  type EventOfCall,
  type EventsArguments,
  EventsError,
  type EventsIterator,
  type EventsMethod,
  type EventsMethodOf,
  type EventsOf,
  type EventsOptions,
  type EventsPaths,
  type MethodOption,
  type ReceivedEvent,
  type StreamOptions,
} from "./events_types.ts";
export type { SocketClass } from "./socket.ts";
export type {
  ClientReceived,
  ClientSent,
  ClientSocket,
  ClientSocketOf,
  RawOption,
  SocketCallOptions,
  SocketClosing,
  SocketOf,
  SocketOptionsOf,
  SocketPaths,
} from "./socket_types.ts";
export type {
  AnyResult,
  CallResult,
  DeclaredResult,
  HeadResult,
  ResponseData,
  ResultByStatus,
  UndeclaredResult,
} from "./result_types.ts";
export type {
  ClientErrorStatus,
  KnownStatus,
  RedirectionStatus,
  ServerErrorStatus,
  SuccessStatus,
} from "./result_types.ts";
export type { ProblemDocument } from "../openapi/document/problem_schema.ts";
