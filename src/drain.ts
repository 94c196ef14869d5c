import { logWarning } from "./log_error.ts";
import { startTimer } from "./timer.ts";

const controller = new AbortController();

/**
 * Aborts when `SIGINT` or `SIGTERM` tells the process to stop, under
 * `app.serve()`. A readiness route looks at it, and what would otherwise last for
 * ever, such as server-sent events, ends with it.
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

/** How long the parts of an end may take, in milliseconds; `Infinity` is for ever. */
export interface DrainOptions {
  /** From the signal until no more connections are taken. */
  readonly delay: number;
  /** From then on until what still runs is given up. */
  readonly timeout: number;
}

interface Server extends DrainOptions {
  /** Stops taking connections; resolves when all running requests have ended. */
  readonly shutdown: () => Promise<void>;
}

/** What has become of a server since the signal. */
interface Ending {
  /** How long it has, from the signal on, in milliseconds. */
  readonly time: number;
  /** Whether its requests have ended. */
  drained: boolean;
  /** Whether its time is over. */
  late: boolean;
}

/** How long a drained process may go on where `timeout` is without end. */
const GRACE = 10_000;

/** The servers that run in this process. */
const servers = new Set<Server>();
const endings: Ending[] = [];

/**
 * Lets a server end with the process. At the first signal to stop, all servers of
 * the process let it be known, then stop taking connections, and their running
 * requests finish; when each has drained or used up its time, the process ends. At
 * a second signal it ends at once.
 *
 * @returns Takes the server out again, when it has ended.
 */
export function drainOnSignals(
  shutdown: () => Promise<void>,
  options: DrainOptions,
): () => void {
  const server: Server = { shutdown, ...options };
  if (servers.size === 0) {
    for (const signal of signals()) Deno.addSignalListener(signal, onSignal);
  }
  servers.add(server);
  if (draining.aborted) end(server);
  return () => {
    servers.delete(server);
    if (servers.size > 0) return;
    for (const signal of signals()) Deno.removeSignalListener(signal, onSignal);
  };
}

/** Asked for only by `serve()`, since other hosts load this module, too. */
function signals(): readonly Deno.Signal[] {
  return Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM"];
}

function onSignal(): void {
  if (draining.aborted) Deno.exit(1);
  controller.abort(
    new DOMException("The server was told to stop", "AbortError"),
  );
  for (const server of servers) end(server);
}

function end({ shutdown, delay, timeout }: Server): void {
  const ending: Ending = {
    time: delay + timeout,
    drained: false,
    late: false,
  };
  endings.push(ending);

  function expireIn(milliseconds: number): void {
    const timer = startTimer(() => {
      ending.late = true;
      exitIfOver();
    }, milliseconds);
    // A process that nothing else keeps alive need not wait for it.
    if (timer !== undefined) Deno.unrefTimer(timer);
  }

  startTimer(async () => {
    expireIn(timeout);
    await shutdown();
    ending.drained = true;
    if (timeout === Infinity) expireIn(GRACE);
    exitIfOver();
  }, delay);
}

/**
 * Ends the process if no server is to be waited for. Once all have drained, it has
 * the rest of the longest time to end by itself: what keeps it alive then, say an
 * interval, does not do so for ever.
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
