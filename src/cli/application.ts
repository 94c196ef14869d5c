import { Framework } from "../framework.ts";
import type { Inspection } from "../app/inspect.ts";
import type { FrameworkOptions } from "../app/options.ts";
import {
  type ResolvedOptions,
  resolveOptions,
} from "../app/resolve_options.ts";
import { printable } from "../common/printable.ts";
import { RouteError } from "../routes/route_error.ts";
import {
  inspectModule,
  watched,
  withImportHint,
} from "./application_module.ts";
import { type Call, printError, UsageError } from "./command.ts";

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
