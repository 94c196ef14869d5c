import { drainOnSignals, type DrainOptions } from "./drain.ts";
import { logError } from "../common/log_error.ts";
import { startTicking } from "../http/body/deadline.ts";
import type { RequestHandler } from "../http/handler.ts";
import type { OpenConnections } from "../http/open_connections.ts";
import { problem } from "../http/problem.ts";
import { addressFromEnv, listenFault } from "./address.ts";
import { LastingServer, type ListenOptions } from "./lasting_server.ts";
import { checkServeOptions, type ServeOptions } from "./serve_options.ts";
import { surviveUncaughtErrors } from "./uncaught.ts";

/** What `serve` needs of the application. */
export interface ServeContext {
  /** See {@linkcode CommonOptions.exitOnUncaughtError}. */
  readonly exitOnUncaughtError: boolean;
  /** What the application holds open. */
  readonly connections: OpenConnections;
}

/** The options of `app.serve()`, checked and with their defaults. */
export interface ResolvedServeOptions {
  /** The options for `Deno.serve`. */
  readonly listen: ListenOptions;
  /** How to shut down. */
  readonly drain: DrainOptions;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown, or its value invalid.
 */
export function resolveServeOptions(
  options: ServeOptions,
): ResolvedServeOptions {
  checkServeOptions(options);
  const {
    shutdownTimeout = 10_000,
    shutdownDelay = 0,
    onError = respondToUnsent,
    env = false,
    ...listen
  } = options;
  return {
    listen: { ...listen, ...(env && addressFromEnv()), onError },
    drain: { timeout: shutdownTimeout, delay: shutdownDelay },
  };
}

/** Serves until the server is shut down, or a signal stops it. */
export function serve(
  handler: RequestHandler,
  { listen, drain }: ResolvedServeOptions,
  { exitOnUncaughtError, connections }: ServeContext,
): Deno.HttpServer<Deno.NetAddr> {
  // Before the server listens, since a signal may come as soon as the port is known.
  const stopDraining = drainOnSignals(() => server.shutdown(), drain);
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
    server = new LastingServer(listen, handler, connections);
  } catch (error) {
    stop();
    throw listenFault(error, listen);
  }
  server.finished.then(stop, stop);
  return server;
}

/** Responds in place of a response that `Deno.serve` could not send. */
function respondToUnsent(error: unknown): Response {
  logError("a response could not be sent:", error);
  return problem(500);
}
