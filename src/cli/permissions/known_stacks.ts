/**
 * Keeps Deno from tracing the same stack again. Under the audit it traces one at each
 * access, which takes about 10 µs a line: tests that read variables all the time would
 * take many times as long. To see that a stack is known takes a sixth of that.
 */
import process from "node:process";
import { fileURLToPath } from "node:url";

/** How many stacks are remembered; beyond them, each access is traced. */
const REMEMBERED = 100_000;

/** Functions whose first argument, a path, is all that decides what they use. */
const PATH_FUNCTIONS = [
  "readFile",
  "readTextFile",
  "writeFile",
  "writeTextFile",
  "stat",
  "lstat",
  "realPath",
].flatMap((name) => [name, `${name}Sync`]);

/** How many lines of a stack are looked at first. */
const NEAR = 4;

type Run = (this: unknown, ...args: unknown[]) => unknown;
type Owner = Record<string, Run>;

/** A line of a stack; the file is a path, or a URL if it is no file. */
interface CallSite {
  getFileName(): string | null;
  getLineNumber(): number | null;
}

/** As much of a stack as makes a difference. */
interface StackPart {
  readonly text: string;
  readonly isComplete: boolean;
}

const known = new Set<string>();
let routes: ReadonlySet<string>;

/**
 * Begins to remember the stacks of accesses. At one that is known, the audit gets the
 * access without its stack.
 *
 * @param urls The URLs of the route files and middleware files: what is further out in
 *   a stack makes no difference.
 */
export function rememberStacks(urls: readonly string[]): void {
  routes = new Set(urls.map((url) => fileURLToPath(url)));
  const env = Deno.env as unknown as Owner;
  for (const name of ["get", "has"]) replace(env, name, String);
  const deno = Deno as unknown as Owner;
  for (const name of PATH_FUNCTIONS) replace(deno, name, String);
  for (const name of ["open", "openSync"]) {
    replace(deno, name, (path, how) => path + JSON.stringify(how ?? {}));
  }
  process.env = tracedEnv(process.env);
}

/** Variables that are traced: all that is done with them is done with the original. */
function tracedEnv(original: typeof process.env): typeof process.env {
  return new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === "string"
        ? traced(`env ${name}`, () => Reflect.get(original, name))
        : Reflect.get(original, name),
    set: (_, name, value) => Reflect.set(original, name, value),
    has: (_, name) => Reflect.has(original, name),
    deleteProperty: (_, name) => Reflect.deleteProperty(original, name),
    ownKeys: () => Reflect.ownKeys(original),
    getOwnPropertyDescriptor: (_, name) =>
      Reflect.getOwnPropertyDescriptor(original, name),
    defineProperty: (_, name, descriptor) =>
      Reflect.defineProperty(original, name, descriptor),
    getPrototypeOf: () => Reflect.getPrototypeOf(original),
  });
}

/**
 * Wraps a function so that its stacks are remembered.
 *
 * @param useOf Says what a call uses, from its arguments.
 */
function replace(
  owner: Owner,
  name: string,
  useOf: (...args: unknown[]) => string,
): void {
  const original = owner[name]!;
  const value: Run = function (...args) {
    const run = () => original.apply(this, args);
    return args.length === 0 ? run() : traced(`${name} ${useOf(...args)}`, run);
  };
  Object.defineProperty(value, "name", { value: name });
  owner[name] = value;
}

/** Runs a function; Deno traces it only if its stack is not known. */
function traced(use: string, run: () => unknown): unknown {
  const key = `${use}\n${stack()}`;
  if (!known.has(key)) {
    if (known.size < REMEMBERED) known.add(key);
    return run();
  }
  // For an error; to make it into text takes long, and is done only then.
  const here = { stack: "" };
  Error.captureStackTrace(here, traced);
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const result = run();
    return result instanceof Promise
      ? result.catch((error) => Promise.reject(located(error, here)))
      : result;
  } catch (error) {
    throw located(error, here);
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Gives an error the stack that it would have. */
function located(error: unknown, { stack }: { stack: string }): unknown {
  if (error instanceof Error) {
    error.stack = `${error}${stack.slice(stack.indexOf("\n    at "))}`;
  }
  return error;
}

/** The files and lines of the stack, as far as the route. */
function stack(): string {
  const { prepareStackTrace, stackTraceLimit } = Error;
  // Without it, the lines would be made into text, which takes most of the time.
  Error.prepareStackTrace = untilRoute;
  try {
    // Most routes are near, and each line takes time.
    Error.stackTraceLimit = Math.min(NEAR, stackTraceLimit);
    const near = capture();
    if (near.isComplete) return near.text;
    Error.stackTraceLimit = stackTraceLimit;
    return capture().text;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

function capture(): StackPart {
  const holder = { stack: undefined as unknown };
  Error.captureStackTrace(holder, traced);
  return holder.stack as StackPart;
}

function untilRoute(_: unknown, sites: readonly CallSite[]): StackPart {
  let text = "";
  for (const site of sites) {
    const file = site.getFileName() ?? "";
    text += `${file}:${site.getLineNumber()}\n`;
    if (routes.has(file)) return { text, isComplete: true };
  }
  return { text, isComplete: sites.length < Error.stackTraceLimit };
}
