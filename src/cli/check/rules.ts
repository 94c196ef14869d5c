import type { Warning } from "../../core/start/discover.ts";

/** Findings of `bough check` that prevent startup, by rule. They cannot be allowed. */
export const ERRORS = {
  "api-dir": "the folder of the routes is missing or unreadable",
  application: "the module exports no application, or fails",
  exports: "a route file or middleware file has invalid exports",
  "folder-name": "folder names do not form a URL pattern",
  "guard-off": "a file that may be meant as a guard would not run",
  import: "a file cannot be imported",
  link: "a route, a guard or a folder is a link or a special file",
  manifest: "a key of a manifest is not a file path",
  permissions: "the process lacks permissions that files declare",
  plugin: "a plugin fails, adds invalid routes, or rejects other routes",
  "same-url": "two files serve the same URLs",
  unreadable: "a folder below `apiDir` cannot be read",
} as const;

/** Likely mistakes that `bough check` finds, by rule. */
export const WARNINGS = {
  "cookie-header":
    "a schema of `headers` has `cookie`; a schema of `cookies` has their names",
  document: "the OpenAPI document cannot describe a schema exactly",
  "folder-notation": "a folder name uses another framework's notation: `:id`",
  "no-routes": "the application has no route file",
  "patch-default":
    "a body of `PATCH` has a default, so an absent member is reset",
  "plugin-route": "a folder's middleware does not run around a plugin's route",
  "route-name":
    "a file or a manifest key may be meant as a route, but is misnamed: `routes.ts`",
  unguarded: "a route declares `security`, but no contract above requires it",
  "unguarded-method":
    "a method that changes data has no guard, but another one of its route has",
  "unguarded-tool":
    "a tool for agents may change data, but requires no `security`",
  "unknown-param":
    "a schema of `params` has a name that the path does not have",
  "unsent-member":
    "`params`, `query`, `headers` or `cookies` have a value that no request can send",
} as const;

export type Rule = keyof typeof ERRORS | keyof typeof WARNINGS;

/** A warning of a known rule. */
export function warning(
  rule: keyof typeof WARNINGS,
  path: string,
  message: string,
): Warning {
  return { rule, path, message };
}

export interface Finding extends Warning {
  /** An error must be fixed; a warning may be allowed. */
  readonly level: "error" | "warning";
}
