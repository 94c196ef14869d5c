import { resolve } from "@std/path/resolve";
import { printable } from "../core/common/log.ts";
import { isObject } from "../core/common/values.ts";
import type { ModuleExports } from "../core/start/modules.ts";
import { RouteError } from "../core/common/faults.ts";
import type { FrameworkOptions } from "../core/types/options.ts";
import { type ResolvedOptions, resolveOptions } from "../core/start/options.ts";
import { inspect, type Inspection, inTime } from "../core/start/inspect.ts";
import { importFailure, load } from "../core/start/source.ts";
import { ExitError, watchProcess } from "../shared/process_watch.ts";
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
 * Inspects the application that a command names: a folder, or the export of a module.
 *
 * @throws {UsageError} If an option has an invalid value.
 * @throws {ModuleError} If the module cannot be used.
 */
export async function inspectionOf(call: Call): Promise<Inspection> {
  const path = moduleOf(call);
  if (path === undefined) {
    const options = resolvedOptionsOf(call);
    return await watched(call.path ?? DEFAULT, () => inspect(options));
  }
  if (call.value("prefix") === undefined) {
    return (await loadApplication(path)).inspection;
  }
  throw new UsageError(
    `--prefix needs a folder; remove the option, since "${path}" sets its own prefix`,
  );
}

/**
 * Inspects the application for commands that require a valid application, and prints
 * the warnings.
 *
 * @throws {RouteError} If the application cannot start.
 */
export async function validInspectionOf(call: Call): Promise<Inspection> {
  const inspection = await inspectionOf(call);
  printWarnings(inspection.warnings);
  if (inspection.faults.length > 0) throw new RouteError(inspection.faults);
  return inspection;
}

/** The module that a command names instead of a folder, such as `main.ts`. */
export function moduleOf({ path }: Call): string | undefined {
  return path !== undefined && /\.[cm]?[jt]sx?$/.test(path) ? path : undefined;
}

export function folderOptions(
  { path = DEFAULT, value }: Call,
): FrameworkOptions {
  return { apiDir: path, apiPrefix: value("prefix") ?? DEFAULT };
}

/** @throws {UsageError} If an option has an invalid value. */
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
 * An application, recognized by its members, because the module and the command may
 * import different copies of the package, with different classes.
 */
interface Application {
  readonly fetch: unknown;
  readonly inspect: () => Promise<Inspection>;
}

/**
 * Imports a module, and inspects its application: the export `app`, the default export,
 * or the result of `createApp()`. During the import and the inspection, the module
 * cannot start a server.
 *
 * @throws {UsageError} If the file does not exist.
 * @throws {ModuleError} If the module fails, exports no application, or starts a server.
 */
export async function loadApplication(path: string): Promise<{
  readonly exports: ModuleExports;
  readonly app: Application;
  readonly inspection: Inspection;
}> {
  const location = resolve(path);
  if (!fileInfo(location)?.isFile) {
    throw new UsageError(
      `file "${path}" does not exist; name the folder of the routes, or the module that exports the application`,
    );
  }
  const failed = (reason: string, cause?: unknown): never => {
    if (cause instanceof ServerError) throw cause;
    throw new ModuleError(path, reason, { cause });
  };
  return await withoutServer(path, () =>
    watched(path, async () => {
      const exports = await inTime(
        load({ path, location, folders: [] }),
        () => path,
      )
        .catch((cause) => failed(importFailure(cause), cause));
      const { default: main, createApp } = exports;
      let { app } = exports;
      if (typeof createApp === "function" && (app ?? main) === undefined) {
        try {
          app = await inTime(Promise.resolve(createApp()), () => path);
        } catch (cause) {
          failed(`createApp() failed: ${cause}`, cause);
        }
      }
      const found = [app, main].find(isApplication);
      if (found === undefined) {
        const fault = app === undefined
          ? "the module exports no application"
          : 'export "app" is not an application';
        return failed(`${fault}; write "export const app = new Framework(…)"`);
      }
      return { exports, app: found, inspection: await found.inspect() };
    }));
}

function isApplication(value: unknown): value is Application {
  return isObject(value) && typeof value.fetch === "function" &&
    typeof value.inspect === "function";
}

/** Thrown if a module starts a server while a command inspects the module. */
class ServerError extends Error {}

/**
 * Runs a task that imports code of an application. The task fails if this code ends the
 * process, or leaves an error uncaught. Signal listeners of the application are
 * ignored, so that Ctrl+C ends the command.
 *
 * @param path The argument of the command that names the application.
 * @throws {ExitError} If the code ends the process.
 * @throws {ModuleError} If the code leaves an error uncaught.
 */
export async function watched<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const escaped = Promise.withResolvers<never>();
  using _ = watchProcess(({ text, error }) => {
    // If a module calls `app.serve()` without `await`, the errors of this call remain
    // uncaught. `withoutServer()` or the inspection reports them.
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
  // Waits for due timers, then for unhandled rejections.
  await new Promise<void>((go) => setTimeout(() => setImmediate(go)));
  Object.assign(Deno, { addSignalListener });
  return await Promise.race([escaped.promise, done]);
}

/**
 * Runs a task, and makes `Deno.serve()` throw until the task ends. Otherwise, a module
 * that starts a server when imported would occupy a port, and could block the command.
 */
async function withoutServer<Result>(
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { serve } = Deno;
  let error: ServerError | undefined;
  Object.assign(Deno, {
    serve: () => {
      throw error ??= new ServerError(`"${path}" starts a server`);
    },
  });
  try {
    const result = await run();
    if (error === undefined) return result;
  } catch (other) {
    // A module that failed in an earlier import throws the same error again.
    if (error === undefined && !(other instanceof ServerError)) throw other;
  } finally {
    Object.assign(Deno, { serve });
  }
  throw new ModuleError(
    path,
    "the module starts a server when imported; write: if (import.meta.main) await app.serve()",
  );
}
