import { startTicking } from "../common/deadline.ts";
import { logError } from "../common/log.ts";
import { problem } from "../errors.ts";
import type { OpenConnections } from "../request/connections.ts";
import type { RequestHandler } from "../request/handler.ts";
import {
  drainOnSignals,
  type DrainOptions,
  surviveUncaughtErrors,
} from "./process.ts";
import { LastingServer, type ListenOptions } from "./restarting_server.ts";
import {
  addressFromEnv,
  checkServeOptions,
  listenFault,
  type ServeOptions,
} from "./serve_options.ts";

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
