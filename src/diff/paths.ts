import type { UrlSegment } from "../plumbing.ts";
import { unnamed } from "../shared/document/parameters.ts";
import { segmentFinder } from "../shared/route_finder.ts";
import type { OpenApiDocument, Operation, Parameter } from "../shared/types.ts";
import type { Validators } from "./validators.ts";

/** URLs by segment: a string, or `undefined` for every string that no path contains. */
type Urls = readonly (string | undefined)[];

export interface Path {
  /** The path with the names of its parameters: `/api/books/{bookId}`. */
  readonly template: string;
  /** The path without these names. */
  readonly key: string;
  readonly urls: Urls;
  /** The names of the parameters by segment. */
  readonly names: Urls;
  /** Whether the last segment is a wildcard. */
  readonly isOpen: boolean;
  readonly segments: readonly UrlSegment[];
  /** The operations by lowercase method. */
  readonly operations: Readonly<Record<string, Operation>>;
}

/** A part of the URLs of an old path. */
export interface Server {
  readonly urls: Urls;
  /** The path of the new document that serves the URLs, if one does. */
  readonly path: Path | undefined;
  /** Whether another path serves the other URLs of the old path. */
  readonly isPartial: boolean;
}

export function pathsOf({ paths }: OpenApiDocument): Path[] {
  return Object.entries(paths).map(([template, operations]) => {
    const texts = template.split("/").slice(1);
    const names = texts.map((text) => /^\{([^}]*)\}$/.exec(text)?.[1]);
    const isOpen = Object.values(operations)
      .flatMap(({ parameters = [] }) => parameters)
      .some((each) => each["x-wildcard"] && each.name === names.at(-1));
    const urls = texts.map((text, index) =>
      names[index] === undefined ? unnamed(text) : undefined
    );
    return {
      ...{ template, urls, names, isOpen, operations },
      key: unnamed(template) + (isOpen ? "*" : ""),
      segments: urls.map((text, index): UrlSegment =>
        text !== undefined
          ? { kind: "static", text }
          : isOpen && index === urls.length - 1
          ? { kind: "wildcard" }
          : { kind: "dynamic", name: `${index}` }
      ),
    };
  });
}

/** An operation, and its path. */
export interface LocatedOperation {
  /** The method in uppercase. */
  readonly method: string;
  readonly path: Path;
  readonly operation: Operation;
}

/** The name of an operation: `GET /api/books/{bookId}`. */
export function nameOf({ method, path }: LocatedOperation): string {
  return `${method} ${path.template}`;
}

/** The URLs of a server for messages: `/api/users/me`. */
export function urlText({ urls }: Server): string {
  return urls.map((each) => `/${each ?? "*"}`).join("");
}

/** Whether a key of a part is the status of a success or of a redirect. */
export function isSuccess(key: string): boolean {
  return Number(key) < 400;
}

/** The URLs of a path that have some segments; `undefined` if there are none. */
function urlsOf({ urls, isOpen }: Path, length: number): Urls | undefined {
  const more = length - urls.length;
  if (more === 0) return urls;
  return more > 0 && isOpen ? [...urls, ...Array<undefined>(more)] : undefined;
}

/** The URLs that match both paths; `undefined` if there are none. */
function overlap(first: Path, second: Path): Urls | undefined {
  const length = Math.max(first.urls.length, second.urls.length);
  const [a, b] = [urlsOf(first, length), urlsOf(second, length)];
  const isEmpty = a === undefined || b === undefined ||
    a.some((text, index) => text !== undefined && text !== (b[index] ?? text));
  return isEmpty ? undefined : a.map((text, index) => text ?? b[index]);
}

/** Finds the path whose route serves URLs. */
function finderOf(paths: readonly Path[]): (urls: Urls) => Path | undefined {
  const find = segmentFinder(paths);
  // No segment of a path has the text `{}`.
  return (urls) => find(urls.map((each) => each ?? "{}"));
}

/** The maximum number of paths that serve the URLs of one path. */
export const MAX_SERVERS = 50;

/** Finds the paths of a new document that serve the URLs of the old document. */
export class Routing {
  readonly #before: (urls: Urls) => Path | undefined;
  readonly #after: (urls: Urls) => Path | undefined;
  readonly #all: readonly Path[];

  constructor(before: readonly Path[], after: readonly Path[]) {
    this.#before = finderOf(before);
    this.#after = finderOf(after);
    this.#all = after;
  }

  /** The paths that serve the URLs of an old path, up to the maximum number. */
  servers(old: Path): Server[] {
    const own = this.#all.find(({ key }) => key === old.key);
    const found: Server[] = [];
    const isFound = (path?: Path) => found.some((each) => each.path === path);
    const { length } = old.urls;
    // A wildcard has longer URLs, too, which other paths may serve.
    const longest = own || !old.isOpen
      ? length
      : Math.max(length, ...this.#all.map(({ urls }) => urls.length)) + 1;
    for (let each = length; each <= longest; each++) {
      const urls = urlsOf(old, each)!;
      const path = own ?? this.#after(urls);
      if (!isFound(path)) found.push({ path, urls, isPartial: false });
      if (path === undefined) break;
    }
    if (found[0]!.path === undefined) return found;
    // Another path may serve some URLs, such as `users/me` of `users/[name]`.
    for (const path of this.#all) {
      if (found.length === MAX_SERVERS) break;
      const urls = isFound(path) ? undefined : overlap(old, path);
      const isServed = urls !== undefined && this.#before(urls) === old &&
        this.#after(urls) === path;
      if (isServed) found.push({ path, urls, isPartial: true });
    }
    return found;
  }
}

/** An old operation, and the operation that serves its requests. */
interface Versions {
  /** The old operation, with the path parameters of the new path. */
  readonly old: LocatedOperation;
  readonly now: LocatedOperation | undefined;
  /** Whether both are one operation, which may have new names. */
  readonly isOwn: boolean;
}

/**
 * Finds the operation that serves the requests of an old operation with some URLs.
 *
 * @returns The operations; `undefined` if no request has these URLs.
 */
export function versionsAt(
  old: LocatedOperation,
  { urls, path, isPartial }: Server,
  schemas: { readonly wide: Validators; readonly narrow: Validators },
): Versions | undefined {
  if (path === undefined) return { old, now: undefined, isOwn: false };
  const { method } = old;
  const own = path.operations[method.toLowerCase()];
  const handler = own ?? (method === "HEAD" ? path.operations.get : undefined);
  const parameters = parametersAt(old, { urls, path, handler }, schemas);
  if (parameters === undefined) return undefined;
  const operation = { ...old.operation, parameters };
  const now = handler ??
    (method === "OPTIONS" ? automatic(operation) : undefined);
  const isLike = old.path.urls.length === path.urls.length &&
    old.path.urls.every((each, index) =>
      each === undefined || path.urls[index] !== undefined
    );
  return {
    old: { ...old, path, operation },
    now: now && { method, path, operation: now },
    isOwn: !isPartial && own !== undefined && isLike,
  };
}

/** The parameters of an old operation at a new path; `undefined` if no URL fits. */
function parametersAt(
  old: LocatedOperation,
  { urls, path, handler }: {
    readonly urls: Urls;
    readonly path: Path;
    readonly handler: Operation | undefined;
  },
  schemas: { readonly wide: Validators; readonly narrow: Validators },
): Parameter[] | undefined {
  const parameters: Parameter[] = (old.operation.parameters ?? [])
    .filter((each) => each.in !== "path");
  for (const [index, text] of path.urls.entries()) {
    const known = pathParameter(old, index);
    const values = valuesOf(urls[index]);
    if (text === undefined) {
      if (path.isOpen && index === path.urls.length - 1) continue;
      const now = handler && pathParameter({ path, operation: handler }, index);
      const value = values.find((each) =>
        schemas.narrow.accepts(now?.schema, each)
      ) ?? values[0];
      const schema = value === undefined
        ? { type: "string" }
        : { const: value };
      const name = path.names[index]!;
      parameters.push({ in: "path", required: true, schema, ...known, name });
    } else if (
      // If the id is a number, `users/me` is not a URL of `users/[id]`.
      values.every((each) =>
        schemas.wide.accepts(known?.schema, each) === false
      )
    ) return undefined;
  }
  return parameters;
}

/** The response of Bough to OPTIONS, which has neither a body nor other headers. */
function automatic(operation: Operation): Operation {
  const headers = { allow: { required: true, schema: { type: "string" } } };
  const responses = Object.keys(operation.responses).filter(isSuccess)
    .map((status) => [status, { description: "", headers }]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** The parameter at a segment of a path; a wildcard has none. */
function pathParameter(
  { path, operation }: Omit<LocatedOperation, "method">,
  index: number,
): Parameter | undefined {
  return operation.parameters?.find((each) =>
    each.in === "path" && each.name === path.names[index] &&
    !each["x-wildcard"]
  );
}

/** The values that a segment of a URL may have: a string, and perhaps a number. */
function valuesOf(segment: string | undefined): unknown[] {
  if (segment === undefined) return [];
  const text = decodeURIComponent(segment);
  return text.trim() === "" || Number.isNaN(Number(text))
    ? [text]
    : [text, Number(text)];
}
