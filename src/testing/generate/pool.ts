import { isObject } from "../../common/values.ts";
import { formatSegment, type UrlSegment } from "../../routing/pattern.ts";
import type { Captures, Operation } from "../operation.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { pathOf } from "./input.ts";

/** A dynamic segment or wildcard, and the operations that return its values. */
export interface CapturePlace {
  /** The segments of the path, up to and including this segment. */
  readonly segments: readonly UrlSegment[];
  /** The `GET` that lists its values, if there is one. */
  readonly list: Operation | undefined;
  /** The `POST` that creates new values, if there is one. */
  readonly create: Operation | undefined;
}

/** The maximum number of values to keep from each list. */
const MAX_VALUES = 5;

/** The dynamic segments and wildcards of an application, in order of path length. */
export function capturePlaces(
  operations: readonly Operation[],
): CapturePlace[] {
  const prefixes = operations.flatMap(({ route: { segments } }) =>
    segments.map((_, index) => segments.slice(0, index + 1))
      .filter((prefix) => prefix.at(-1)!.kind !== "static")
  );
  return [...new Map(prefixes.map((each) => [keyOf(each), each])).values()]
    .sort((a, b) => a.length - b.length)
    .map((segments) => {
      const parent = keyOf(segments.slice(0, -1));
      const of = (wanted: string) =>
        operations.find(({ method, route }) =>
          method === wanted && keyOf(route.segments) === parent
        );
      return { segments, list: of("GET"), create: of("POST") };
    });
}

function keyOf(segments: readonly UrlSegment[]): string {
  return segments.map((segment) => `/${formatSegment(segment)}`).join("");
}

/** The values of segments that identify existing resources. */
export class Pool {
  readonly #captures = new Map<string, Captures[]>();
  /** The values before their conversion to strings, by the name of their segment. */
  readonly known: Map<string, unknown[]> = new Map();

  /** Adds a value of the last segment of a place. */
  add({ segments }: CapturePlace, around: Captures, value: unknown): void {
    const segment = segments.at(-1)!;
    if (segment.kind === "static") return;
    const text = String(value);
    const captures = segment.kind === "wildcard"
      ? { ...around, wildcard: text.split("/") }
      : { ...around, params: { ...around.params, [segment.name]: text } };
    const all = this.#captures.getOrInsertComputed(keyOf(segments), () => []);
    if (all.length >= 2 * MAX_VALUES) all.splice(MAX_VALUES, 1);
    all.push(captures);
    if (segment.kind === "dynamic" && segment.name !== "id") {
      const values = this.known.get(segment.name) ?? [];
      if (!values.includes(value)) values.push(value);
      this.known.set(segment.name, values.slice(-MAX_VALUES));
    }
  }

  /** Adds the identifiers in a list. */
  addList(place: CapturePlace, around: Captures, exchange: Exchange): void {
    const json = jsonOf(exchange);
    // The list may be a member of an object: `{ "items": […] }`.
    const items = isObject(json)
      ? Object.values(json).find(Array.isArray)
      : json;
    if (!Array.isArray(items)) return;
    items.map((item) => identifierOf(place, item))
      .filter((value) => value !== undefined).slice(0, MAX_VALUES)
      .forEach((value) => this.add(place, around, value));
  }

  /** Values of the segments of a path; empty if no value of the last segment is known. */
  capturesOf(segments: readonly UrlSegment[]): readonly Captures[] {
    const last = segments.findLastIndex(({ kind }) => kind !== "static");
    if (last === -1) return [{ params: {}, wildcard: [] }];
    const found = this.#captures.get(keyOf(segments.slice(0, last + 1)));
    if (found !== undefined) return found;
    // `/stock/[bookId]` uses the values of `/books/[bookId]`.
    const names = segments.flatMap((segment) =>
      segment.kind === "dynamic" ? [segment.name] : []
    );
    if (segments.at(-1)!.kind === "wildcard") return [];
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
    const all = [...this.#captures.values()].flat();
    return all.flatMap(({ params, wildcard }) => [
      ...Object.values(params),
      ...wildcard,
    ]);
  }
}

/**
 * The identifier of an item: the member with the segment's name, or otherwise the
 * member `id`.
 */
export function identifierOf(
  { segments }: Pick<CapturePlace, "segments">,
  item: unknown,
): unknown {
  const segment = segments.at(-1)!;
  if (typeof item === "string") return item === "" ? undefined : item;
  if (!isObject(item)) return undefined;
  const named = segment.kind === "dynamic" ? item[segment.name] : undefined;
  const value = named ?? item.id;
  return typeof value === "string" && value !== "" || typeof value === "number"
    ? value
    : undefined;
}

/**
 * The identifier of a created resource: the last segment of a `Location` below the path
 * of the `POST`, or otherwise the identifier in the body.
 */
export function createdIdentifier(
  place: CapturePlace,
  around: Captures,
  exchange: Exchange,
): unknown {
  if (place.create === undefined) return undefined;
  const base = pathOf(place.create, around);
  const location = locationOf(exchange);
  if (location?.startsWith(`${base}/`)) {
    const step = location.slice(base.length + 1);
    try {
      if (step !== "" && !/[/?#]/.test(step)) return decodeURIComponent(step);
    } catch {
      return undefined;
    }
  }
  return identifierOf(place, jsonOf(exchange));
}

/** The path and query of the `Location` header. */
export function locationOf({ plan, headers }: Exchange): string | undefined {
  const location = headers.get("location");
  if (location === null) return undefined;
  const base = new URL(plan.target, "http://localhost");
  const url = URL.parse(location, base);
  return url === null ? undefined : url.pathname + url.search;
}
