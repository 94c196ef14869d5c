import { schemaKey } from "../method.ts";
import type { RouteInfo } from "../app/plugin.ts";
import type { Warning } from "../routes/discover.ts";
import type { RoutePattern } from "../routing/pattern.ts";

/** A route, as its folder names describe it. */
export interface NamedRoute {
  readonly info: Pick<RouteInfo, "file" | "folders">;
  readonly pattern: RoutePattern;
}

/** Warns of folder names that are likely a mistake. */
export function treeWarnings(routes: readonly NamedRoute[]): Warning[] {
  const warnings: Warning[] = [];
  const keys = new Set(routes.map(({ pattern }) => pattern.key));
  const dynamicFolders = new Set<string>();
  for (const { pattern } of routes) {
    const names = pattern.key.split("/");
    names.forEach((name, index) => {
      if (name === "[]") dynamicFolders.add(names.slice(0, index).join("/"));
    });
  }
  for (const { info: { file: path, folders }, pattern } of routes) {
    if (pattern.hasWildcard) {
      const base = pattern.key.slice(0, -"/[...]".length);
      if (dynamicFolders.has(base)) {
        warnings.push({
          path,
          message:
            '"[...]" stands beside a dynamic folder, which takes all paths of one segment more; choose one of them',
        });
      }
      if (!keys.has(base === "" ? "/" : base)) {
        warnings.push({
          path,
          message: `"${
            pattern.text.slice(0, -"/[...]".length) || "/"
          }" itself is a 404, since a wildcard takes one segment or more; add a route file there`,
        });
      }
    }
    for (const name of folders) {
      if (name !== name.normalize("NFC")) {
        warnings.push({
          path,
          message:
            `folder "${name}" is not in Unicode's composed form (NFC), which clients send: its route is never reached; rename the folder`,
        });
      }
    }
  }
  return warnings;
}

/** Warns of handlers that have a schema for the body, and do not read it. */
export function ignoredBodies(routes: readonly RouteInfo[]): Warning[] {
  return routes.flatMap(({ file, schema, handlers }) =>
    [...handlers].flatMap(([method, handler]) => {
      const key = schemaKey(method);
      if (schema[key]?.body === undefined || looksAtBody(handler)) return [];
      return [{
        path: file,
        message:
          `${method} ignores the body that schema.${key}.body declares; read request.validated.body, or drop the schema`,
      }];
    })
  );
}

const READERS =
  /\b(?:validated|body|json|text|bytes|arrayBuffer|blob|formData)\b/;
/** The name of a method, in the place of the keyword `function`. */
const METHOD_NAME = /(?<=^(?:async\s+)?)[\w$]+\s*(?=\()/;
/** Members of a request that do not lead to its body. */
const OTHER_MEMBERS = "params|wildcardParams|headers|url|method|signal";

/**
 * Whether the source of a handler reads the body, or passes its request to
 * something that may. In doubt, it does.
 */
function looksAtBody(handler: (...args: never[]) => unknown): boolean {
  const source = handler.toString();
  if (source.includes("[native code]") || READERS.test(source)) return true;
  const parameter =
    /^(?:async\s+)?(?:function\s*\*?\s*[\w$]*\s*)?\(?\s*([\w$]+)/
      .exec(source.replace(METHOD_NAME, "function "))?.[1];
  if (handler.length === 0) return source.includes("arguments");
  if (parameter === undefined) return false;
  const rest = source.slice(source.indexOf(parameter) + parameter.length)
    .replaceAll(
      new RegExp(
        `\\b${RegExp.escape(parameter)}\\.(?:${OTHER_MEMBERS})\\b`,
        "g",
      ),
      "",
    );
  return new RegExp(`(?<![\\w$])${RegExp.escape(parameter)}(?![\\w$])`).test(
    rest,
  );
}
