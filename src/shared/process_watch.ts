import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";
import { toFileUrl } from "@std/path/to-file-url";
import {
  entryText,
  inspectSafely,
  type LogEntry,
  watchLog,
} from "../core/common/log.ts";

/** Thrown if watched code calls a function that would end the process. */
export class ExitError extends Error {
  /** The name of the error class. */
  override name = "ExitError";
}

/** An exit or an uncaught error of watched code. */
export interface Escape {
  /** The event and its place: `"api/route.ts:3" called Deno.exit(0)`. */
  readonly text: string;
  /** Whether the text names a line. */
  readonly namesLine: boolean;
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

/** An error in this process that an exchange saw. */
export interface SeenError {
  /** Whether Bough logged the error, or the error would have ended the process. */
  readonly kind: "logged" | "escaped";
  readonly text: string;
  /** Whether the text names a line, in addition to the frames of a stack. */
  readonly namesLine?: boolean | undefined;
  /** The place that the log names. */
  readonly place?: LogEntry["place"];
}

/**
 * Reports the errors and warnings that Bough logs, instead of printing them, and
 * uncaught errors and exits, which would end the process. Bough still prints notices.
 */
export function listen(onError: (error: SeenError) => void): Disposable {
  const listening = new DisposableStack();
  listening.use(
    watchProcess(({ text, namesLine }) =>
      onError({ kind: "escaped", text, namesLine })
    ),
  );
  listening.use(watchLog((entry) => {
    if (entry.level === "notice") return true;
    const { place } = entry;
    onError({ kind: "logged", text: ownFrames(entryText(entry)), place });
    return false;
  }));
  return listening;
}

function watch(): () => void {
  const { exit } = Deno;
  const { close } = globalThis;
  // Code may keep a reference to these functions, and call them after the watch.
  const ending =
    (end: (code?: number) => void, name: string) => (code?: number): void => {
      if (watches.length === 0) return end(code);
      const error = new ExitError();
      const isNode = /\bnode:process\b/.test(error.stack!);
      const called = isNode ? "process.exit" : name;
      const place = placeOf(error);
      const subject = place ?? "the application";
      error.message = `${subject} called ${called}(${code ?? ""})`;
      const namesLine = place !== undefined;
      watches.at(-1)!({ text: error.message, namesLine, error });
      throw error;
    };
  Object.assign(Deno, { exit: ending(exit, "Deno.exit") });
  Object.assign(globalThis, { close: ending(close, "close") });
  addEventListener("error", onUncaught);
  addEventListener("unhandledrejection", onUncaught);
  return () => {
    Object.assign(Deno, { exit });
    Object.assign(globalThis, { close });
    removeEventListener("error", onUncaught);
    removeEventListener("unhandledrejection", onUncaught);
  };
}

function onUncaught(event: ErrorEvent | PromiseRejectionEvent): void {
  event.preventDefault();
  const isError = event instanceof ErrorEvent;
  // The event for an error in a worker contains only the message.
  const error = isError ? event.error ?? event.message : event.reason;
  const what = isError
    ? "an error was thrown and not caught"
    : "a promise was rejected and not handled";
  // The call that threw this error has already been reported.
  if (error instanceof ExitError) return;
  const { text, namesLine } = describeError(error);
  watches.at(-1)!({ text: `${what}: ${text}`, namesLine, error });
}

/** Describes a thrown value in one line, with the place where the value was thrown. */
export function describeError(
  error: unknown,
): Pick<Escape, "text" | "namesLine"> {
  const place = placeOf(error);
  const namesLine = place !== undefined;
  try {
    const text = String(error) + (namesLine ? `, at ${place}` : "");
    return { text, namesLine };
  } catch {
    return { text: inspectSafely(error), namesLine: false };
  }
}

/** The innermost place on the stack of an error, in the application if possible. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? String(error.stack) : "";
  const places = [...stack.matchAll(PLACE)]
    .filter(([, url]) => url !== import.meta.url);
  const own = places.find(([, url]) => isOfApplication(url!));
  const [, url, line] = own ?? places[0] ?? [];
  if (url === undefined) return undefined;
  const path = relative(Deno.cwd(), fromFileUrl(url)).replaceAll("\\", "/");
  return `"${path}:${line}"`;
}

const PLACE = /(file:\/\/\/[^\n]*?):(\d+):\d+\)?(?: \{)?$/gm;

const BOUGH = new URL("../", import.meta.url).href;

const PACKAGES = /\/(?:node_modules|(?:npm|vendor)\/[^/]+\.[^/]+)\//;

/** Whether a module is part of the program, unlike Bough and packages. */
export function isOfApplication(url: string): boolean {
  return !url.startsWith(BOUGH) && !PACKAGES.test(url);
}

/** A line of a stack, or Deno's words for lines that it leaves out. */
const FRAME =
  /\n\s+(?:at [^\n]*?(?:<anonymous>|:\d+:\d+)\)?|\.{3} \d+ lines? [^\n]*\.{3})(?=\n| \{|$)/g;

/**
 * Removes the frames outside of the application from the stacks in a log entry, and
 * shortens file URLs to paths. An entry without a frame of the application keeps all
 * of its frames.
 */
export function ownFrames(entry: string): string {
  const isOwn = (text: string) =>
    [...text.matchAll(PLACE)].some(([, url]) => isOfApplication(url!));
  const own = entry.replaceAll(FRAME, (frame) => isOwn(frame) ? frame : "");
  return (isOwn(own) ? own : entry)
    .replaceAll(`${toFileUrl(Deno.cwd()).href}/`, "");
}
