import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";
import { inspectSafely } from "../common/log.ts";

/** Thrown if watched code calls a function that would end the process. */
export class ExitError extends Error {
  /** The name of the error class. */
  override name = "ExitError";
}

/** An exit or an uncaught error of watched code. */
export interface Escape {
  /** The event and its place: `"api/route.ts:3" called Deno.exit(0)`. */
  readonly text: string;
  /** An {@linkcode ExitError}, or the uncaught error. */
  readonly error: unknown;
}

type Report = (escape: Escape) => void;

/** The active watches. Only the innermost watch, which is the last, receives reports. */
const watches: Report[] = [];
let restore = (): void => {};

/**
 * Watches the process until the watch is disposed. Meanwhile, `Deno.exit()`,
 * `process.exit()` and `close()` throw, and uncaught errors, such as in a timer, do not
 * end the process. All of these events are reported.
 */
export function watchProcess(report: Report): Disposable {
  if (watches.length === 0) restore = watch();
  watches.push(report);
  return {
    [Symbol.dispose]() {
      watches.splice(watches.lastIndexOf(report), 1);
      if (watches.length === 0) restore();
    },
  };
}

function watch(): () => void {
  const { exit } = Deno;
  const { close } = globalThis;
  // Code may keep a reference to these functions, and call them after the watch.
  const ending =
    (end: (code?: number) => void, name: string) => (code?: number): void => {
      if (watches.length === 0) return end(code);
      const error = new ExitError();
      const called = /\bnode:process\b/.test(error.stack!)
        ? "process.exit"
        : name;
      error.message = `${
        placeOf(error) ?? "the application"
      } called ${called}(${code ?? ""})`;
      watches.at(-1)!({ text: error.message, error });
      throw error;
    };
  Object.assign(Deno, { exit: ending(exit, "Deno.exit") });
  Object.assign(globalThis, { close: ending(close, "close") });
  addEventListener("error", onError);
  addEventListener("unhandledrejection", onRejection);
  return () => {
    Object.assign(Deno, { exit });
    Object.assign(globalThis, { close });
    removeEventListener("error", onError);
    removeEventListener("unhandledrejection", onRejection);
  };
}

function onError(event: ErrorEvent): void {
  // The event for an error in a worker contains only the message.
  const error = event.error ?? event.message;
  uncaught(event, "an error was thrown and not caught", error);
}

function onRejection(event: PromiseRejectionEvent): void {
  uncaught(event, "a promise was rejected and not handled", event.reason);
}

function uncaught(event: Event, what: string, error: unknown): void {
  event.preventDefault();
  // The call that threw this error has already been reported.
  if (error instanceof ExitError) return;
  watches.at(-1)!({ text: `${what}: ${errorText(error)}`, error });
}

/** Describes a thrown value in one line, with the place where the value was thrown. */
export function errorText(error: unknown): string {
  const place = placeOf(error);
  const where = place === undefined ? "" : `, at ${place}`;
  try {
    return String(error) + where;
  } catch {
    return inspectSafely(error);
  }
}

/** The innermost place on the stack of an error, outside of packages if possible. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : "";
  const places = [...stack.matchAll(/(file:\/\/\/[^\n]*?):(\d+):\d+\)?$/gm)]
    .filter(([, url]) => url !== import.meta.url);
  const own = places.find(([, url]) => !url!.includes("/node_modules/"));
  const [, url, line] = own ?? places[0] ?? [];
  if (url === undefined) return undefined;
  const path = relative(Deno.cwd(), fromFileUrl(url)).replaceAll("\\", "/");
  return `"${path}:${line}"`;
}
