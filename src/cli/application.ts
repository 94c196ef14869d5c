import { resolve } from "@std/path";
import { Framework } from "../framework.ts";
import { folderSource } from "../routes/source.ts";
import type { ScanOptions } from "../scan.ts";
import type { Call } from "./command.ts";

const DEFAULT = "api";

/** The application that a command is about. */
export function applicationOf({ positionals, value }: Call): Framework {
  const [apiDir = DEFAULT] = positionals;
  return new Framework({ apiDir, apiPrefix: value("prefix") ?? DEFAULT });
}

/** The same, to be looked at without importing any of its files. */
export function scanOptionsOf({ positionals, value }: Call): ScanOptions {
  const [label = DEFAULT] = positionals;
  const prefix = value("prefix") ?? DEFAULT;
  return {
    source: folderSource({ root: resolve(label), label }),
    prefix: prefix.split("/").filter((segment) => segment !== ""),
  };
}
