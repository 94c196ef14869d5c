import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";
import {
  entryText,
  framesOf,
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
  /** The lines that the text names, such as `"api/route.ts:3"`. */
  readonly at: readonly string[];
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
  /** The lines that the text names. */
  readonly at?: readonly string[] | undefined;
  /** The place that the log names. */
  readonly place?: LogEntry["place"];
}

/**
 * Reports the errors and warnings that Bough logs, instead of printing them, and
 * uncaught errors and exits, which would end the process. Bough still prints notices,
 * except for those about requests.
 */
export function listen(onError: (error: SeenError) => void): Disposable {
  const listening = new DisposableStack();
  listening.use(
    watchProcess(({ text, at }) => onError({ kind: "escaped", text, at })),
  );
  listening.use(watchLog((entry) => {
    const { place } = entry;
    if (entry.level === "notice") return typeof place !== "object";
    const { text = "", at } = entry.level === "error"
      ? describeError(entry.error)
      : {};
    const whole = entryText(entry, () => text);
    onError({ kind: "logged", text: whole, at, place });
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
      const isNode = framesOf(error)
        .some(({ fileName }) => fileName === "node:process");
      const called = isNode ? "process.exit" : name;
      const at = placeOf(error);
      const [subject = "the application"] = at;
      error.message = `${subject} called ${called}(${code ?? ""})`;
      watches.at(-1)!({ text: error.message, at, error });
      throw error;
    };
  Object.assign(Deno, { exit: ending(exit, "Deno.exit") });
  Object.assign(globalThis, { close: ending(close, "close") });
  const listening = new AbortController();
  addEventListener("error", onUncaught, listening);
  addEventListener("unhandledrejection", onUncaught, listening);
  return () => {
    Object.assign(Deno, { exit });
    Object.assign(globalThis, { close });
    listening.abort();
  };
}

function onUncaught(event: ErrorEvent | PromiseRejectionEvent): void {
  event.preventDefault();
  const isError = event instanceof ErrorEvent;
  const error = isError ? event.error : event.reason;
  const what = isError
    ? "an error was thrown and not caught"
    : "a promise was rejected and not handled";
  // The call that threw this error has already been reported.
  if (error instanceof ExitError) return;
  // The event for an error in a worker contains only the message.
  const { text, at } = isError && error === null
    ? { text: event.message, at: [] }
    : describeError(error);
  watches.at(-1)!({ text: `${what}: ${text}`, at, error });
}

/** Describes a thrown value and its causes, with the places where they were thrown. */
export function describeError(
  error: unknown,
  causes = 3,
): Pick<Escape, "text" | "at"> {
  const at = placeOf(error);
  try {
    const text = [summaryOf(error), ...at].join(", at ");
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause === undefined || causes === 0) return { text, at };
    const inner = describeError(cause, causes - 1);
    return {
      text: `${text}, caused by ${inner.text}`,
      at: [...at, ...inner.at],
    };
  } catch {
    return { text: inspectSafely(error), at: [] };
  }
}

/** The name and the message of an error, and those of the errors in it. */
export function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return inspectSafely(error);
  // Node reports a closed port as an `AggregateError` without a message.
  const errors = error instanceof AggregateError ? error.errors : [];
  return [error, ...errors.slice(0, 5)].join("\n- ");
}

/** The innermost line on the stack of an error, in the application if possible. */
function placeOf(error: unknown): string[] {
  const frames = framesOf(error).filter(({ fileName }) =>
    fileName?.startsWith("file:///") && fileName !== import.meta.url
  );
  const own = frames.find(({ fileName }) => isOfApplication(fileName!));
  const { fileName, lineNumber } = own ?? frames[0] ?? {};
  if (fileName == null) return [];
  const path = relative(Deno.cwd(), fromFileUrl(fileName));
  return [`"${path.replaceAll("\\", "/")}:${lineNumber}"`];
}

const BOUGH = new URL("../", import.meta.url).href;

const PACKAGES = /\/(?:node_modules|(?:npm|vendor)\/[^/]+\.[^/]+)\//;

/** Whether a module is part of the program, unlike Bough and packages. */
export function isOfApplication(url: string): boolean {
  return !url.startsWith(BOUGH) && !PACKAGES.test(url);
}
