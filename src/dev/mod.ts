/**
 * For development: shows each request in a browser and to coding agents, and prints the
 * changes to the routes since the last start.
 *
 * @example A `dev.ts`, run with `deno run --allow-read --allow-net --watch=api dev.ts`
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { inspector, printRouteChanges } from "@bough/framework/dev";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * await inspector(app);
 * await printRouteChanges(app);
 * // Then: await app.serve({ hostname: "127.0.0.1" });
 * ```
 *
 * @module
 */
import { RouteError } from "../core/common/faults.ts";
import type { Framework } from "../core/framework.ts";
import { leaveSignals } from "../core/server/process.ts";
import { log, type LogEntry, printable, watchLog } from "../core/common/log.ts";
import { checkOptions, FUNCTION, OBJECT } from "../core/common/forms.ts";

export { inspector, type InspectorOptions } from "./inspector.ts";

/**
 * The key for the routes of this program, since programs with the same configuration
 * share `localStorage`.
 */
const KEY = `bough routes of ${Deno.mainModule}`;

/** A store for the routes of the last start, such as `localStorage`. */
export interface RouteMemory {
  /** Returns the string stored under a key. */
  getItem(key: string): string | null;
  /** Stores a string under a key. */
  setItem(key: string, value: string): void;
}

/** Options of {@linkcode printRouteChanges}. */
export interface RouteChangeOptions {
  /**
   * The store for the routes of the last start.
   *
   * @default {localStorage}
   */
  readonly memory?: RouteMemory;
  /**
   * Prints one line.
   *
   * @default {console.log}
   */
  readonly print?: (line: string) => void;
}

/**
 * Prints the methods of routes that were added, removed or moved to another file since
 * the last start of the program. By default, the function stores the routes in Deno's
 * `localStorage`, which requires no permission.
 *
 * From then on, `SIGINT` and `SIGTERM` end the process and its watcher at once. If
 * startup or a request fails because a permission is missing, the log names the command
 * that adds the permission to the permission sets.
 *
 * @param app The application, which the function starts.
 * @param options The store for the routes, and the function that prints.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RouteError} With all faults, if the application cannot start.
 *
 * @example Keep the routes elsewhere
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { printRouteChanges } from "@bough/framework/dev";
 *
 * const kept = new Map<string, string>();
 * await printRouteChanges(new Framework({ apiDir: "examples/minimal/api" }), {
 *   memory: {
 *     getItem: (key) => kept.get(key) ?? null,
 *     setItem: (key, value) => kept.set(key, value),
 *   },
 * });
 * ```
 */
export async function printRouteChanges(
  app: Framework,
  options: RouteChangeOptions = {},
): Promise<void> {
  const table = { memory: OBJECT, print: FUNCTION };
  checkOptions("print the route changes", options, table);
  leaveSignals();
  const { memory = localStorage, print = console.log } = options;
  watchLog(adviseAfter);
  const routes = await app.routes().catch((error) => {
    advise(error);
    throw error;
  });
  const now = routes.flatMap(({ methods, path, file }) =>
    methods.map((method) => printable(`${method} ${path} (${file})`))
  ).sort();
  const stored = memory.getItem(KEY);
  memory.setItem(KEY, JSON.stringify(now));
  if (stored === null) {
    print(`[bough] routes: ${routes.length}, handlers: ${now.length}`);
    return;
  }
  const before: string[] = JSON.parse(stored);
  const added = now.filter((line) => !before.includes(line));
  const removed = before.filter((line) => !now.includes(line));
  for (const line of removed) print(`[bough] - ${line}`);
  for (const line of added) print(`[bough] + ${line}`);
}

/** Advises after an error in the log. The listeners of the log contain it only once. */
function adviseAfter(entry: LogEntry): boolean {
  // The log prints the error after this function returns.
  if (entry.level === "error") queueMicrotask(() => advise(entry.error));
  return true;
}

/** Logs the command that adds a permission, if an error reports a missing one. */
function advise(error: unknown): void {
  if (!isDenied(error)) return;
  const message =
    "a permission is missing; declare it, then run deno task permissions, or bough permissions";
  log({ level: "warning", message });
}

/** Whether a missing permission is the error, or one of its causes. */
function isDenied(error: unknown): boolean {
  if (error instanceof Deno.errors.NotCapable) return true;
  if (error instanceof AggregateError) return error.errors.some(isDenied);
  const isDeclared = error instanceof RouteError &&
    error.faults.some(({ rule }) => rule === "permissions");
  return isDeclared || (error instanceof Error && isDenied(error.cause));
}
