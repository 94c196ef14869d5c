import { drainOnSignals } from "./drain.ts";
import { logError } from "../common/log_error.ts";
import { startTicking } from "../http/body/deadline.ts";
import type { RequestHandler } from "../http/handler.ts";
import { problem } from "../http/problem.ts";
import { LastingServer } from "./lasting_server.ts";
import { surviveUncaughtErrors } from "./uncaught.ts";

/**
 * Options of `app.serve()`: those of `Deno.serve`, and how to shut down.
 *
 * @example Usage
 * ```ts
 * import { Framework, type ServeOptions } from "@bough/framework";
 *
 * const options: ServeOptions = { port: 0, shutdownTimeout: 5_000 };
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const server = await app.serve(options);
 * await server.shutdown();
 * ```
 */
export interface ServeOptions extends Deno.ServeTcpOptions {
  /** The private key, in PEM format, to serve HTTPS; goes with `cert`. */
  key?: string;
  /** The certificate chain, in PEM format, to serve HTTPS; goes with `key`. */
  cert?: string;
  /** Stops the server, without draining, when it aborts. */
  signal?: AbortSignal;
  /**
   * How long, in milliseconds, running requests may take to finish after
   * `SIGINT` or `SIGTERM`; `Infinity` waits for ever. Then the process ends, as
   * soon as its other servers have drained or used up their time, too.
   *
   * @default {10_000}
   */
  shutdownTimeout?: number;
  /**
   * How long, in milliseconds, the server goes on as before after such a signal;
   * only {@linkcode draining} aborts at once. Meanwhile, a load balancer that calls a
   * readiness route starts to send requests elsewhere, before any connection is
   * refused.
   *
   * @default {0}
   */
  shutdownDelay?: number;
}

/** What `serve` needs of the application. */
export interface ServeContext {
  /** See {@linkcode CommonOptions.exitOnUncaughtError}. */
  readonly exitOnUncaughtError: boolean;
}

/** Serves until the server is shut down, or a signal stops it. */
export function serve(
  handler: RequestHandler,
  options: ServeOptions,
  { exitOnUncaughtError }: ServeContext,
): Deno.HttpServer<Deno.NetAddr> {
  const {
    shutdownTimeout = 10_000,
    shutdownDelay = 0,
    onError = respondToUnsent,
    ...rest
  } = options;
  assertMilliseconds("shutdownTimeout", shutdownTimeout);
  assertMilliseconds("shutdownDelay", shutdownDelay);
  assertNotMoved(rest);
  // Before the server listens, since a signal may come as soon as the port is known.
  const stopDraining = drainOnSignals(() => server.shutdown(), {
    delay: shutdownDelay,
    timeout: shutdownTimeout,
  });
  const stopSurviving = exitOnUncaughtError
    ? () => {}
    : surviveUncaughtErrors();
  const stopTicking = startTicking();
  function stop(): void {
    stopDraining();
    stopSurviving();
    stopTicking();
  }
  let server: LastingServer;
  try {
    server = new LastingServer({ ...rest, onError }, handler);
  } catch (error) {
    stop();
    throw error;
  }
  server.finished.then(stop, stop);
  return server;
}

function assertMilliseconds(option: string, value: number): void {
  if (value >= 0) return;
  throw new TypeError(
    `Cannot serve: ${option} must be a number of milliseconds, got ${value}`,
  );
}

/** Refuses an option of the constructor: under `deno serve`, `serve()` never runs. */
function assertNotMoved(options: object): void {
  for (const name of ["exitOnUnhandledRejection", "exitOnUncaughtError"]) {
    if (!Object.hasOwn(options, name)) continue;
    throw new TypeError(
      `Cannot serve: "${name}" is no option of serve(); pass exitOnUncaughtError to new Framework()`,
    );
  }
}

/** Responds in place of a response that `Deno.serve` could not send. */
function respondToUnsent(error: unknown): Response {
  logError("a response could not be sent:", error);
  return problem(500);
}
