/**
 * A log of requests: one line of JSON for each.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { accessLog } from "@bough/framework/log";
 *
 * const app = new Framework({
 *   apiDir: "examples/minimal/api",
 *   middleware: [accessLog()],
 * });
 * const response = await app.fetch(new Request("http://localhost/api/hello"));
 * await response.body?.cancel();
 * // {"time":"2026-11-21T09:00:00.000Z","method":"GET","path":"/api/hello", …}
 * ```
 *
 * @module
 */
import { answerError } from "../http/guarded.ts";
import type { Middleware, MiddlewareRequest } from "../http/middleware.ts";
import { logError } from "../log_error.ts";
import { printable } from "../printable.ts";

/** One line of the log. */
export interface AccessLogEntry {
  /** When the request came, in ISO 8601. */
  readonly time: string;
  /** Its method. */
  readonly method: string;
  /**
   * Its path as it came, be there control characters in it; its query is left
   * out, since it may hold secrets.
   */
  readonly path: string;
  /** The URL pattern of its route; absent where none matched. */
  readonly route?: string;
  /** The status of the answer. */
  readonly status: number;
  /** Milliseconds until the answer was made; its body may still be on its way. */
  readonly ms: number;
  /** The address of the client, or of the proxy in front. */
  readonly client?: string;
}

/** Options of {@linkcode accessLog}. */
export interface AccessLogOptions {
  /**
   * Takes each entry. If it throws or rejects, that is logged as an error, and the
   * response is sent all the same.
   *
   * @default prints it to standard output as one line of JSON
   */
  readonly write?: (entry: AccessLogEntry) => void;
}

/**
 * Makes a middleware that logs each request. As the first one of the option
 * `middleware` it sees every answer, those of errors and misses among them.
 *
 * @param options Where entries go.
 * @returns The middleware.
 *
 * @example Keep the entries
 * ```ts
 * import { type AccessLogEntry, accessLog } from "@bough/framework/log";
 *
 * const entries: AccessLogEntry[] = [];
 * const middleware = [accessLog({ write: (entry) => entries.push(entry) })];
 * ```
 */
export function accessLog(
  { write = printEntry }: AccessLogOptions = {},
): Middleware {
  return async (request, next) => {
    const time = new Date().toISOString();
    const start = performance.now();
    // Once the request has become a WebSocket, its address is gone, and an error
    // would take the place of the response that the server has to get.
    const { method, url, pattern } = request;
    const client = clientOf(request);
    const response = await next().catch((error) => answerError(error, request));
    const ms = Math.round((performance.now() - start) * 1000) / 1000;
    const entry: AccessLogEntry = {
      time,
      method,
      path: pathOf(url),
      ...(pattern !== undefined && { route: pattern }),
      status: response.status,
      ms,
      ...(client !== undefined && { client }),
    };
    try {
      const writing: unknown = write(entry);
      if (writing instanceof Promise) writing.catch(tellUnwritten);
    } catch (error) {
      tellUnwritten(error);
    }
    return response;
  };
}

/** JSON itself escapes neither C1 controls nor what separates lines or turns text. */
function printEntry(entry: AccessLogEntry): void {
  console.log(printable(JSON.stringify(entry)));
}

function tellUnwritten(error: unknown): void {
  logError("accessLog() could not write an entry:", error);
}

function pathOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#]*([^?#]*)/i.exec(url)?.[1] || "/";
}

function clientOf({ info }: MiddlewareRequest): string | undefined {
  try {
    const address = info?.remoteAddr;
    return address !== undefined && "hostname" in address
      ? address.hostname
      : undefined;
  } catch {
    // The connection is gone.
    return undefined;
  }
}
