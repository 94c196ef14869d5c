import { Framework } from "../framework.ts";
import type { FrameworkOptions } from "../options.ts";
import { resolveOptions } from "../resolve_options.ts";
import type { ScanOptions } from "../scan.ts";
import { type Call, UsageError } from "./command.ts";

const DEFAULT = "api";

/** The application that a command is about. */
export function applicationOf(call: Call): Framework {
  scanOptionsOf(call);
  return new Framework(optionsOf(call));
}

/**
 * The same, to be looked at without importing any of its files.
 *
 * @throws {UsageError} If an option has no sound value.
 */
export function scanOptionsOf(call: Call): ScanOptions {
  try {
    return resolveOptions(optionsOf(call));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function optionsOf({ positionals, value }: Call): FrameworkOptions {
  const [apiDir = DEFAULT] = positionals;
  return { apiDir, apiPrefix: value("prefix") ?? DEFAULT };
}
