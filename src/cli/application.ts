import { resolve } from "@std/path/resolve";
import { printable } from "../common/log.ts";
import { isObject } from "../common/values.ts";
import type { ModuleExports } from "../exports/misnamed.ts";
import { RouteError } from "../faults.ts";
import { Framework } from "../framework.ts";
import type { FrameworkOptions } from "../options/options.ts";
import { type ResolvedOptions, resolveOptions } from "../options/resolve.ts";
import type { Inspection } from "../start/inspect.ts";
import { importFailure, load } from "../start/source.ts";
import { ExitError, watchProcess } from "../testing/process_watch.ts";
import { type Call, ModuleError, printError, UsageError } from "./command.ts";
import { fileInfo } from "./files.ts";

const DEFAULT = "api";

/**
 * Finds out all about the application that a command is called for: of a folder, or
 * exported by a module.
 *
 * @throws {UsageError} If an option has an invalid value.
 * @throws {ModuleError} If the module is of no use.
 */
export async function inspectionOf(call: Call): Promise<Inspection> {
  const path = moduleOf(call);
  const inspection = path === undefined
    ? await inspectionOfFolder(call)
    : await inspectionOfModule(path, call);
  const faults = inspection.faults.map((fault) => ({
    ...fault,
    reason: withImportHint(fault.reason),
  }));
  return { ...inspection, faults };
}

async function inspectionOfFolder(call: Call): Promise<Inspection> {
  const app = asUsageError(() => new Framework(optionsOf(call)));
  const { positionals: [path = DEFAULT] } = call;
  return await watched(path, () => app.inspect());
}

async function inspectionOfModule(
  path: string,
  { value }: Call,
): Promise<Inspection> {
  if (value("prefix") !== undefined) {
    throw new UsageError(
      `--prefix goes with a folder; "${path}" says itself what its prefix is`,
    );
  }
  return await inspectModule(path);
}

/**
 * The same for commands that need an application without faults. Warnings are printed.
 *
 * @throws {RouteError} If the application cannot start.
 */
export async function soundInspectionOf(call: Call): Promise<Inspection> {
  const inspection = await inspectionOf(call);
  printWarnings(inspection.warnings);
  if (inspection.faults.length > 0) throw new RouteError(inspection.faults);
  return inspection;
}

/** The module that a command is called with, in place of a folder: `main.ts`. */
export function moduleOf({ positionals: [path] }: Call): string | undefined {
  if (path === undefined || !/\.[cm]?[jt]sx?$/.test(path)) return undefined;
  try {
    return Deno.statSync(path).isDirectory ? undefined : path;
  } catch {
    return path;
  }
}

/**
 * The checked options of an application, for a command that needs only a part of its
 * start.
 *
 * @throws {UsageError} If an option has an invalid value.
 */
export function resolvedOptionsOf(call: Call): ResolvedOptions {
  return asUsageError(() => resolveOptions(optionsOf(call)));
}

/** Prints warnings to standard error. */
export function printWarnings(
  warnings: readonly { readonly path: string; readonly message: string }[],
): void {
  for (const { path, message } of warnings) {
    printError(printable(`Warning: "${path}": ${message}`));
  }
}

/** Reports a wrong option of the application as one of the command. */
function asUsageError<Result>(create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function optionsOf({ positionals, value }: Call): FrameworkOptions {
  const [apiDir = DEFAULT] = positionals;
  return { apiDir, apiPrefix: value("prefix") ?? DEFAULT };
}

/**
 * An application, told by its members: the module may import another copy of the
 * package than the command, and so another class.
 */
interface Application {
  readonly fetch: unknown;
  readonly routes: unknown;
  readonly inspect?: () => Promise<Inspection>;
}

/**
 * Imports a module, and finds out all about the application that it exports as `app`
 * or by default. Nothing is served meanwhile.
 *
 * @throws {UsageError} If there is no such file.
 * @throws {ModuleError} If it fails, exports no application, or serves.
 */
export async function inspectModule(path: string): Promise<Inspection> {
  return (await loadApplication(path)).inspection;
}

/** A module that exports an application, and what was found out about that. */
export interface ApplicationModule {
  /** What it exports. */
  readonly exports: ModuleExports;
  /** The application: what it exports, or what its `createApp` makes. */
  readonly app: Application & Required<Pick<Application, "inspect">>;
  /** All about the application. */
  readonly inspection: Inspection;
}

/**
 * Imports a module, and finds the application that it exports, or that its export
 * `createApp` makes.
 *
 * @throws {UsageError} If there is no such file.
 * @throws {ModuleError} If it fails, exports no application, or serves.
 */
export async function loadApplication(
  path: string,
): Promise<ApplicationModule> {
  const location = resolve(path);
  if (!fileInfo(location)?.isFile) {
    throw new UsageError(
      `there is no file "${path}"; name the folder of the routes, or the module that exports the application`,
    );
  }
  return await withoutServer(path, () =>
    watched(path, async () => {
      const exports = await importModule(path, location);
      const app = applicationIn(await withMade(exports, path), path);
      if (hasInspect(app)) {
        return { exports, app, inspection: await app.inspect() };
      }
      throw new ModuleError(
        path,
        "its version of @bough/framework is older than this command; update it",
      );
    }));
}

async function importModule(
  path: string,
  location: string,
): Promise<ModuleExports> {
  try {
    return await load({ path, location, folders: [] });
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    const reason = withImportHint(importFailure(cause, path));
    throw new ModuleError(path, reason, { cause });
  }
}

/** Adds what to do where a name is imported that the command cannot know. */
export function withImportHint(reason: string): string {
  return /\bnot a dependency\b/.test(reason)
    ? `${reason}\n    A command that "deno install" made does not read the deno.json of your project; run this there: deno run -A jsr:@bough/framework/cli`
    : reason;
}

/** The exports, with what `createApp` makes where there is no application. */
async function withMade(
  exports: ModuleExports,
  path: string,
): Promise<ModuleExports> {
  const { app, default: main, createApp } = exports;
  if (typeof createApp !== "function" || (app ?? main) !== undefined) {
    return exports;
  }
  try {
    return { ...exports, app: await createApp() };
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    throw new ModuleError(path, `its createApp() failed: ${cause}`, { cause });
  }
}

function hasInspect(app: Application): app is ApplicationModule["app"] {
  return app.inspect !== undefined;
}

function applicationIn(exports: ModuleExports, path: string): Application {
  const found = [exports.app, exports.default].find(isApplication);
  if (found !== undefined) return found;
  const reason = exports.app === undefined
    ? 'it exports no application; write "export const app = new Framework(…)"'
    : 'its export "app" is no application; it must be a new Framework(…)';
  throw new ModuleError(path, reason);
}

function isApplication(value: unknown): value is Application {
  if (!isObject(value)) return false;
  const { fetch, routes } = value;
  return typeof fetch === "function" && typeof routes === "function";
}

/** Thrown where a module starts a server while a command looks at it. */
class ServerError extends Error {}

/**
 * Runs a task that imports code of an application. Where that ends the process, or
 * leaves an error that nobody catches, the task ends with that. Listeners of signals
 * are not added: Ctrl+C ends the command, and not what the application would end.
 *
 * @param path The application, as the command was called with it.
 * @throws {ExitError} If the code ends the process.
 * @throws {ModuleError} If nobody catches an error.
 */
export async function watched<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const escaped = Promise.withResolvers<never>();
  using _ = watchProcess(({ text, error }) => {
    // Where nothing awaits `app.serve()`. What stops its start is found anyway.
    const isFound = error instanceof ServerError ||
      error instanceof Error && error.name === "RouteError";
    if (isFound) return;
    escaped.reject(
      error instanceof ExitError ? error : new ModuleError(path, text),
    );
  });
  const { addSignalListener } = Deno;
  Object.assign(Deno, { addSignalListener: () => {} });
  const done = Promise.race([run(), escaped.promise]);
  await Promise.allSettled([done]);
  // Timers that are due, and then promises that were rejected.
  await new Promise<void>((go) => setTimeout(() => setImmediate(go)));
  Object.assign(Deno, { addSignalListener });
  return await Promise.race([escaped.promise, done]);
}

/**
 * Runs a task in which nobody can start a server: a module that does so when it is
 * imported would take a port, and might keep the command waiting for ever.
 */
async function withoutServer<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { serve } = Deno;
  let error: ServerError | undefined;
  Object.assign(Deno, {
    serve: () => {
      throw error ??= new ServerError(`"${path}" serves`);
    },
  });
  try {
    const result = await run();
    if (error === undefined) return result;
  } catch (other) {
    // A module that failed once fails with the same error again.
    if (error === undefined && !(other instanceof ServerError)) throw other;
  } finally {
    Object.assign(Deno, { serve });
  }
  throw new ModuleError(
    path,
    "it serves as soon as it is imported; write: if (import.meta.main) await app.serve()",
  );
}
