import {
  type Method,
  METHODS,
  resolveMethod,
  schemaKey,
} from "../core/methods.ts";
import { RoutedPath } from "../core/routing/pathname.ts";
import { RoutePattern, type UrlSegment } from "../core/routing/pattern.ts";
import { RouteTree } from "../core/routing/tree.ts";
import { unnamed } from "../shared/document/parameters.ts";
import type { OpenApiDocument, Operation, Parameter } from "../shared/types.ts";
import type { Validators } from "./validators.ts";

interface Segment {
  readonly kind: UrlSegment["kind"];
  /** The text of a static segment, or the name of a parameter. */
  readonly text: string;
}

export interface Path {
  /** The path with the names of its parameters: `/api/books/{bookId}`. */
  readonly template: string;
  /** The path without these names. */
  readonly pattern: RoutePattern;
  readonly segments: readonly Segment[];
  /** The operations by lowercase method. */
  readonly operations: Readonly<Record<string, Operation>>;
}

/** URLs by segment: a string, or `undefined` for every string that no path contains. */
type Urls = readonly (string | undefined)[];

/** A part of the URLs of an old path. */
export interface Server {
  readonly urls: Urls;
  /** The URLs for messages: `/api/users/me`. */
  readonly text: string;
  /** The path of the new document that serves the URLs, if one does. */
  readonly path: Path | undefined;
  /** Whether another path serves the other URLs of the old path. */
  readonly isPartial: boolean;
}

export function pathsOf({ paths }: OpenApiDocument): Path[] {
  return Object.entries(paths).map(([template, operations]) => {
    const wildcards = Object.values(operations)
      .flatMap(({ parameters = [] }) => parameters)
      .filter((each) => each["x-wildcard"]);
    const segments = template.split("/").slice(1)
      .map((text) => segmentOf(text, wildcards));
    const pattern = new RoutePattern(
      segments.map(({ kind, text }, index) =>
        kind === "dynamic" ? { kind, name: `${index}` } : { kind, text }
      ),
    );
    return { template, pattern, segments, operations };
  });
}

function segmentOf(text: string, wildcards: readonly Parameter[]): Segment {
  const [, name] = /^\{([^}]*)\}$/.exec(text) ?? [];
  if (name === undefined) {
    return { kind: "static", text: unnamed(text) };
  }
  const isWildcard = wildcards.some((each) => each.name === name);
  return { kind: isWildcard ? "wildcard" : "dynamic", text: name };
}

/** An operation, and its path. */
export interface LocatedOperation {
  readonly method: Method;
  readonly path: Path;
  readonly operation: Operation;
}

/** The name of an operation: `GET /api/books/{bookId}`. */
export function nameOf({ method, path }: LocatedOperation): string {
  return `${method} ${path.template}`;
}

/** Whether a key of a part is the status of a success or of a redirect. */
export function isSuccess(key: string): boolean {
  return Number(key) < 400;
}

/** The path whose route responds to URLs (rule 3.1). */
function match(tree: RouteTree<Path>, urls: Urls): Path | undefined {
  // No segment of a path has the text `{}`.
  const text = urls.map((each) => `/${each ?? "{}"}`).join("");
  return tree.find(new RoutedPath(text))?.value;
}

/** The maximum number of paths that serve the URLs of one path. */
export const MAX_SERVERS = 50;

/** Finds the paths of a new document that serve the URLs of the old document. */
export class Routing {
  readonly #before: RouteTree<Path>;
  readonly #after: RouteTree<Path>;
  readonly #all: readonly Path[];
  /** The paths that only the new document has. */
  readonly #added: readonly Path[];
  readonly #known: ReadonlyMap<string, Path>;
  /** The number of segments of the longest path. */
  readonly #depth: number;

  constructor(before: readonly Path[], after: readonly Path[]) {
    this.#before = new RouteTree(before, () => {});
    this.#after = new RouteTree(after, () => {});
    this.#all = after;
    this.#known = new Map(after.map((path) => [path.pattern.key, path]));
    const old = new Set(before.map(({ pattern }) => pattern.key));
    this.#added = after.filter(({ pattern }) => !old.has(pattern.key));
    this.#depth = Math.max(0, ...after.map(({ segments }) => segments.length));
  }

  /** The paths that serve the URLs of an old path, up to the maximum number. */
  servers(old: Path): Server[] {
    const own = this.#known.get(old.pattern.key);
    const whole = new Map<Path | undefined, Urls>();
    for (const urls of this.#lengths(old)) {
      const path = own ?? match(this.#after, urls);
      if (!whole.has(path)) whole.set(path, urls);
      if (path === undefined) break;
    }
    const found = [...whole].map(([path, urls]) => serverOf(urls, path, false));
    if (found[0]!.path === undefined) return found;
    // A path that is new may serve some URLs, such as `users/me` of `users/[name]`.
    for (const path of own ? this.#added : this.#all) {
      if (found.length === MAX_SERVERS) break;
      const urls = whole.has(path) ? undefined : overlap(old, path);
      const isFound = urls !== undefined &&
        match(this.#before, urls) === old && match(this.#after, urls) === path;
      if (isFound) found.push(serverOf(urls, path, true));
    }
    return found;
  }

  /** The URLs of a path. A wildcard has longer URLs, too, which other paths may serve. */
  *#lengths({ segments, pattern }: Path): Generator<Urls> {
    const urls = urlsOf(segments);
    yield urls;
    if (segments.at(-1)?.kind !== "wildcard" || this.#known.has(pattern.key)) {
      return;
    }
    do yield urls.concat(undefined); while (
      urls.push(undefined) <= this.#depth
    );
  }
}

function serverOf(
  urls: Urls,
  path: Path | undefined,
  isPartial: boolean,
): Server {
  const text = urls.map((each) => `/${each ?? "*"}`).join("");
  return { urls, text, path, isPartial };
}

function urlsOf(segments: readonly Segment[]): (string | undefined)[] {
  return segments.map(({ kind, text }) => kind === "static" ? text : undefined);
}

/** The URLs that match both paths; `undefined` if there are none. */
function overlap(
  { segments: a }: Path,
  { segments: b }: Path,
): Urls | undefined {
  const urls: (string | undefined)[] = [];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [first, second] = [a[index], b[index]];
    if (first === undefined || second === undefined) return undefined;
    if (first.kind === "wildcard" || second.kind === "wildcard") {
      const rest = first.kind === "wildcard" ? b : a;
      return [...urls, ...urlsOf(rest.slice(index))];
    }
    const [text, other] = urlsOf([first, second]);
    if (text !== undefined && other !== undefined && text !== other) return;
    urls.push(text ?? other);
  }
  return urls;
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
  const methods = METHODS.filter((each) => schemaKey(each) in path.operations);
  const resolution = resolveMethod(methods, old.method);
  const method = "handler" in resolution ? resolution.handler : old.method;
  const handler = path.operations[schemaKey(method)];
  const parameters: Parameter[] = (old.operation.parameters ?? [])
    .filter((each) => each.in !== "path");
  for (const [index, { kind, text: name }] of path.segments.entries()) {
    const given = old.path.segments[index];
    const known = given?.kind === "dynamic"
      ? pathParameter(old.operation, given.text)
      : undefined;
    const values = valuesOf(urls[index]);
    if (kind === "static") {
      // If the id is a number, `users/me` is not a URL of `users/[id]`.
      const isSent = known === undefined ||
        values.some((each) =>
          schemas.wide.accepts(known.schema, each) !== false
        );
      if (!isSent) return undefined;
    } else if (kind === "dynamic") {
      const { schema: narrow = {} } = pathParameter(handler, name) ?? {};
      const value = values.find((each) =>
        schemas.narrow.accepts(narrow, each)
      ) ??
        values[0];
      const schema = value === undefined
        ? { type: "string" }
        : { const: value };
      parameters.push({ in: "path", required: true, schema, ...known, name });
    }
  }
  const operation = { ...old.operation, parameters };
  const isAutomatic = "status" in resolution && resolution.status === 204;
  const found = isAutomatic ? automatic(operation) : handler;
  const now = found && { method, path, operation: found };
  return {
    old: { ...old, path, operation },
    now,
    isOwn: !isPartial && handler !== undefined && method === old.method &&
      old.path.segments.length === path.segments.length &&
      old.path.segments.every(({ kind }, index) =>
        kind !== "static" || path.segments[index]?.kind === "static"
      ),
  };
}

/** The response of Bough to OPTIONS, which has neither a body nor other headers. */
function automatic(operation: Operation): Operation {
  const headers = { allow: { required: true, schema: { type: "string" } } };
  const statuses = Object.keys(operation.responses).filter(isSuccess);
  return {
    ...operation,
    responses: Object.fromEntries(
      statuses.map((status) => [status, { description: "", headers }]),
    ),
  };
}

function pathParameter(
  operation: Operation | undefined,
  name: string,
): Parameter | undefined {
  return operation?.parameters?.find((each) =>
    each.in === "path" && each.name === name
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
