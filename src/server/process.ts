import { startTimer } from "../common/deadline.ts";
import { logError, logWarning } from "../common/log.ts";
import type { OpenConnections } from "../record/connections.ts";

const controller = new AbortController();

/**
 * Aborts when `SIGINT` or `SIGTERM` stops the process under `app.serve()` or
 * `deno serve`. Check it in a readiness route, and end what would otherwise run for
 * ever, such as streams of your own.
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

/** How long a shutdown may take, in milliseconds; `Infinity` is for ever. */
export interface DrainOptions {
  /** The time from the signal until the server accepts no more connections. */
  readonly delay: number;
  /** The time from then on until running requests are cut off. */
  readonly timeout: number;
}

interface Server extends DrainOptions {
  /** Accepts no more connections; resolves when all running requests have ended. */
  readonly shutdown: () => Promise<void>;
}

/** The state of a server since the signal. */
interface Ending {
  /** How long its shutdown may take from the signal on, in milliseconds. */
  readonly time: number;
  /** Whether its requests have ended. */
  drained: boolean;
  /** Whether its time is over. */
  late: boolean;
}

/** How long a process may go on after it has drained, if `timeout` is `Infinity`. */
const GRACE = 10_000;

const servers = new Set<Server>();
const endings: Ending[] = [];

/**
 * Shuts a server down at a signal. At the first signal, `draining` aborts; after
 * their delay, all servers of the process stop accepting connections, and their
 * running requests finish. When each server has drained or its time is over, the
 * process ends. At a second signal, it ends at once.
 *
 * @returns A function to call when the server has ended.
 */
export function drainOnSignals(
  shutdown: () => Promise<void>,
  options: DrainOptions,
): () => void {
  const server = { shutdown, ...options };
  if (servers.size === 0) {
    for (const [signal, listener] of listeners()) {
      Deno.addSignalListener(signal, listener);
    }
  }
  servers.add(server);
  if (draining.aborted) end(server);
  return () => {
    servers.delete(server);
    if (servers.size > 0) return;
    for (const [signal, listener] of listeners()) {
      Deno.removeSignalListener(signal, listener);
    }
  };
}

/**
 * Under `deno serve`, which stops listening at a signal and then waits for streams,
 * ends what an application holds open. To be called within `fetch`.
 *
 * Programs that pass `app.fetch` to `Deno.serve` are left alone: where nobody listens
 * for a signal, it ends the process. Only the stack tells one from the other.
 */
export function drainUnderDenoServe(connections: OpenConnections): void {
  if (!/\bhandler \(ext:deno_http\//.test(String(new Error().stack))) return;
  // Deno decides when the process ends.
  const forever = new Promise<void>(() => {});
  drainOnSignals(() => connections.endUntil(forever), {
    delay: 0,
    timeout: Infinity,
  });
}

/** A function, since hosts without `Deno` import this module, too. */
function listeners(): readonly [Deno.Signal, () => void][] {
  const other = Deno.build.os === "windows" ? "SIGBREAK" : "SIGTERM";
  return [["SIGINT", onInterrupt], [other, onSignal]];
}

/** How long a press of Ctrl+C may go on to send signals, in milliseconds. */
const PRESS = 200;
let pressed = -Infinity;

/** One press is two signals under `deno task`: its own, and that of the terminal. */
function onInterrupt(): void {
  const now = performance.now();
  if (now - pressed < PRESS) return;
  pressed = now;
  onSignal();
}

function onSignal(): void {
  if (draining.aborted) Deno.exit(1);
  controller.abort(
    new DOMException("The server was told to stop", "AbortError"),
  );
  for (const server of servers) end(server);
}

function end({ shutdown, delay, timeout }: Server): void {
  const ending = { time: delay + timeout, drained: false, late: false };
  endings.push(ending);

  function expireIn(milliseconds: number): void {
    const timer = startTimer(() => {
      ending.late = true;
      exitIfOver();
    }, milliseconds);
    // The timer alone must not keep the process alive.
    if (timer !== undefined) Deno.unrefTimer(timer);
  }

  async function stop(): Promise<void> {
    expireIn(timeout);
    // A server that starts while others drain is not made yet.
    await undefined;
    await shutdown();
    ending.drained = true;
    if (timeout === Infinity) expireIn(GRACE);
    exitIfOver();
  }

  // Not later, since under `deno serve` sockets would hear that Deno has closed them.
  if (delay === 0) void stop();
  else startTimer(stop, delay);
}

/**
 * Ends the process if all servers are late. If all have drained, the process has the
 * rest of the longest time to end by itself, so that an interval, say, does not keep
 * it alive for ever.
 */
function exitIfOver(): void {
  if (!endings.every(({ drained, late }) => drained || late)) return;
  const cut = endings.filter(({ drained }) => !drained);
  for (const { time } of cut) {
    logWarning(
      `requests still ran ${time} ms after the signal to stop; they were cut off`,
    );
  }
  if (cut.length > 0) Deno.exit(1);
  if (endings.every(({ late }) => late)) Deno.exit(0);
}

/** How many servers and applications need the process to go on. */
let holders = 0;

/**
 * Logs uncaught errors, say of a timer, a listener or a promise that nothing awaits,
 * instead of letting them end the process. Each error is logged once, however many
 * callers there are. Errors that a listener of the program handled, by
 * `preventDefault()`, are not logged.
 *
 * @returns A function that undoes this; it lasts as long as other callers need it.
 */
export function surviveUncaughtErrors(): () => void {
  if (holders++ === 0) {
    // Other hosts, such as Node, have no such events.
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
  // Of an error in a worker, only the message arrives.
  logError("an error was thrown and not caught:", event.error ?? event.message);
}

function onRejection(event: PromiseRejectionEvent): void {
  if (event.defaultPrevented || endsServer(event.reason)) return;
  event.preventDefault();
  logError("a promise was rejected and not handled:", event.reason);
}

/**
 * Whether this is the end of a server of Deno's that can accept no connection, say
 * for want of file descriptors. `app.serve()` looks after its own; nobody listens
 * again for `deno serve`, and a process that went on without would be of no use:
 * whoever runs it has to start it again.
 */
function endsServer(reason: unknown): boolean {
  try {
    return reason instanceof Deno.errors.Http &&
      /\(os error \d+\)\n +at ext:deno_http\//.test(reason.stack!);
  } catch {
    // A hostile value, or another host than Deno.
    return false;
  }
}
