/**
 * A client of an application, typed by its route files. Bough generates only the list
 * of the route files, and the client contains no code of the server.
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
export type * from "./client.ts";
export { type ClientOptions, createClient } from "./create_client.ts";
export type * from "./call_types.ts";
export type * from "./result_types.ts";
export * from "./live_types.ts";
export { fetchWithProgress, type UploadProgress } from "./progress.ts";
export type { SocketClass } from "./socket.ts";
export type { ProblemDocument } from "../core/schema/problem.ts";
