import { isObject } from "../../core/common/values.ts";
import { locationOf } from "../generate/pool.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";

/** A part of a target, or of an assertion, that an earlier response contains. */
export interface Link {
  readonly source: number;
  /** The pointer of a member of the body; `""` for the `Location`. */
  readonly pointer: string;
  /** The index of the segment; `undefined` for the whole `Location`. */
  readonly segment: number | undefined;
}

/** The minimum length of a random string, which any later path may contain. */
const RANDOM = 6;

/**
 * Finds the parts of a target that earlier responses contain. Each run may create
 * resources with other identifiers.
 */
export function linksOf(
  requests: readonly RequestPlan[],
  index: number,
): Link[] {
  const { target } = requests[index]!;
  const path = pathOf(target);
  const links = new Map<number, Link>();
  for (const { list, text, ...from } of returnedIn(requests.slice(0, index))) {
    const isLocation = from.pointer === "";
    if (isLocation && text === target) return [{ ...from, segment: undefined }];
    const steps = isLocation
      ? pathOf(text)
      : [...pathOf(list), encodeURIComponent(text)];
    const last = steps.at(-1)!;
    const segment = last.length >= RANDOM
      ? path.indexOf(last)
      : steps.every((step, at) => step === path[at])
      ? steps.length - 1
      : -1;
    if (segment > 0 && !links.has(segment)) {
      links.set(segment, { ...from, segment });
    }
  }
  return [...links.values()];
}

/** The strings that responses returned, with the targets of requests, the latest first. */
function returnedIn(requests: readonly RequestPlan[]) {
  return requests.map(({ target: list, returned = {} }, source) =>
    Object.entries(returned)
      .map(([pointer, text]) => ({ source, pointer, text, list }))
  ).reverse().flat();
}

/**
 * Whether a request contains one of the identifiers at a place that no link replaces.
 * `/books/3` does not contain the identifier of a review `/books/1/reviews/3`.
 */
export function needsIdentifier(
  requests: readonly RequestPlan[],
  index: number,
  ids: ReadonlySet<string>,
): boolean {
  if (ids.size === 0) return false;
  const { target, body = "" } = requests[index]!;
  const links = linksOf(requests, index);
  const [, ...query] = target.split("?");
  const words = query.join().split(/[&=]/);
  const path = pathOf(target);
  for (const [at, word] of path.entries()) {
    if (links.some(({ segment = at }) => segment === at)) continue;
    const created = requests.map(({ returned }) => pathOf(returned?.[""] ?? ""))
      .filter((path) => path.at(-1) === word);
    const isElsewhere = created.every((each) => each.at(-2) !== path[at - 1]);
    if (created.length === 0 || !isElsewhere) words.push(word);
  }
  return ids.values().some((id) =>
    words.includes(id) || body.includes(JSON.stringify(id))
  );
}

export function pathOf(target: string): string[] {
  return target.split("?")[0]!.split("/");
}

/** The identifier in a returned text, which is a `Location` if the pointer is empty. */
export function idIn(pointer: string, text: string): string {
  return pointer === "" ? pathOf(text).at(-1)! : text;
}

/** Finds the response with an identifier that an assertion contains. */
export function linkTo(
  id: string,
  requests: readonly RequestPlan[],
): Link | undefined {
  const found = returnedIn(requests)
    .find(({ pointer, text }) => idIn(pointer, text) === id);
  return found && { ...found, segment: 0 };
}

/** The identifiers and random strings in the response to a creation, by pointer. */
export function returnedBy(exchange: Exchange, origin: string): Strings {
  const { plan: { method, target, body = "" }, status = 500 } = exchange;
  if (!/^P(?:OS|U)T$/.test(method) || status >= 400) return {};
  const found: Record<string, string> = {};
  const add = (json: unknown, path: string) => {
    for (const [name, value] of isObject(json) ? Object.entries(json) : []) {
      if (path === "") add(value, `/${name}`);
      const id = String(value);
      const isId = typeof value === "string" && id !== "" &&
          !body.includes(JSON.stringify(id)) ||
        /id$/i.test(name) && /^(?:str|num)/.test(typeof value);
      // A list below a resource may return the identifier of the resource.
      if (isId && !target.split("/").includes(id)) {
        found[`${path}/${name}`] = id;
      }
    }
  };
  add(jsonOf(exchange), "");
  const location = locationOf(exchange, origin);
  return location === undefined ? found : { "": location, ...found };
}

/** A request with the new names of identifiers, which a path or a body contains. */
export function withNames(
  plan: RequestPlan,
  names: ReadonlyMap<string, string>,
): RequestPlan {
  const [path, ...search] = plan.target.split("?");
  const segments = path!.split("/").map((segment) => {
    const name = names.get(decodeURIComponent(segment));
    return name === undefined ? segment : encodeURIComponent(name);
  });
  const target = [segments.join("/"), ...search].join("?");
  if (plan.body === undefined) return { ...plan, target };
  let { body } = plan;
  for (const [old, name] of names) {
    body = body.replaceAll(JSON.stringify(old), JSON.stringify(name));
  }
  return { ...plan, target, body };
}
