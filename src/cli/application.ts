import { resolve } from "@std/path/resolve";
import { printable } from "../common/log.ts";
import { isObject } from "../common/values.ts";
import type { ModuleExports } from "../exports/route_module.ts";
import { RouteError } from "../faults.ts";
import type { FrameworkOptions } from "../options/options.ts";
import { type ResolvedOptions, resolveOptions } from "../start/options.ts";
import { inspect, type Inspection } from "../start/inspect.ts";
import { importFailure, load } from "../start/source.ts";
import { ExitError, watchProcess } from "../testing/process_watch.ts";
import {
  type Call,
  ModuleError,
  printError,
  rethrow,
  UsageError,
} from "./command.ts";
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
  let inspection: Inspection;
  if (path === undefined) {
    const options = resolvedOptionsOf(call);
    inspection = await watched(call.path ?? DEFAULT, () => inspect(options));
  } else if (call.value("prefix") === undefined) {
    ({ inspection } = await loadApplication(path));
  } else {
    throw new UsageError(
      `--prefix goes with a folder; "${path}" says itself what its prefix is`,
    );
  }
  const faults = inspection.faults.map((fault) => ({
    ...fault,
    reason: withImportHint(fault.reason),
  }));
  return { ...inspection, faults };
}

/**
 * The same for commands that need an application without faults. Warnings are printed.
 *
 * @throws {RouteError} If the application cannot start.
 */
export async function validInspectionOf(call: Call): Promise<Inspection> {
  const inspection = await inspectionOf(call);
  printWarnings(inspection.warnings);
  if (inspection.faults.length > 0) throw new RouteError(inspection.faults);
  return inspection;
}

/** The module that a command is called with, in place of a folder: `main.ts`. */
export function moduleOf({ path }: Call): string | undefined {
  if (path === undefined || !/\.[cm]?[jt]sx?$/.test(path)) return undefined;
  try {
    return Deno.statSync(path).isDirectory ? undefined : path;
  } catch {
    return path;
  }
}

/** The options of an application that is a folder. */
export function folderOptions(
  { path = DEFAULT, value }: Call,
): FrameworkOptions {
  return { apiDir: path, apiPrefix: value("prefix") ?? DEFAULT };
}

/**
 * The same, checked.
 *
 * @throws {UsageError} If an option has an invalid value.
 */
export function resolvedOptionsOf(call: Call): ResolvedOptions {
  try {
    return resolveOptions(folderOptions(call));
  } catch (error) {
    return rethrow(error);
  }
}

export function printWarnings(
  warnings: readonly { readonly path: string; readonly message: string }[],
): void {
  for (const { path, message } of warnings) {
    printError(printable(`Warning: "${path}": ${message}`));
  }
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

/** A module that exports an application, or its maker, and what was found out. */
interface ApplicationModule {
  readonly exports: ModuleExports;
  readonly app: Application;
  readonly inspection: Inspection;
}

/**
 * Imports a module, and finds out all about the application that it exports as `app` or
 * by default, or that its export `createApp` makes. Nothing is served meanwhile.
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
  const failed = (reason: string, cause?: unknown): never => {
    if (cause instanceof ServerError) throw cause;
    throw new ModuleError(path, reason, { cause });
  };
  return await withoutServer(path, () =>
    watched(path, async () => {
      const exports = await load({ path, location, folders: [] }).catch(
        (cause) => failed(withImportHint(importFailure(cause, path)), cause),
      );
      const { default: main, createApp } = exports;
      let { app } = exports;
      if (typeof createApp === "function" && (app ?? main) === undefined) {
        try {
          app = await createApp();
        } catch (cause) {
          failed(`its createApp() failed: ${cause}`, cause);
        }
      }
      const found = [app, main].find(isApplication);
      if (found === undefined) {
        return failed(
          app === undefined
            ? 'it exports no application; write "export const app = new Framework(…)"'
            : 'its export "app" is no application; it must be a new Framework(…)',
        );
      }
      const inspection = await found.inspect?.() ?? failed(
        "its version of @bough/framework is older than this command; update it",
      );
      return { exports, app: found, inspection };
    }));
}

/** Adds what to do where a name is imported that the command cannot know. */
function withImportHint(reason: string): string {
  return /\bnot a dependency\b/.test(reason)
    ? `${reason}\n    A command that "deno install" made does not read the deno.json of your project; run this there: deno run -A jsr:@bough/framework/cli`
    : reason;
}

function isApplication(value: unknown): value is Application {
  return isObject(value) && typeof value.fetch === "function" &&
    typeof value.routes === "function";
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
