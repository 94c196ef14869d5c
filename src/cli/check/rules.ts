import type { Warning } from "../../start/discover.ts";

/** What `check` finds that stops the start, by rule. It cannot be allowed. */
export const ERRORS = {
  "api-dir": "the folder of the routes is missing, or cannot be read",
  application: "the module exports no application, or fails",
  exports: "what a route file or middleware file exports is wrong",
  "folder-name": "folders do not make a URL pattern",
  "guard-off": "a file that may be meant as a guard would guard nothing",
  import: "a file cannot be imported",
  manifest: "a key of a manifest is no path of a file",
  permissions: "permissions that files declare are missing",
  plugin: "a plugin fails, its routes are wrong, or it refuses others",
  "same-url": "two files serve the same URLs",
  types: "the type checker refuses a file (with `--types`)",
  unreadable: "a folder below `apiDir` cannot be read",
} as const;

/** What `check` finds that is likely a mistake, by rule. */
export const WARNINGS = {
  allowance: "a comment `bough-allow`, or `--allow`, has no effect",
  "contract-security":
    "a contract has a 401 or 403, and neither it nor one above has `security`",
  "decomposed-name": "a folder's name is in a form that no client sends",
  document: "a schema cannot be in the OpenAPI document as it is",
  "folder-notation": "a folder is in another framework's notation: `:id`",
  "plugin-route": "middleware of a folder does not run around a plugin's route",
  "response-form":
    "a schema of what is sent takes other values than it returns",
  "route-name": "a file may be meant as a route, and is none: `routes.ts`",
  skipped: "a link, or a key of a manifest, is passed over",
  "unknown-param": "a schema of `params` does not fit the names in the path",
  "strict-schema":
    "a strict schema of query or headers refuses what another level declares",
  "unclear-name":
    "a schema may check a name of a contract above without naming it",
  unguarded: "a route declares `security`, and no contract above demands any",
  "wide-permission":
    "a file declares `run`, or `net` or `write` without a list",
  "wildcard-base": "a wildcard is alone in its folder, whose own URL is a 404",
  "wildcard-beside-dynamic":
    "a wildcard takes what routes below the dynamic folder beside it leave",
} as const;

export type Rule = keyof typeof ERRORS | keyof typeof WARNINGS;

/** A warning, whose rule there is. */
export function warning(rule: Rule, path: string, message: string): Warning {
  return { rule, path, message };
}

export interface Finding extends Warning {
  /** An error has to be mended; a warning may be allowed. */
  readonly level: "error" | "warning";
}
