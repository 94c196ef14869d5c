import { Console } from "node:console";
import process from "node:process";
import { printable, printableLines } from "../common/log.ts";
import { ExitError, watchProcess } from "../testing/process_watch.ts";

/** The exit code where all is well. */
export const GOOD = 0;
/** The exit code where something needs fixing, and was printed. */
export const FINDINGS = 1;
/** The exit code where the command was called wrongly, or the application ended it. */
export const MISUSE = 2;

export interface Command {
  /** What it does, in one line. */
  readonly summary: string;
  /** How it is called, and what its options mean. */
  readonly help: string;
  /** The names of options that are on or off. */
  readonly boolean?: readonly string[];
  /** The names of options that take a value. */
  readonly string?: readonly string[];
  /** The names of options that take values, and may be repeated. */
  readonly list?: readonly string[];
  /** Runs it, and returns the exit code. */
  readonly run: (call: Call) => Promise<number> | number;
}

/** What a command is called with. */
export interface Call {
  /** The argument that is not an option: a folder or a module. */
  readonly path: string | undefined;
  /** Whether an option is on. */
  readonly isOn: (name: string) => boolean;
  /** The value of an option, if it is given. */
  readonly value: (name: string) => string | undefined;
  /** The values of an option that may be repeated, or has several with commas. */
  readonly values: (name: string) => readonly string[];
}

/** Thrown by a command that was called wrongly. */
export class UsageError extends Error {}

/** Throws an error on: for a wrong option of the application, one of the command. */
export function rethrow(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message) : error;
}

/** Thrown where the module of an application is of no use. */
export class ModuleError extends Error {
  /** The module, as the command was called with it. */
  readonly path: string;
  /** What is wrong with it, and what to do. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot use "${path}": ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** Where the command prints, if the application prints elsewhere. */
let own: Pick<Console, "log" | "error"> | undefined;

export function print(text: string): void {
  (own ?? console).log(text);
}

export function printError(text: string): void {
  (own ?? console).error(text);
}

/**
 * Keeps standard output for the command: until it is disposed, what the application
 * prints goes to standard error, so that it is no part of a document or of JSON.
 */
function keepOutput(): Disposable {
  const before = own;
  const kept = { ...console };
  own ??= kept;
  Object.assign(console, new Console(process.stderr));
  const { stdout, stderr } = Deno;
  const write = stderr.writeSync.bind(stderr);
  // What `process.stdout` and copies of `Deno.stdout` write with.
  const methods = {
    write: (bytes: Uint8Array) => Promise.resolve(write(bytes)),
    writeSync: write,
    close: () => {},
  };
  Object.assign(stdout, methods);
  Object.defineProperty(stdout, "writable", {
    get: () => new WritableStream({ write: (bytes) => void write(bytes) }),
    configurable: true,
  });
  return {
    [Symbol.dispose]() {
      own = before;
      Object.assign(console, kept);
      for (const name of [...Object.keys(methods), "writable"]) {
        Reflect.deleteProperty(stdout, name);
      }
    },
  };
}

/** Prints a value as JSON, with all control characters escaped for a terminal. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2).split("\n").map(printable).join("\n"));
}

const CODES = { red: 31, yellow: 33, bold: 1 };

/** Colours a text, if it is printed on a terminal. */
export function colored(color: keyof typeof CODES, text: string): string {
  if (Deno.noColor || !Deno.stdout.isTerminal()) return text;
  return `\x1b[${CODES[color]}m${text}\x1b[0m`;
}

/** Help on the arguments that all commands for an application share. */
export const APPLICATION_HELP = `
  apiDir           the folder of the routes (default: api); or the module that
                   exports the application, such as main.ts
  --prefix=<path>  what stands before the paths of a folder (default: api)`;

/**
 * Runs a command. Its exit code and its standard output are its own, whatever the code
 * of the application does to the process meanwhile.
 *
 * @param name The name of the command, for messages.
 */
export async function contained(
  name: string,
  run: () => Promise<number>,
): Promise<number> {
  using _ = keepOutput();
  const report = (text: string) =>
    printError(`bough ${name}: ${printableLines(text)}`);
  const exit = Promise.withResolvers<never>();
  let isFaulty = false;
  using _watch = watchProcess(({ text, error }) => {
    if (error instanceof ExitError) return exit.reject(error);
    isFaulty = true;
    report(text);
  });
  // Deno ends a program, with 0, when all of it waits and nothing is left to do.
  const onUnload = () => {
    report("the application waits for what never comes");
    Deno.exitCode = MISUSE;
  };
  addEventListener("unload", onUnload);
  try {
    const code = await Promise.race([run(), exit.promise]);
    return isFaulty ? Math.max(code, FINDINGS) : code;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    report(
      `${error.message}, which ends the process; throw an error instead, or call it only if import.meta.main`,
    );
    return MISUSE;
  } finally {
    removeEventListener("unload", onUnload);
  }
}
