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
  types: "the type checker rejects a file (with `--types`)",
  unreadable: "a folder below `apiDir` cannot be read",
} as const;

/** Likely mistakes that `bough check` finds, by rule. */
export const WARNINGS = {
  allowance: "a `bough-allow` comment or `--allow` has no effect",
  "contract-security":
    "a contract declares 401 or 403, but neither declares nor inherits `security`",
  "decomposed-name":
    "a folder name is in a Unicode form that clients do not send",
  document: "the OpenAPI document cannot describe a schema exactly",
  "error-format":
    "an error format fails, or makes a body that does not fit its schema",
  "folder-notation": "a folder name uses another framework's notation: `:id`",
  "missing-value": "a route needs a value that no contract above provides",
  "mixed-union":
    "no constant distinguishes the objects of a union, so their members may mix",
  "no-routes": "the application has no route file",
  "omitted-tool": "a method that `mcp` marks as a tool cannot be one",
  "optional-condition":
    "a method declares 428, but no level requires `If-Match` or `If-None-Match`",
  "patch-default":
    "a body of `PATCH` has a default, so an absent member is reset",
  "plugin-route": "a folder's middleware does not run around a plugin's route",
  "read-without-version":
    "changes receive `If-Match`, but `GET` declares no `ETag` or `Last-Modified`",
  "response-form": "a schema of sent data has different input and output types",
  "route-name": "a file may be meant as a route, but is misnamed: `routes.ts`",
  skipped: "a key of a manifest is skipped",
  "streamed-with-key":
    "`idempotent()` reads the body of a method that streams it",
  "tool-description": "a tool for agents has no description",
  "undeclared-members":
    "a schema of sent data has no JSON Schema, so all members are sent",
  "unknown-param": "a schema of `params` does not match the names in the path",
  "strict-schema":
    "a strict schema of query or headers rejects names of another level",
  "unclear-name":
    "a schema may check a name that only an outer contract declares",
  unguarded: "a route declares `security`, but no contract above requires it",
  "unguarded-method":
    "a method that changes data has no guard, but another one of its route has",
  "unguarded-tool":
    "a tool for agents may change data, but requires no `security`",
  "unsent-member":
    "a part of a request or a form declares a value that no request can send",
  "wide-permission":
    "a file declares `run`, or `net` or `write` without a list",
  "wildcard-beside-dynamic":
    "a wildcard serves paths that the dynamic folder next to it does not match",
} as const;

export type Rule = keyof typeof ERRORS | keyof typeof WARNINGS;

/** A warning of a known rule. */
export function warning(rule: Rule, path: string, message: string): Warning {
  return { rule, path, message };
}

export interface Finding extends Warning {
  /** An error must be fixed; a warning may be allowed. */
  readonly level: "error" | "warning";
}
