/**
 * Characters that could break a line or control a terminal: control characters (C0,
 * DEL, C1), line and paragraph separators, marks that change the direction of text,
 * and halves of surrogate pairs, which cannot be encoded.
 */
const UNPRINTABLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

const PLAIN = /^[ -~]*$/;

/** What colours text on a terminal. */
// deno-lint-ignore no-control-regex
export const ANSI_COLOR = /\x1b\[[\d;]*m/g;

const SHORT: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * Escapes text from outside, such as a path or a file name, so that it stays on one
 * line and cannot control a terminal: a line break becomes `\n`, ESC `\u001b`.
 *
 * The escapes are those of JSON, and nothing else changes, so JSON keeps its
 * meaning.
 */
export function printable(text: string): string {
  // Most texts are plain, and a search for all of Unicode is slow.
  return PLAIN.test(text) ? text : text.replaceAll(UNPRINTABLE, escaped);
}

/**
 * The text that {@linkcode printable} escaped, say to open a file by a path that was
 * made for messages. A backslash in front of `u202e` is taken for an escape; folders
 * with one are not served.
 */
export function unescaped(text: string): string {
  return text.replaceAll(
    /\\u([\da-f]{4})/g,
    (_, code) => String.fromCharCode(parseInt(code, 16)),
  );
}

/**
 * Escapes text of several lines, such as the message of a syntax error. All lines
 * but the first are indented, so that none looks like a log entry of its own.
 */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n  ");
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, "0");
  return SHORT[character] ?? `\\u${code}`;
}

/**
 * Logs an error on standard error. All of Bough logs by it, so that no thrown value
 * can end the program, stay out of the log, or forge an entry: if it cannot be
 * inspected, as a revoked proxy cannot, less of it is logged; its control
 * characters are escaped; and all its lines but the first are indented.
 */
export function logError(message: string, error: unknown): void {
  print(`${printable(message)} ${printableLines(inspectSafely(error))}`);
}

/** Logs a message without an error, on one line. */
export function logWarning(message: string): void {
  print(printable(message));
}

/** Describes a value in as much detail as it allows. */
export function inspectSafely(value: unknown): string {
  for (const inspect of INSPECTORS) {
    try {
      const text: unknown = inspect(value);
      if (typeof text === "string" && text !== "") return text;
    } catch {
      // The next one needs less of the value.
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

function print(text: string): void {
  const line = `[bough] ${text}`;
  try {
    console.error(line);
  } catch {
    // A replaced console may fail.
    printDirectly(line);
  }
}

function printDirectly(line: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch {
    // There is nowhere left to log.
  }
}

/** How the message of a fault of the program begins; other errors are Bough's own. */
const FAULT = /^Cannot (?:serve|create|allow|trust)\b/;

/**
 * Leaves only the program's own frames in the stack of an error that tells of a fault
 * of the program: those below its call of a function of the package. The place in
 * Bough where the fault was found says nothing about it. Causes keep their stacks.
 *
 * Call it in that function, or in what it awaits.
 *
 * @param called The function that the program called.
 */
export function trimStack(
  error: unknown,
  called: Parameters<typeof Error.captureStackTrace>[1],
): unknown {
  // Other engines than V8 may not have it.
  if (error instanceof Error && FAULT.test(error.message)) {
    Error.captureStackTrace?.(error, called);
  }
  return error;
}

/**
 * Leaves no frame in the stack of an error of the system, such as that of a port in
 * use, where it is the cause of a fault: all of them are Bough's or Deno's.
 */
export function dropStack(error: unknown): unknown {
  // Frames are left out down to the call of this function, which has none.
  if (error instanceof Error) Error.captureStackTrace?.(error, notCalled);
  return error;
}

function notCalled(): void {}
