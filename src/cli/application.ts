import { Framework } from "../framework.ts";
import type { Call } from "./command.ts";

/** The application that a command is about. */
export function applicationOf({ positionals, value }: Call): Framework {
  return new Framework({
    apiDir: apiDirOf(positionals),
    apiPrefix: value("prefix") ?? "api",
  });
}

/** The folder that a command is about, as its caller spells it. */
export function apiDirOf([apiDir = "api"]: readonly string[]): string {
  return apiDir;
}
