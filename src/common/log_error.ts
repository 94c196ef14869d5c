import { printable, printableLines } from "./printable.ts";

/**
 * Logs an error on standard error. All of Bough logs by it, so that no thrown value
 * can end the program, stay out of the log, or forge an entry: if it cannot be
 * inspected, as a revoked proxy cannot, less of it is logged; its control
 * characters are escaped; and all its lines but the first are indented.
 *
 * @param message What happened, on one line.
 * @param error The thrown value, of any type.
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
