/**
 * For development: prints how the routes changed since the last start.
 *
 * @example A `dev.ts`, run with `deno run --allow-read --allow-net --watch=api dev.ts`
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { printRouteChanges } from "@bough/framework/dev";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * await printRouteChanges(app);
 * ```
 *
 * @module
 */
import type { Framework } from "../framework.ts";
import { printable } from "../common/log.ts";
import { checkEachOption, FUNCTION, OBJECT } from "../common/option_table.ts";

/** Names the program: those that share a configuration share `localStorage`. */
const KEY = `bough routes of ${Deno.mainModule}`;

/** A store for the routes of the last start, such as `localStorage`. */
export interface RouteMemory {
  /** Returns the text that is stored under a key. */
  getItem(key: string): string | null;
  /** Stores a text under a key. */
  setItem(key: string, value: string): void;
}

/** Options of {@linkcode printRouteChanges}. */
export interface RouteChangeOptions {
  /**
   * Where the routes of the last start are kept.
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
 * Prints which methods of which routes were added, removed or moved to another
 * file since the last start of the program. Those of the last start are kept in
 * Deno's `localStorage`, which needs no permission.
 *
 * @param app The application; this starts it.
 * @param options Where to keep the routes, and how to print.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RouteError} If the tree cannot be served, with all its faults.
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
  checkEachOption("print the changes of routes", options, table);
  const { memory = localStorage, print = console.log } = options;
  const routes = await app.routes();
  const now = routes.flatMap(({ methods, path, file }) =>
    methods.map((method) => printable(`${method} ${path} (${file})`))
  ).sort();
  const kept = memory.getItem(KEY);
  memory.setItem(KEY, JSON.stringify(now));
  if (kept === null) {
    print(`[bough] routes: ${routes.length}, handlers: ${now.length}`);
    return;
  }
  const before: string[] = JSON.parse(kept);
  const added = now.filter((line) => !before.includes(line));
  const removed = before.filter((line) => !now.includes(line));
  for (const line of removed) print(`[bough] - ${line}`);
  for (const line of added) print(`[bough] + ${line}`);
}
