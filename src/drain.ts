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

/** How long the parts of an end may take, in milliseconds. */
export interface DrainOptions {
  /** From the signal until no more connections are taken. */
  readonly delay: number;
  /** From then on until the process ends, whatever still runs. */
  readonly timeout: number;
}

/**
 * At the first signal to stop, lets it be known, then stops taking connections and
 * lets running requests finish; at the second, or when they take too long, the
 * process ends.
 *
 * @returns Stops listening for signals.
 */
export function drainOnSignals(
  shutdown: () => Promise<void>,
  { delay, timeout }: DrainOptions,
): () => void {
  const signals: Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM"];
  let signalled = false;
  let drained = false;

  function onSignal(): void {
    if (signalled) Deno.exit(1);
    signalled = true;
    controller.abort(
      new DOMException("The server was told to stop", "AbortError"),
    );
    if (delay === 0) drain();
    else setTimeout(drain, delay);
  }

  function drain(): void {
    // What keeps the process alive after the drain, say an interval, ends with
    // it, too; without such a thing the process need not wait for this timer.
    Deno.unrefTimer(setTimeout(() => {
      if (!drained) {
        console.error(
          `[bough] requests still ran ${timeout} ms after the signal to stop; they were cut off`,
        );
      }
      Deno.exit(drained ? 0 : 1);
    }, timeout));
    shutdown().then(() => drained = true);
  }

  for (const signal of signals) Deno.addSignalListener(signal, onSignal);
  return () => {
    for (const signal of signals) Deno.removeSignalListener(signal, onSignal);
  };
}
