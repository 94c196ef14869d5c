import { Console } from "node:console";
import process from "node:process";
import { printable, printableLines } from "../core/common/log.ts";
import { ExitError, watchProcess } from "../shared/process_watch.ts";

export const GOOD = 0;
/** The exit code if the command printed findings. */
export const FINDINGS = 1;
/** The exit code if the arguments are wrong, or if the application ended the command. */
export const MISUSE = 2;

export interface Command {
  /** The purpose of the command, in one line. */
  readonly summary: string;
  readonly help: string;
  /** The names of options that are on or off. */
  readonly boolean?: readonly string[];
  /** The names of options that take a value. */
  readonly string?: readonly string[];
  /** The names of options that take values, and may be repeated. */
  readonly list?: readonly string[];
  /** Whether the argument may consist of several words. */
  readonly isPhrase?: boolean;
  /** Whether the arguments after `--` are a command of the user. */
  readonly hasCommand?: boolean;
  /** The exit code if the application cannot start; by default, 1 as for findings. */
  readonly failure?: typeof MISUSE;
  readonly run: (call: Call) => Promise<number> | number;
}

export interface Call {
  /** The argument that is not an option: a folder or a module. */
  readonly path: string | undefined;
  /** Whether an option is on. */
  readonly isOn: (name: string) => boolean;
  /** The value of an option, if it is given. */
  readonly value: (name: string) => string | undefined;
  /** The values of an option that may be repeated. Commas also separate values. */
  readonly values: (name: string) => readonly string[];
  /** The arguments after `--`, if the command takes a command of the user. */
  readonly command: readonly string[];
}

export class UsageError extends Error {}

/** Rethrows an error; a `TypeError` about an option becomes a `UsageError`. */
export function rethrow(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message) : error;
}

/** Thrown if the module of an application cannot be used. */
export class ModuleError extends Error {
  /** The argument of the command that names the module. */
  readonly path: string;
  /** The problem and its remedy. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`Cannot use "${path}": ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** The console of the command, while the application's console is redirected. */
let own: Pick<Console, "log" | "error"> | undefined;

export function print(text: string): void {
  (own ?? console).log(text);
}

export function printError(text: string): void {
  (own ?? console).error(text);
}

/**
 * Reserves standard output for the command until the result is disposed. Meanwhile, the
 * application prints to standard error, so that its output does not corrupt a document
 * or JSON.
 */
function keepOutput(): Disposable {
  const before = own;
  const kept = { ...console };
  own ??= kept;
  Object.assign(console, new Console(process.stderr));
  const { stdout, stderr } = Deno;
  const write = stderr.writeSync.bind(stderr);
  // `process.stdout` and copies of `Deno.stdout` call these methods.
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

/** A number with its noun: `1 route`, `2 routes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

const CODES = { red: 31, yellow: 33, bold: 1 };

/** Colours a string if standard output is a terminal. */
export function colored(color: keyof typeof CODES, text: string): string {
  if (Deno.noColor || !Deno.stdout.isTerminal()) return text;
  return `\x1b[${CODES[color]}m${text}\x1b[0m`;
}

/** Help on the arguments that all commands for an application share. */
export const APPLICATION_HELP = `
  apiDir           the folder of the routes (default: api), or the module that
                   exports the application, such as main.ts
  --prefix=<path>  the path prefix of the folder's routes (default: api);
                   / for none`;

/**
 * Runs a command, and protects its exit code and standard output from the code of the
 * application.
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
  // Deno exits with 0 if promises are pending and no work is left.
  const onUnload = () => {
    report("the application waits for a promise that never settles");
    Deno.exitCode = MISUSE;
  };
  addEventListener("unload", onUnload);
  try {
    const code = await Promise.race([run(), exit.promise]);
    return isFaulty ? Math.max(code, FINDINGS) : code;
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    report(
      `${error.message}, which ends the process; throw an error instead, or call this function only if import.meta.main`,
    );
    return MISUSE;
  } finally {
    removeEventListener("unload", onUnload);
  }
}
