import { isObject } from "../../core/common/values.ts";
import type { UrlSegment } from "../../plumbing.ts";
import type { Captures } from "../../shared/wire.ts";
import type { Operation } from "../operation.ts";
import { LOCAL_ORIGIN } from "../plan.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";

/** A dynamic segment or wildcard, and the operations that return its values. */
export interface CapturePlace {
  /** The segments of the path, up to and including this segment. */
  readonly segments: readonly UrlSegment[];
  /** The `GET` that lists its values, if there is one. */
  readonly list: Operation | undefined;
  /** The `POST` that creates new values, if there is one. */
  readonly create: Operation | undefined;
  /** Without such a `POST`, the `PUT` that may create the values that its path names. */
  readonly put: Operation | undefined;
  /** The `GET` of a value, if there is one. */
  readonly read: Operation | undefined;
}

const MAX_VALUES = 5;

/** The captures of a path without dynamic segments and wildcards. */
export const ANYWHERE: Captures = { params: {}, wildcard: [] };

/** The dynamic segments and wildcards of an application, in order of path length. */
export function capturePlaces(
  operations: readonly Operation[],
): CapturePlace[] {
  const prefixes = operations.flatMap(({ route: { segments } }) =>
    segments.map((_, index) => segments.slice(0, index + 1))
      .filter((prefix) => prefix.at(-1)!.kind !== "static")
  );
  return [...new Map(prefixes.map((each) => [keyOf(each), each])).values()]
    .map((segments) => {
      const [parent, own] = [{ segments: segments.slice(0, -1) }, { segments }];
      const create = operationOn(operations, parent, "POST");
      return {
        segments,
        list: operationOn(operations, parent),
        create,
        put: create ? undefined : operationOn(operations, own, "PUT"),
        read: operationOn(operations, own),
      };
    }).sort((a, b) =>
      a.segments.length - b.segments.length ||
      Number(needsLocation(a)) - Number(needsLocation(b))
    );
}

/** Whether only a `Location` may return the values of a place. */
export function needsLocation({ list, create }: CapturePlace): boolean {
  return list === undefined && create === undefined;
}

/** A key of a path; that of a longer path begins with it. */
export function keyOf(segments: readonly UrlSegment[]): string {
  return segments.map((segment) => `/${JSON.stringify(segment)}`).join("");
}

/** The segments of the path of a resource; the last one identifies the resource. */
export type Path = Pick<CapturePlace, "segments">;

/** Whether a path is another path, or is below the other path. */
export function isWithin({ segments }: Path, outer: Path): boolean {
  return `${keyOf(segments)}/`.startsWith(`${keyOf(outer.segments)}/`);
}

/** The operation of a path, by default its `GET`. */
export function operationOn(
  operations: readonly Operation[],
  { segments }: Path,
  wanted = "GET",
): Operation | undefined {
  const path = keyOf(segments);
  return operations.find(({ method, route }) =>
    method === wanted && keyOf(route.segments) === path
  );
}

export function capturesWith(
  { segments }: Path,
  { params, wildcard }: Captures,
  id: string,
): Captures {
  const segment = segments.at(-1)!;
  return segment.kind === "dynamic"
    ? { params: { ...params, [segment.name]: id }, wildcard }
    : { params, wildcard: id.split("/") };
}

/** The values of segments that identify existing resources. */
export class Pool {
  readonly #captures = new Map<string, Captures[]>();
  /** The values before their conversion to strings, by the name of their segment. */
  readonly known: Map<string, unknown[]> = new Map();

  /** Adds a value of the last segment of a place. */
  add({ segments }: Path, around: Captures, value: unknown): void {
    const segment = segments.at(-1)!;
    const all = this.#captures.getOrInsertComputed(keyOf(segments), () => []);
    if (all.length >= 2 * MAX_VALUES) all.splice(MAX_VALUES, 1);
    all.push(capturesWith({ segments }, around, String(value)));
    if (segment.kind === "dynamic" && segment.name !== "id") {
      const values = this.known.get(segment.name) ?? [];
      if (!values.includes(value)) values.push(value);
      this.known.set(segment.name, values.slice(-MAX_VALUES));
    }
  }

  /** Adds the values of the items of a list, and returns all items. */
  addList(
    place: CapturePlace,
    around: Captures,
    exchange: Exchange,
  ): readonly unknown[] {
    const { items } = itemsOf(exchange);
    items.values().map((item) => identifierOf(place, item))
      .filter((value) => value !== undefined).take(MAX_VALUES)
      .forEach((value) => this.add(place, around, value));
    return items;
  }

  /** Values of the segments of a path; empty if no value of the last segment is known. */
  capturesOf(segments: readonly UrlSegment[]): readonly Captures[] {
    const last = segments.findLastIndex(({ kind }) => kind !== "static");
    if (last === -1) return [ANYWHERE];
    const found = this.#captures.get(keyOf(segments.slice(0, last + 1)));
    if (found !== undefined) return found;
    // `/stock/[bookId]` uses the values of `/books/[bookId]`.
    if (segments.at(-1)!.kind === "wildcard") return [];
    const names = segments.flatMap((segment) =>
      segment.kind === "dynamic" ? [segment.name] : []
    );
    const columns = names.map((name) => this.known.get(name) ?? []);
    const length = Math.min(...columns.map((column) => column.length));
    return Array.from({ length }, (_, index) => ({
      params: Object.fromEntries(
        names.map((name, at) => [name, String(columns[at]![index])]),
      ),
      wildcard: [],
    }));
  }

  /** All values, in the order in which they were added. */
  get strings(): string[] {
    return [...this.#captures.values()].flat()
      .flatMap((
        { params, wildcard },
      ) => [...Object.values(params), ...wildcard]);
  }
}

/** The items of a list, which may be a member of an object: `{ "items": […] }`. */
export function itemsOf(exchange: Exchange): {
  readonly items: readonly unknown[];
  /** The names of the members that contain the list; `undefined` without a list. */
  readonly path: readonly string[] | undefined;
} {
  const json = jsonOf(exchange);
  if (Array.isArray(json)) return { items: json, path: [] };
  for (const [name, items] of Object.entries(Object(json))) {
    if (Array.isArray(items)) return { items, path: [name] };
  }
  return { items: [], path: undefined };
}

/**
 * Finds a resource in JSON: the JSON itself, or the object in its envelope, such as
 * `{ "article": { "slug": … } }`.
 */
export function unwrap({ segments }: Path, json: unknown): {
  readonly members: Readonly<Record<string, unknown>>;
  readonly envelope: readonly string[];
} {
  const members = isObject(json) ? json : {};
  const kinds = segments.slice(-2).map((segment) =>
    "text" in segment ? segment.text : "name" in segment ? segment.name : ""
  );
  // In `{ "customer": { "id": 5 } }`, 5 does not identify the order.
  const [name, inner] =
    Object.entries(members).find(([name]) =>
      /^(?:data|item|result)$/.test(name) ||
      name.length > 2 &&
        kinds.some((kind) => kind.startsWith(name.slice(0, -1)))
    ) ?? [];
  return isObject(inner) && memberOf({ segments }, members) === undefined
    ? { members: inner, envelope: [name!] }
    : { members, envelope: [] };
}

/** The value of the last segment of a path, which identifies a resource. */
export function valueAt(
  { segments }: Path,
  { params, wildcard }: Captures,
): string | undefined {
  const segment = segments.at(-1)!;
  return segment.kind === "dynamic" ? params[segment.name] : wildcard.join("/");
}

/** The name of the last segment, by which a member identifies a resource, or `id`. */
export function idNameOf({ segments }: Path): string {
  const segment = segments.at(-1)!;
  return segment.kind === "dynamic" ? segment.name : "id";
}

/** The name of the member that identifies a resource, if there is one. */
export function memberOf(
  place: Path,
  members: Readonly<Record<string, unknown>>,
): string | undefined {
  return [idNameOf(place), "id"].find((name) =>
    typeof members[name] === "number" ||
    typeof members[name] === "string" && members[name] !== ""
  );
}

/** The identifier of a string or of an object. */
export function identifierOf(place: Path, item: unknown): unknown {
  if (typeof item === "string") return item === "" ? undefined : item;
  const { members } = unwrap(place, item);
  return members[memberOf(place, members) ?? ""];
}

/** The path and query of a `Location` of this application. */
export function locationOf(
  { plan, headers }: Exchange,
  origin: string = LOCAL_ORIGIN,
): string | undefined {
  const location = headers.get("location");
  if (location === null) return undefined;
  const url = URL.parse(location, new URL(plan.target, origin));
  return url?.origin === origin ? url.pathname + url.search : undefined;
}
