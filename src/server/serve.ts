import { drainOnSignals } from "./drain.ts";
import { startTicking } from "../http/body/deadline.ts";
import type { RequestHandler } from "../http/handler.ts";
import { problem } from "../http/problem.ts";

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
   * `SIGINT` or `SIGTERM`. Then the process ends, and with it what is left.
   *
   * @default {10_000}
   */
  shutdownTimeout?: number;
  /**
   * How long, in milliseconds, the server goes on as before after such a signal,
   * with only {@linkcode draining} aborted. A load balancer that asks a readiness
   * route meanwhile sends requests elsewhere, before connections are refused.
   *
   * @default {0}
   */
  shutdownDelay?: number;
  /**
   * Ends the process when a promise rejects that nobody handles, as Deno does
   * by itself. By default that is logged, and the server goes on: a handler
   * that forgets an `await` takes down one task, not all requests.
   *
   * @default {false}
   */
  exitOnUnhandledRejection?: boolean;
}

/** Serves with `Deno.serve` until the server is shut down or a signal ends it. */
export function serve(
  handler: RequestHandler,
  options: ServeOptions = {},
): Deno.HttpServer<Deno.NetAddr> {
  const {
    shutdownTimeout = 10_000,
    shutdownDelay = 0,
    exitOnUnhandledRejection = false,
    onError = answerBrokenStream,
    ...rest
  } = options;
  assertMilliseconds("shutdownTimeout", shutdownTimeout);
  assertMilliseconds("shutdownDelay", shutdownDelay);
  // Listened for first: a signal may come as soon as the port is announced.
  const stopDraining = drainOnSignals(() => server.shutdown(), {
    delay: shutdownDelay,
    timeout: shutdownTimeout,
  });
  const stopLogging = exitOnUnhandledRejection ? () => {} : logRejections();
  const stopTicking = startTicking();
  function stop(): void {
    stopDraining();
    stopLogging();
    stopTicking();
  }
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({ ...rest, onError }, handler);
  } catch (error) {
    stop();
    throw error;
  }
  server.finished.finally(stop);
  return server;
}

function assertMilliseconds(option: string, value: number): void {
  if (value >= 0) return;
  throw new TypeError(
    `Cannot serve: ${option} must be a number of milliseconds, got ${value}`,
  );
}

/**
 * Answers what `Deno.serve` finds only when it sends a response: a body stream
 * that the handler locked, say with `getReader()`.
 */
function answerBrokenStream(error: unknown): Response {
  console.error("[bough] a response could not be sent:", error);
  return problem(500);
}

function logRejections(): () => void {
  function onRejection(event: PromiseRejectionEvent): void {
    event.preventDefault();
    console.error(
      "[bough] a promise was rejected and not handled:",
      event.reason,
    );
  }
  globalThis.addEventListener("unhandledrejection", onRejection);
  return () =>
    globalThis.removeEventListener("unhandledrejection", onRejection);
}
