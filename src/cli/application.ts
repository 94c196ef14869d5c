import { Framework } from "../framework.ts";
import type { FrameworkOptions } from "../app/options.ts";
import {
  type ResolvedOptions,
  resolveOptions,
} from "../app/resolve_options.ts";
import { type Call, UsageError } from "./command.ts";

const DEFAULT = "api";

/**
 * The application that a command is about.
 *
 * @throws {UsageError} If an option has no sound value.
 */
export function applicationOf(call: Call): Framework {
  return misuseOf(() => new Framework(optionsOf(call)));
}

/**
 * The options of that application, to look at what it starts from.
 *
 * @throws {UsageError} If an option has no sound value.
 */
export function resolvedOptionsOf(call: Call): ResolvedOptions {
  return misuseOf(() => resolveOptions(optionsOf(call)));
}

/** What the application takes for a wrong option, here is one of the command. */
function misuseOf<Result>(create: () => Result): Result {
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
