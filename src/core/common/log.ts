/**
 * Characters that could break a line or control a terminal: C0, DEL, C1, line and
 * paragraph separators, and marks that change the direction of text. Lone surrogates
 * are included, since UTF-8 cannot encode them.
 */
const UNPRINTABLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

const PLAIN = /^[ -~]*$/;

/** Matches the escape sequences that colour text on a terminal. */
// deno-lint-ignore no-control-regex
export const ANSI_COLOR = /\x1b\[[\d;]*m/g;

const SHORT: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * Escapes untrusted text, such as a file name. The result stays on one line and cannot
 * control a terminal: a line break becomes `\n`, and ESC becomes `\u001b`.
 *
 * Replaces only such characters, and only with JSON escapes, so that JSON keeps its
 * meaning.
 */
export function printable(text: string): string {
  // Test for plain strings first, since most strings are plain and the Unicode search
  // is slow.
  return PLAIN.test(text) ? text : text.replaceAll(UNPRINTABLE, escaped);
}

/**
 * Reverses {@linkcode printable}, for example to open a file by its path in a message.
 * A literal backslash before `u202e` counts as an escape. This ambiguity is harmless,
 * since Bough does not serve folders with a backslash.
 */
export function unescaped(text: string): string {
  return text.replaceAll(
    /\\u([\da-f]{4})/g,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}

/**
 * Escapes text of several lines, such as the message of a syntax error. Indents all
 * lines after the first, so that no line looks like a separate log entry.
 */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n  ");
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return SHORT[character] ?? `\\u${code}`;
}

/** The request that an entry is about, and its route. */
export interface RequestPlace {
  readonly method: string;
  /** The pattern of the route; `undefined` without a route. */
  readonly pattern: string | undefined;
  /** The file of the route, or the option that responded. */
  readonly file: string | undefined;
  /** The path as it was sent, and the path that the option `rewrite` returned. */
  readonly rewrite?: { readonly from: string; readonly to: string };
}

/** An error or a warning that Bough logs. */
export type LogEntry =
  & {
    /** A request, a file or a part of Bough; absent if `message` names the place. */
    readonly place?: RequestPlace | string;
  }
  & ({
    readonly level: "error";
    /** The part that failed; absent if the code at the place threw the error. */
    readonly message?: string;
    /** The thrown value. */
    readonly error: unknown;
  } | {
    /** `notice` is a warning that contract tests do not report, such as at startup. */
    readonly level: "warning" | "notice";
    readonly message: string;
  });

/** Receives an entry, and returns whether Bough prints the entry. */
type LogListener = (entry: LogEntry) => boolean;

/**
 * The global slot for the listeners. All copies of this package in a process share the
 * slot, since contract tests may test an application that uses another copy. The log of
 * another process, such as a server tested by its URL, does not reach the listeners.
 */
const LISTENERS = Symbol.for("@bough/framework log");

const slot = globalThis as { [LISTENERS]?: Set<LogListener> };

/** Passes all entries to a listener until disposed. */
export function watchLog(listener: LogListener): Disposable {
  const listeners = slot[LISTENERS] ??= new Set();
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}

/**
 * Logs an entry on standard error. Bough logs all errors with this function, so that a
 * thrown value cannot end the program, avoid the log or forge an entry. If a value
 * cannot be inspected, the log has fewer details. Control characters are escaped, and
 * all lines after the first are indented.
 */
export function log(entry: LogEntry): void {
  const answers = [...slot[LISTENERS] ?? []].map((listener) => listener(entry));
  if (answers.includes(false)) return;
  const text = `[bough] ${entryText(entry)}`;
  if (entry.level === "notice") console.warn(text);
  else console.error(text);
}

/** The text of an entry: one line, and the further lines of the error. */
export function entryText(entry: LogEntry, describe = inspectSafely): string {
  const { place, message } = entry;
  const where = typeof place === "object" ? placeText(place) : place;
  const what = message === undefined
    ? failedText(where!)
    : where === undefined
    ? message
    : `${where}: ${message}`;
  return entry.level === "error"
    ? `${printable(what)}: ${printableLines(describe(entry.error))}`
    : printable(what);
}

/** The text before the error, for an entry without a message. */
export function failedText(where: string): string {
  return `${where} failed`;
}

/** Formats a request and its route: `GET /users (api/users/route.ts)`. */
export function placeText(
  { method, pattern = "no route", file = "no file", rewrite }: RequestPlace,
): string {
  const from = rewrite && `, "${rewrite.from}" rewritten to "${rewrite.to}"`;
  return `${method} ${pattern} (${file}${from ?? ""})`;
}

/** Describes a value in as much detail as its inspection allows. */
export function inspectSafely(value: unknown): string {
  for (const inspect of INSPECTORS) {
    try {
      const text: unknown = inspect(value);
      if (typeof text === "string" && text !== "") return text;
    } catch {
      // The inspector failed, so try the next inspector, which reads less of the value.
    }
  }
  return "a value that cannot be inspected";
}

const INSPECTORS: readonly ((value: unknown) => unknown)[] = [
  (value) => Deno.inspect(value),
  // For hosts without `Deno`, and for classes whose own inspection throws.
  (value) => stackOf(value, 3),
  String,
];

function stackOf(value: unknown, causes: number): unknown {
  const { stack, cause } = value as Error;
  if (cause === undefined || causes === 0) return stack;
  return `${stack}\nCaused by: ${stackOf(cause, causes - 1) ?? cause}`;
}

const programFaults = new WeakSet<Error>();

/** Marks an error as a fault of the program, for {@linkcode trimStack}. */
export function programFault<Fault extends Error>(error: Fault): Fault {
  programFaults.add(error);
  return error;
}

/**
 * Removes Bough's frames from the stack of an error that reports a fault of the
 * program. The stack then begins at the program's call, since a location in Bough would
 * not help. Causes keep their stacks, and so do errors of Bough itself.
 *
 * Call `trimStack` in the function `called`, or in a function that `called` awaits.
 *
 * @param called The function that the program called.
 */
export function trimStack(
  error: unknown,
  called: Parameters<typeof Error.captureStackTrace>[1],
): unknown {
  // Only V8 is certain to have `captureStackTrace`.
  if (error instanceof Error && programFaults.has(error)) {
    Error.captureStackTrace?.(error, called);
  }
  return error;
}

/**
 * Removes the stack of a system error that causes a fault, such as a port in use. All
 * frames of this stack are in Bough or in Deno.
 */
export function dropStack(error: unknown): unknown {
  // V8 keeps only the frames below `notCalled`, which is not on the stack.
  if (error instanceof Error) Error.captureStackTrace?.(error, notCalled);
  return error;
}

function notCalled(): void {}

/** A frame of a stack, as V8 recorded it. */
export interface Frame {
  /** The name of the function; `null` for top-level code and nameless functions. */
  readonly functionName: string | null;
  /** The URL of the module; `null` for native functions and `eval()`. */
  readonly fileName: string | null;
  readonly lineNumber: number | null;
  readonly columnNumber: number | null;
  readonly isAsync: boolean;
  readonly isConstructor: boolean;
}

/**
 * Returns the frames of an error, innermost first; none for another value.
 *
 * All code that reads a stack calls this function. The text in `error.stack` begins with
 * the message, in which a client can imitate frames:
 * `BigInt("1\n    at x (file:///etc/passwd:1:1)")`. Apart from that text, only this inner
 * function of Deno has the frames; on hosts without it, there are none.
 */
export function framesOf(error: unknown): readonly Frame[] {
  try {
    const { core } = Reflect.get(Deno, Reflect.get(Deno, "internal"));
    const { frames }: { frames: Frame[] } = core.destructureError(error);
    // Deno adds its own frame to an error that has none, such as a clone.
    return frames.filter(({ fileName }) => !fileName?.startsWith("ext:core/"));
  } catch {
    return [];
  }
}
