import { dropStack, log, printable, programFault } from "../common/log.ts";
import {
  BOOLEAN,
  type Form,
  FUNCTION,
  matching,
  oneOf,
  optionError,
  type OptionForm,
  STRING,
} from "../common/forms.ts";
import { problem } from "../errors.ts";
import { isGranted } from "../start/permissions.ts";
import { OWN_ERRORS } from "../own_errors.ts";
import type { ResolvedOptions } from "../start/options.ts";
import type { RequestHandler } from "../request/application.ts";
import type { Handlers } from "../operation/handler.ts";
import {
  drainOnSignals,
  type DrainOptions,
  surviveUncaughtErrors,
} from "./process.ts";
import { type ListenOptions, RestartingServer } from "./restarting_server.ts";

/** The checked options of `app.serve()`, with their defaults. */
export interface ResolvedServeOptions {
  /** The options for `Deno.serve`. */
  readonly listen: ListenOptions;
  readonly drain: DrainOptions;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown, or its value is invalid.
 */
export function resolveServeOptions(
  options: ServeOptions,
): ResolvedServeOptions {
  checkServeOptions(options);
  const {
    shutdownTimeout = OPTIONS.shutdownTimeout.default,
    shutdownDelay = OPTIONS.shutdownDelay.default,
    onError = respondToUnsent,
    env = OPTIONS.env.default,
    ...listen
  } = options;
  return {
    listen: { ...listen, ...(env && addressFromEnv()), onError },
    drain: { timeout: shutdownTimeout, delay: shutdownDelay },
  };
}

/** Serves requests until the program shuts the server down or a signal arrives. */
export function serve(
  { handle, reject }: Handlers,
  { listen, drain }: ResolvedServeOptions,
  { exitOnUncaughtError, connections }: ResolvedOptions,
): Deno.HttpServer<Deno.NetAddr> {
  // Call this before the server listens, since a signal may arrive as soon as the port
  // is open.
  const stopDraining = drainOnSignals(() => server.shutdown(), {
    ...drain,
    connections,
  });
  const stopSurviving = exitOnUncaughtError
    ? undefined
    : surviveUncaughtErrors(false);
  function stop(): void {
    stopDraining();
    stopSurviving?.();
  }
  const handler: RequestHandler = (request, info) =>
    (connections.rejects ? reject : handle)(request, info);
  let server: RestartingServer;
  try {
    server = new RestartingServer(listen, handler, connections);
  } catch (error) {
    stop();
    throw listenFault(error, listen);
  }
  server.finished.then(stop, stop);
  return server;
}

/** Creates the response that replaces a response that `Deno.serve` could not send. */
function respondToUnsent(error: unknown): Response {
  log({ level: "error", message: "a response could not be sent", error });
  return problem(OWN_ERRORS.ServerError);
}

/**
 * Options of `app.serve()`: the options of `Deno.serve`, the times of a shutdown, and
 * `env`.
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
  /** The private key, in PEM format, to serve HTTPS; requires `cert`. */
  key?: string;
  /** The certificate chain, in PEM format, to serve HTTPS; requires `key`. */
  cert?: string;
  /** A signal that stops the server without draining. */
  signal?: AbortSignal;
  /**
   * Whether the environment variables `PORT` and `HOST`, if set, replace `port` and
   * `hostname`. The program needs `--allow-env=PORT,HOST`.
   *
   * Bough ignores a variable that the program may not read, and prints a warning; Deno
   * does not prompt. The option is off by default, since some shells and tools use `HOST`
   * for other purposes.
   *
   * @default {false}
   */
  env?: boolean;
  /**
   * The time, in milliseconds, that running requests have to finish after `SIGINT` or
   * `SIGTERM`.
   *
   * `Infinity` removes the limit. The process ends when each of its servers has drained
   * or used up its time.
   *
   * @default {10_000}
   */
  shutdownTimeout?: number;
  /**
   * The time, in milliseconds, that the server continues to accept connections after
   * `SIGINT` or `SIGTERM`; {@linkcode draining} aborts at once.
   *
   * Meanwhile, a load balancer that calls a readiness route sends new requests to other
   * servers.
   *
   * @default {0}
   */
  shutdownDelay?: number;
}

const PEM: Form = {
  ...matching(
    /-----BEGIN/,
    'must be a string in PEM format, as in await Deno.readTextFile("server.pem")',
  ),
  hidesValue: true,
};

const MILLISECONDS: Form = {
  accepts: (value) => typeof value === "number" && value >= 0,
  expected: "must be a number of milliseconds",
};

/** Declares each option; the options of Bough have a rule, those of Deno have none. */
export const OPTIONS = {
  port: {
    accepts: isPort,
    expected: "must be a whole number from 0 to 65535",
  },
  hostname: STRING,
  env: { ...BOOLEAN, default: false, rule: "9.5" },
  transport: oneOf("tcp"),
  cert: PEM,
  key: PEM,
  reusePort: BOOLEAN,
  tcpBacklog: {
    accepts: Number.isInteger,
    expected: "must be a whole number",
  },
  automaticCompression: BOOLEAN,
  signal: {
    accepts: (value) => value instanceof AbortSignal,
    expected: "must be an AbortSignal",
  },
  onListen: FUNCTION,
  onError: FUNCTION,
  shutdownTimeout: { ...MILLISECONDS, default: 10_000, rule: "9.5" },
  shutdownDelay: { ...MILLISECONDS, default: 0, rule: "9.5" },
} satisfies {
  readonly [Name in keyof ServeOptions]-?:
    | Form
    | OptionForm<ServeOptions[Name]>;
};

function checkServeOptions(options: ServeOptions): void {
  const error = optionError("serve", options, OPTIONS);
  if (error !== undefined) throw programFault(error);
  const { cert, key } = options;
  if ((cert === undefined) === (key === undefined)) return;
  const missing = cert === undefined ? "cert" : "key";
  throw serveFault(`HTTPS needs cert and key; ${missing} is missing`);
}

/** Whether a value is a port number; 0 selects a free port. */
function isPort(value: unknown): boolean {
  return Number.isInteger(value) && value as number >= 0 &&
    value as number <= 65_535;
}

function serveFault(reason: string): TypeError {
  return programFault(new TypeError(`Cannot serve: ${reason}`));
}

/** The flag that permits to read the variables of `env: true`. */
const ENV_FLAG = "--allow-env=PORT,HOST";

/**
 * Reads an address from the variables `PORT` and `HOST`. Ignores a variable that is
 * unset, empty or denied, and warns of those denied; Deno never prompts.
 *
 * @throws {TypeError} If `PORT` is not a port number.
 */
function addressFromEnv(): Pick<ServeOptions, "port" | "hostname"> {
  const denied = ["PORT", "HOST"].filter((name) => !isReadable(name));
  if (denied.length > 0) {
    const message = `serve({ env: true }) ignores ${
      denied.join(" and ")
    }, which the program may not read; run deno with ${ENV_FLAG}, or make a permission set with bough permissions`;
    log({ level: "notice", message });
  }
  const [port, hostname] = ["PORT", "HOST"].map((name) =>
    denied.includes(name) ? undefined : Deno.env.get(name) || undefined
  );
  if (port !== undefined && !(/^\d+$/.test(port) && isPort(Number(port)))) {
    const expected = "a whole number from 0 to 65535";
    const found = printable(port);
    throw serveFault(`the variable PORT must be ${expected}, got "${found}"`);
  }
  return {
    ...(port !== undefined && { port: Number(port) }),
    ...(hostname !== undefined && { hostname }),
  };
}

function isReadable(variable: string): boolean {
  return isGranted({ kind: "env", value: variable });
}

/**
 * Explains why Deno rejects an address or a certificate, and suggests a remedy. Deno's
 * own message names neither the port nor a remedy.
 *
 * @returns An error with the given error as its cause, or the given error itself if it
 * is unrelated.
 */
export function listenFault(
  error: unknown,
  { port = 8000, hostname = "0.0.0.0", cert }: ListenOptions,
): unknown {
  const at = authorityOf(hostname, port);
  for (const [type, reason] of reasons(port, hostname, at)) {
    if (!(error instanceof type)) continue;
    const message = `Cannot serve on ${printable(at)}: ${printable(reason)}`;
    return programFault(new type(message, { cause: dropStack(error) }));
  }
  // An error of the operating system has a code, such as `EMFILE`.
  const isSystem = !(error instanceof Error) || "code" in error;
  if (cert === undefined || isSystem) return error;
  const message =
    `Cannot serve: Deno rejects cert and key: ${error.message}; pass a certificate chain and its own private key, without a passphrase`;
  return programFault(new TypeError(message, { cause: dropStack(error) }));
}

/** The origin of a server: `https://[::1]:8000`. */
export function originOf(
  { hostname, port }: Deno.NetAddr,
  { cert }: ListenOptions,
): string {
  const scheme = cert === undefined ? "http" : "https";
  return `${scheme}://${authorityOf(hostname, port)}`;
}

function authorityOf(hostname: string, port: number): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

type ErrorType = new (message: string, options: ErrorOptions) => Error;

function reasons(
  port: number,
  hostname: string,
  at: string,
): readonly (readonly [ErrorType, string])[] {
  const permission = isReadable("PORT") ? "" : `, add ${ENV_FLAG}`;
  const other =
    `choose another port, as in serve({ port: 8001 }), or set the variable PORT${permission} and use serve({ env: true })`;
  const { AddrInUse, AddrNotAvailable, NotCapable, PermissionDenied } =
    Deno.errors;
  return [
    [
      AddrInUse,
      `port ${port} is in use; end the program that uses it, or ${other}`,
    ],
    [
      AddrNotAvailable,
      `this machine has no address "${hostname}"; omit hostname to listen on all addresses`,
    ],
    [
      URIError,
      `"${hostname}" is not a hostname; omit hostname to listen on all addresses`,
    ],
    [
      NotCapable,
      `listening there is not permitted; run deno with --allow-net=${at}`,
    ],
    [
      PermissionDenied,
      `this user may not listen on port ${port}; ${other}`,
    ],
  ];
}
