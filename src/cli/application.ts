import { Framework } from "../framework.ts";
import type { FrameworkOptions } from "../app/options.ts";
import {
  type ResolvedOptions,
  resolveOptions,
} from "../app/resolve_options.ts";
import { type Call, UsageError } from "./command.ts";

const DEFAULT = "api";

/**
 * Creates the application that a command is called for.
 *
 * @throws {UsageError} If an option has an invalid value.
 */
export function applicationOf(call: Call): Framework {
  return asUsageError(() => new Framework(optionsOf(call)));
}

/**
 * The checked options of that application, for commands that need only a part of
 * its start.
 *
 * @throws {UsageError} If an option has an invalid value.
 */
export function resolvedOptionsOf(call: Call): ResolvedOptions {
  return asUsageError(() => resolveOptions(optionsOf(call)));
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
