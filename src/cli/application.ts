import { Framework } from "../framework.ts";
import type { FrameworkOptions } from "../options.ts";
import { resolveOptions } from "../resolve_options.ts";
import type { ScanOptions } from "../scan.ts";
import type { Call } from "./command.ts";

const DEFAULT = "api";

/** The application that a command is about. */
export function applicationOf(call: Call): Framework {
  return new Framework(optionsOf(call));
}

/** The same, to be looked at without importing any of its files. */
export function scanOptionsOf(call: Call): ScanOptions {
  return resolveOptions(optionsOf(call));
}

function optionsOf({ positionals, value }: Call): FrameworkOptions {
  const [apiDir = DEFAULT] = positionals;
  return { apiDir, apiPrefix: value("prefix") ?? DEFAULT };
}
