import type { Warning } from "../../core/start/discover.ts";

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
