import { startTimer } from "../common/deadline.ts";
import { log } from "../common/log.ts";
import type { OpenConnections } from "../request/connections.ts";

const controller = new AbortController();

/**
 * Aborts when `SIGINT` or `SIGTERM` stops the process under `app.serve()` or
 * `deno serve`. Check the signal in a readiness route. Use the signal to end unlimited
 * work, such as the streams of a handler.
 *
 * Under `deno serve`, Bough aborts this signal in each thread that has received a
 * request, if the application itself is the default export.
 *
 * @example A readiness route, `api/health/ready/route.ts`
 * ```ts
 * import { draining } from "@bough/framework";
 *
 * export function GET(): Response {
 *   return draining.aborted
 *     ? new Response("draining", { status: 503 })
 *     : new Response("ready");
 * }
 * ```
 */
export const draining: AbortSignal = controller.signal;

/** The times of a shutdown, in milliseconds; `Infinity` removes the limit. */
export interface DrainOptions {
  /** The time from the signal until the server stops accepting connections. */
  readonly delay: number;
  /** The time from the end of `delay` until the server cuts off running requests. */
  readonly timeout: number;
}

interface Server extends DrainOptions {
  /**
   * Stops accepting connections; resolves when all running requests, and their work,
   * have ended.
   */
  readonly shutdown: () => Promise<void>;
  readonly connections: OpenConnections;
  /** Whether the requests of the server have ended after a signal. */
  drained: boolean;
  /** Whether the server's time after a signal has run out. */
  late: boolean;
}

/**
 * The time, in milliseconds, that a drained process may continue to run if `timeout` is
 * `Infinity`.
 */
const GRACE = 10_000;

/** The servers that run, and those that drain or have drained. */
const servers = new Set<Server>();

/**
 * Shuts a server down at a signal. The first signal aborts `draining`. After its delay,
 * each server of the process stops accepting connections and waits for running
 * requests. The process ends when each server has drained or its time is up. A second
 * signal ends the process at once.
 *
 * @returns A function to call when the server has ended.
 */
export function drainOnSignals(
  shutdown: () => Promise<void>,
  options: DrainOptions & Pick<Server, "connections">,
): () => void {
  const server = { shutdown, ...options, drained: false, late: false };
  if (servers.size === 0) {
    for (const signal of signals()) Deno.addSignalListener(signal, onSignal);
  }
  servers.add(server);
  if (draining.aborted) end(server);
  return () => {
    // Whether the process may end depends on the servers that have drained, too.
    if (!draining.aborted) servers.delete(server);
    if (servers.size > 0) return;
    for (const signal of signals()) {
      Deno.removeSignalListener(signal, onSignal);
    }
  };
}

/**
 * Ends the open connections of an application at a signal under `deno serve`, which
 * stops listening but then waits for streams. Deno decides when the process ends.
 */
export function drainUnderDenoServe(connections: OpenConnections): void {
  const forever = new Promise<void>(() => {});
  drainOnSignals(() => connections.endUntil(forever), {
    delay: 0,
    timeout: Infinity,
    connections,
  });
}

/** Returns the handled signals; a constant would fail on hosts without `Deno`. */
function signals(): readonly Deno.Signal[] {
  if (isDevelopment) return [];
  return ["SIGINT", Deno.build.os === "windows" ? "SIGBREAK" : "SIGTERM"];
}

let isDevelopment = false;

/**
 * Leaves signals to Deno, for programs under its watcher. At a `SIGTERM` that a program
 * handles, only the program ends: the watcher stays, and starts it at the next change.
 */
export function leaveSignals(): void {
  isDevelopment = true;
}

/**
 * The time, in milliseconds, within which several signals count as one. At one press of
 * Ctrl+C, the terminal and `deno task` send `SIGINT`, and the watcher adds `SIGTERM`.
 * `timeout` sends `SIGTERM` both to `deno task`, which passes it on, and to its group.
 */
const PRESS = 200;
let pressed = -Infinity;

function onSignal(): void {
  const now = performance.now();
  if (now - pressed < PRESS) return;
  pressed = now;
  if (draining.aborted) Deno.exit(1);
  controller.abort(
    new DOMException("The server received a signal to stop", "AbortError"),
  );
  for (const server of servers) end(server);
}

function end(server: Server): void {
  const { delay, timeout } = server;

  function expireIn(milliseconds: number): void {
    const timer = startTimer(() => {
      server.late = true;
      exitIfOver();
    }, milliseconds);
    // The timer alone must not keep the process alive.
    if (timer !== undefined) Deno.unrefTimer(timer);
  }

  async function stop(): Promise<void> {
    expireIn(timeout);
    // If the process is already draining, the caller has not created its server yet.
    await undefined;
    await server.shutdown();
    server.drained = true;
    if (timeout === Infinity) expireIn(GRACE);
    exitIfOver();
  }

  // Without a delay, stop synchronously. Otherwise, Deno would close the sockets first
  // under `deno serve`.
  if (delay === 0) void stop();
  else startTimer(stop, delay);
}

/**
 * Ends the process if each server has drained or is late, and at least one server has
 * not drained. If all servers have drained, the process may end by itself before the
 * longest time is up. After this time, this function ends the process even if a timer
 * keeps the process alive.
 */
function exitIfOver(): void {
  const all = [...servers];
  if (!all.every(({ drained, late }) => drained || late)) return;
  // The servers of one application share its connections.
  const cut = new Map(
    all.filter(({ drained }) => !drained)
      .map((server) => [server.connections, server]),
  );
  for (const server of cut.values()) logCut(server);
  if (cut.size > 0) Deno.exit(1);
  if (all.every(({ late }) => late)) Deno.exit(0);
}

/** Logs the requests and the work that the end of the process cuts off. */
function logCut({ delay, timeout, connections }: Server): void {
  const level = "warning";
  const time = delay + timeout;
  const cut = `${time} ms after the signal to stop, the server cut off`;
  if (connections.stopping) {
    log({ level, message: `${cut} requests that were still running` });
  }
  const places = Map.groupBy(
    connections.working,
    ({ method, pattern }) => `${method} ${pattern}`,
  );
  for (const [place, ...others] of places.values()) {
    const work = `running promises of waitUntil(): ${others.length + 1}`;
    log({ level, place: place!, message: `${cut} ${work}` });
  }
}

/** The number of callers that need the process to survive errors. */
let holders = 0;

/**
 * Whether a server that Bough does not restart serves an application. When this server
 * ends, the process must end, so that its supervisor restarts the process.
 */
let hasOtherServer = false;

/**
 * Logs uncaught errors, for example of a timer, a listener or an unawaited promise.
 * Otherwise, such an error would end the process. Logs each error once, for any number
 * of callers. Ignores an error that a listener of the program handles with
 * `preventDefault()`.
 *
 * @param isOther Whether another server than that of `app.serve()` serves.
 * @returns A function to call when the caller no longer needs the process to survive.
 */
export function surviveUncaughtErrors(isOther: boolean): () => void {
  hasOtherServer ||= isOther;
  if (holders++ === 0) {
    // Other hosts, such as Node, do not have these events.
    globalThis.addEventListener?.("error", onError);
    globalThis.addEventListener?.("unhandledrejection", onRejection);
  }
  return () => {
    if (--holders > 0) return;
    globalThis.removeEventListener("error", onError);
    globalThis.removeEventListener("unhandledrejection", onRejection);
  };
}

function onError(event: ErrorEvent): void {
  if (event.defaultPrevented) return;
  event.preventDefault();
  // For an error in a worker, the event has a message, but not the error.
  const message = "an error was thrown and not caught";
  log({ level: "error", message, error: event.error ?? event.message });
}

function onRejection(event: PromiseRejectionEvent): void {
  if (event.defaultPrevented) return;
  if (hasOtherServer && isServerEnd(event.reason)) return;
  event.preventDefault();
  const message = "a promise was rejected and not handled";
  log({ level: "error", message, error: event.reason });
}

/**
 * Whether a rejection means that a server of Deno has ended by itself, for example
 * because the process has run out of file descriptors. Only Deno's server rejects with
 * this class.
 */
function isServerEnd(reason: unknown): boolean {
  try {
    return reason instanceof Deno.errors.Http;
  } catch {
    return false; // a revoked proxy, or a host without `Deno`
  }
}
