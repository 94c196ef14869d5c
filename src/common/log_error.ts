import { printable, printableLines } from "./printable.ts";

/**
 * Logs an error on standard error, as all of Bough does, so that no value that
 * was thrown can end the program, keep itself out of the log or forge an entry.
 * Where inspecting it throws, as that of a revoked proxy does, less is told of it;
 * what it says is escaped, and all its lines but the first are indented.
 *
 * @param message What happened, on one line.
 * @param error What was thrown, be it anything.
 */
export function logError(message: string, error: unknown): void {
  print(`${printable(message)} ${printableLines(tell(error))}`);
}

/** Logs what is no error, or has none to show, on one line. */
export function logWarning(message: string): void {
  print(printable(message));
}

/** Tells as much of a value as it allows. */
export function tell(value: unknown): string {
  for (const teller of TELLERS) {
    try {
      const text: unknown = teller(value);
      if (typeof text === "string" && text !== "") return text;
    } catch {
      // The next one asks less of it.
    }
  }
  return "a value that cannot be inspected";
}

const TELLERS: readonly ((value: unknown) => unknown)[] = [
  (value) => Deno.inspect(value),
  // In other hosts, and for a class whose own inspection throws.
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
    // A console that was replaced fails.
    printDirectly(line);
  }
}

function printDirectly(line: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch {
    // Nobody can be told.
  }
}
