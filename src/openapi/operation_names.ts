import type { RouteInfo } from "../app/plugin.ts";
import { type Method, schemaKey } from "../method.ts";
import { compileSegment } from "../routing/segment.ts";
import type { DocumentWarning } from "./types.ts";

/** Gives each operation an id of its own. */
export class OperationIds {
  readonly #taken = new Set<string>();

  /** Notes the ids that routes give themselves, and warns of one given twice. */
  constructor(routes: readonly RouteInfo[], warnings: DocumentWarning[]) {
    for (const { schema, file } of routes) {
      for (const [method, { operationId }] of Object.entries(schema)) {
        if (operationId === undefined) continue;
        if (this.#taken.has(operationId)) {
          warnings.push({
            path: file,
            message:
              `schema.${method}.operationId "${operationId}" is used by another operation, too; choose a unique one`,
          });
        }
        this.#taken.add(operationId);
      }
    }
  }

  /** The id of one method of a route. */
  of(route: RouteInfo, method: Method): string {
    const key = schemaKey(method);
    const given = route.schema[key]?.operationId;
    if (given !== undefined) return given;
    const wanted = defaultOperationId(route, method);
    let id = wanted;
    for (let count = 2; this.#taken.has(id); count++) id = `${wanted}${count}`;
    this.#taken.add(id);
    return id;
  }
}

/** The default id of an operation: `getUsersByIdPosts` for `GET users/[id]/posts`. */
export function defaultOperationId(
  { folders }: Pick<RouteInfo, "folders">,
  method: Method,
): string {
  const words = folders.flatMap((name) => {
    const segment = compileSegment(name);
    if (segment.kind === "group") return [];
    if (segment.kind === "dynamic") return ["by", segment.name];
    if (segment.kind === "wildcard") return ["by", "wildcard"];
    return name.split(/[^\p{L}\p{N}]+/u);
  });
  const name = words.length === 0 ? ["root"] : words;
  return method.toLowerCase() + name.map(capitalize).join("");
}

/** What schemas of a contract are named by: `Staff` for `api/(staff)/middleware.ts`. */
export function contractHint(file: string): string {
  const folder = file.split("/").at(-2) ?? "";
  return folder.split(/[^\p{L}\p{N}]+/u).map(capitalize).join("");
}

/** The default tag of an operation: the first folder that is part of its URL. */
export function defaultTags({ folders }: RouteInfo): readonly string[] {
  for (const name of folders) {
    const segment = compileSegment(name);
    if (segment.kind === "static") return [segment.text];
    if (segment.kind === "dynamic") return [segment.name];
  }
  return [];
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
