/**
 * A log of requests: one line of JSON for each request.
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
import { errorResponse } from "../core/operation/failure.ts";
import { log, printable } from "../core/common/log.ts";
import { checkOptions, FUNCTION } from "../core/common/forms.ts";
import { NO_CONNECTION, recordOf } from "../core/request/record.ts";
import type { Middleware, MiddlewareRequest } from "../core/types/request.ts";
import { rawPathOf } from "../core/routing/pathname.ts";

/** One line of the log. */
export interface AccessLogEntry {
  /** The time when the request arrived, in ISO 8601. */
  readonly time: string;
  /** The method. */
  readonly method: string;
  /**
   * The path as the client sent it, including control characters. The path excludes the
   * query, since a query may contain secrets.
   */
  readonly path: string;
  /** The path that the option `rewrite` returned; absent if it returned none. */
  readonly rewritten?: string;
  /** The URL pattern of the matching route, if any. */
  readonly route?: string;
  /** The status of the response. */
  readonly status: number;
  /**
   * The time until the handler and the middleware returned the response, in
   * milliseconds. This time excludes sending the body, such as an event stream.
   */
  readonly ms: number;
  /**
   * The address of the client, or of the proxy in front of the server. Absent if
   * `app.fetch()` received the request without a server.
   */
  readonly client?: string;
  /** Present if the operation is deprecated, so that you can count who still calls it. */
  readonly deprecated?: true;
}

/** Options of {@linkcode accessLog}. */
export interface AccessLogOptions {
  /**
   * Receives each entry with its request, whose `RequestState` values you may add, such
   * as the user. If the function throws or rejects, Bough logs the error, and still
   * sends the response.
   *
   * @default prints the entry to standard output as one line of JSON
   */
  readonly write?: (entry: AccessLogEntry, request: MiddlewareRequest) => void;
}

/**
 * Creates a middleware that logs each request. Pass this middleware first in the option
 * `middleware`, so that it logs every response, including responses to errors and
 * unmatched paths.
 *
 * @param options The function that receives entries.
 * @returns The middleware.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example Keep the entries
 * ```ts
 * import { type AccessLogEntry, accessLog } from "@bough/framework/log";
 *
 * const entries: AccessLogEntry[] = [];
 * const middleware = [accessLog({ write: (entry) => entries.push(entry) })];
 * ```
 */
export function accessLog(options: AccessLogOptions = {}): Middleware {
  checkOptions("create the access log", options, { write: FUNCTION });
  const { write = printEntry } = options;
  return async (request, next) => {
    const time = new Date().toISOString();
    const start = performance.now();
    // Read the address before `next()`, since reading the address after the upgrade to
    // a WebSocket throws. The error would replace the upgrade response.
    const { method, url, pattern } = request;
    const client = clientOf(request);
    const rewritten = recordOf(request)?.rewrittenPath;
    const response = await next().catch((error) =>
      errorResponse(error, request)
    );
    const ms = Math.round((performance.now() - start) * 1000) / 1000;
    const entry: AccessLogEntry = {
      time,
      method,
      path: rawPathOf(url),
      ...(rewritten !== undefined && { rewritten }),
      ...(pattern !== undefined && { route: pattern }),
      status: response.status,
      ms,
      ...(client !== undefined && { client }),
      ...(recordOf(request)?.operation?.deprecation && { deprecated: true }),
    };
    try {
      const writing: unknown = write(entry, request);
      if (writing instanceof Promise) writing.catch(logUnwritten);
    } catch (error) {
      logUnwritten(error);
    }
    return response;
  };
}

/** Prints an entry; escapes C1 controls and direction marks, which JSON does not. */
function printEntry(entry: AccessLogEntry): void {
  console.log(printable(JSON.stringify(entry)));
}

function logUnwritten(error: unknown): void {
  log({
    level: "error",
    message: "accessLog() could not write an entry",
    error,
  });
}

function clientOf({ info }: MiddlewareRequest): string | undefined {
  try {
    const { remoteAddr } = info;
    return info !== NO_CONNECTION && "hostname" in remoteAddr
      ? remoteAddr.hostname
      : undefined;
  } catch {
    // The client has disconnected.
    return undefined;
  }
}
