import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { type Fault, seenOf } from "../checks.ts";
import { type Input, planOf } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { operationOn } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { LOCAL_ORIGIN, type RequestPlan } from "../plan.ts";
import { type Life, type Part, type Step, tell } from "../search/life.ts";
import {
  existing,
  inputsOr,
  type Search,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import { isSame } from "./members.ts";
import { isSuccess } from "./resource.ts";

/** The names of the query parameters that select a page. */
const ROLES = {
  limit: /^(?:limit|(?:page_?)?size|per_?page|first|take)$/i,
  cursor:
    /^(?:cursor|(?:starting_?)?after|next|(?:(?:next_?)?page|continuation)_?token)$/i,
  offset: /^(?:offset|skip)$/i,
  page: /^page(?:_?(?:number|index))?$/i,
};

type Roles = Partial<Record<keyof typeof ROLES, string>>;

/** The members of a response that lead to the next page. */
const NEXT =
  /^(?:next(?:_?(?:page|link|ur[li]|cursor|(?:page_?)?token|offset))?|end_?cursor)$/i;

/** The members that are false on the last page. */
const HAS_NEXT = /^has_?(?:more|next(?:_?page)?)$/i;

/** The limits to try, since a schema may reject some. */
const LIMITS = [1, 2, 3, 5, 10, 20, 50, 100, 500];

/** The number of lists to read, and of pages into which to divide a list at most. */
const RUNS = 8;

/** The maximum number of pages to follow, since a list may grow with each request. */
const MAX_PAGES = 100;

/** The number of times to read a list again, since its order may be random. */
const REREADS = 5;

/** How to read a list. */
type Reading = Pick<List, "life" | "read" | "roles">;

/** A list, and the request for its first page. */
interface List {
  readonly life: Life;
  /** The step that reads the list, whose request varies. */
  readonly read: Step & { readonly input: Input };
  readonly roles: Roles;
  readonly first: RequestPlan;
  /** The number of items that each page may have. */
  readonly size: number | undefined;
  /** The request with the largest accepted limit, and its items with their keys. */
  readonly whole: RequestPlan;
  readonly items: readonly unknown[];
  readonly keys: readonly string[];
  /** The smallest accepted limit. */
  readonly least: number | undefined;
  /** Whether the same limit allows more items, so that no other item fits the request. */
  readonly isPart?: boolean;
}

/** Tests that the pages of a list contain each item once, and end. */
export async function pagesProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const roles = rolesOf(operation);
  const { limit, ...others } = roles;
  const hasPages = Object.keys(others).length > 0;
  const isList = hasPages || limit !== undefined;
  if (operation.method !== "GET" || !isList) return undefined;
  const { operations } = sender.subject;
  const create = operationOn(operations, operation.route, "POST");
  let followed = 0;
  const found = await withInputs(sender, operation, async (inputs) => {
    // Most filters match few items.
    const filtered = fc.tuple(existing(sender, operation, inputs), fc.boolean())
      .map(([input, isWhole]) => isWhole ? { ...input, query: {} } : input);
    const item = await inputsOr(sender, create);
    const items = fc.array(item, { minLength: RUNS, maxLength: RUNS });
    return await tell(sender, {
      values: fc.tuple(filtered, items, fc.constantFrom(2, RUNS)),
      runs: RUNS,
      acceptance: new Acceptance(),
      *steps([input, items, mostPages], life) {
        const read = { does: "read", operation, input, isNeeded: true };
        const creation = items.map((item) =>
          item && { does: "create", operation: create!, input: item }
        );
        const reading = { life, read, roles };
        const found = yield* followAll(reading, creation, mostPages);
        if (typeof found === "object") return found;
        followed += found;
      },
    });
  });
  if (found.counterexample !== undefined || followed > 0) {
    return { ...found, runs: Math.max(followed, 1) };
  }
  const note = found.note ?? "no list had a second page";
  return hasPages ? { ...found, runs: 0, note } : undefined;
}

export function rolesOf(operation: Operation): Roles {
  const names = parameterNames(operation, "query");
  return Object.fromEntries(
    Object.entries(ROLES).flatMap(([role, pattern]) =>
      names.filter((name) => pattern.test(name)).map((name) => [role, name])
    ),
  );
}

/** Follows a list and a part of it; returns a fault, or the number of lists with pages. */
function* followAll(
  reading: Reading,
  creation: readonly (Step | undefined)[],
  mostPages: number,
): Part<Fault | number> {
  const list = yield* listOf(reading, creation, mostPages);
  const part = list && (yield* partOf(list));
  let followed = 0;
  for (const each of [list, part]) {
    const found = each && (yield* confirmed(each));
    if (typeof found === "object") return found;
    if (found) followed++;
  }
  return followed;
}

/** Finds the limits, and creates items; `undefined` if two items have the same key. */
function* listOf(
  reading: Reading,
  creation: readonly (Step | undefined)[],
  mostPages: number,
): Part<List | undefined> {
  const { life, read, roles: { limit, ...others } } = reading;
  const bare = Object.values(others).reduce(
    (plan, name) => withQuery(plan, name, undefined),
    planOf(read.operation, read.input),
  );
  const sized = (size: number | undefined) =>
    limit && size ? withQuery(bare, limit, size) : bare;
  function* accepted(
    sizes: readonly number[],
  ): Part<number | undefined> {
    for (const size of limit === undefined ? [] : sizes) {
      if (yield* keysAt(reading, sized(size))) return size;
    }
    return undefined;
  }
  const least = yield* accepted(LIMITS);
  const whole = sized(yield* accepted(LIMITS.toReversed()));
  const known = (yield* keysAt(reading, whole)) ?? [];
  const missing = (least ?? 10) * 2 + 4 - known.length;
  for (let index = 0; index < missing; index++) {
    // Two equal items show whether a cursor is unique.
    const create = creation[(index >> 1) % RUNS];
    if (create === undefined) break;
    const created = yield { ...create, of: { captures: read.input } };
    if (created === undefined) break;
  }
  const keys = (yield* keysAt(reading, whole)) ?? [];
  const items = pageItems(life.now.exchange) ?? [];
  if (new Set(keys).size < keys.length) return undefined;
  const size = least &&
    LIMITS.find((each) => each >= Math.max(least, keys.length / mostPages));
  return { ...reading, first: sized(size), size, least, whole, items, keys };
}

/** The part of a list whose items have the same value of a member. */
function* partOf(list: List): Part<List | undefined> {
  const { read, roles, items, whole, keys, first, least } = list;
  const used = Object.values(roles);
  const { searchParams } = new URL(whole.target, LOCAL_ORIGIN);
  for (const name of parameterNames(read.operation, "query")) {
    if (used.includes(name) || searchParams.has(name)) continue;
    const values = items.map((item) => isObject(item) ? item[name] : undefined);
    const repeated = values.filter((value, index) =>
      values.indexOf(value) !== index && /^(?:str|num|bool)/.test(typeof value)
    );
    for (const value of new Set(repeated)) {
      const filtered = withQuery(whole, name, value);
      const some = (yield* keysAt(list, filtered)) ?? [];
      if (some.length < 2 || some.length >= keys.length) continue;
      const start = withQuery(first, name, value);
      return {
        ...list,
        first: roles.limit ? withQuery(start, roles.limit, least) : start,
        size: least,
        whole: filtered,
        keys: some,
        isPart: true,
      };
    }
  }
  return undefined;
}

/** The keys of the items of a list; `undefined` without a list. */
type Keys = readonly string[] | undefined;

/** Reads the keys of the items that a request returns. */
function* keysAt(
  { read }: Reading,
  plan: RequestPlan,
): Part<Keys> {
  const exchange = yield { ...read, sends: () => plan };
  return exchange && pageItems(exchange)?.map(itemKey);
}

/** The items of a successful response: an array, or the one member that is an array. */
export function pageItems(exchange: Exchange): readonly unknown[] | undefined {
  const json = jsonOf(exchange);
  const [items, ...further] = Array.isArray(json)
    ? [json]
    : Object.values(isObject(json) ? json : {}).filter(Array.isArray);
  return isSuccess(exchange) && further.length === 0 ? items : undefined;
}

function itemKey(item: unknown): string {
  return JSON.stringify(isObject(item) ? item.id ?? item : item);
}

/** The first fault of the pages of a list, or whether there was a second page. */
function* confirmed(list: List): Part<Fault | boolean> {
  const { life: { sender: { history } }, whole, keys } = list;
  const found = yield* follow(list);
  if (typeof found === "boolean") return found;
  const { length } = history;
  for (let count = 0; count < REREADS; count++) {
    if (!isSame(yield* keysAt(list, whole), keys)) return false;
  }
  history.length = length;
  return found;
}

function* follow(list: List): Part<Fault | boolean> {
  const { life, first, size, whole, keys } = list;
  const pages = `the pages of "${first.target}"`;
  const seen = new Set<string>();
  const targets = new Set<string>();
  let counter: ((count: number) => RequestPlan) | undefined;
  let empty = 0;
  let plan: RequestPlan | undefined = first;
  while (plan !== undefined && targets.size < MAX_PAGES) {
    const { target }: RequestPlan = plan;
    if (targets.has(target) || empty > RUNS) {
      return { expected: `an end of ${pages}`, seen: `a page at "${target}"` };
    }
    targets.add(target);
    const items: Keys = yield* keysAt(list, plan);
    const { exchange } = life.now;
    if (items === undefined) {
      // The page after the last page may be missing.
      if (targets.size === 1 || counter && exchange.status! < 500) break;
      return { expected: `a page at "${target}"`, ...seenOf(exchange) };
    }
    const next = nextOf(exchange, list);
    if (targets.size === 1 && next === undefined) {
      counter = yield* counterOf(list, items);
    }
    plan = counter?.(targets.size) ?? next;
    const most = plan && size ? size : Infinity;
    const fault = itemFault(list, { items, most, seen, target });
    if (fault !== undefined) return fault;
    empty = items.length > 0 ? 0 : empty + 1;
    // Beyond the last page, a server may return the last page again.
    if (counter && (empty > 0 || seen.size >= keys.length)) break;
  }
  if (targets.size === 1 || targets.size === MAX_PAGES) return false;
  const missing = keys.find((key) => !seen.has(key));
  const expected = `the items of "${whole.target}" on ${pages}`;
  return missing === undefined || { expected, seen: `no item ${missing}` };
}

/** A page, and the items that were seen before. */
interface Page {
  readonly items: readonly string[];
  /** The number of items that it may have. */
  readonly most: number;
  readonly seen: Set<string>;
  readonly target: string;
}

/** Adds the items of a page to the seen items, and checks them. */
function itemFault(
  { first, whole, keys, isPart }: List,
  { items, most, seen, target }: Page,
): Fault | undefined {
  if (items.length > most) {
    const expected = `at most ${most} items, as "${target}" requests`;
    return { expected, seen: `${items.length} items` };
  }
  const pages = `the pages of "${first.target}"`;
  for (const key of items) {
    if (seen.has(key)) {
      const expected = `each item once on ${pages}`;
      return { expected, seen: `item ${key} again at "${target}"` };
    }
    if (isPart && !keys.includes(key)) {
      const expected = `only the items of "${whole.target}" on ${pages}`;
      return { expected, seen: `item ${key} at "${target}"` };
    }
    seen.add(key);
  }
  return undefined;
}

/** Counts items from 0, or pages from 1 or 0. */
function* counterOf(
  list: List,
  items: readonly string[],
): Part<((count: number) => RequestPlan) | undefined> {
  const { roles: { limit, offset, page }, first } = list;
  const counters = [
    [limit && offset, 0, items.length],
    [page, 1, 1],
    [page, 0, 1],
  ] as const;
  for (const [name, start, step] of counters) {
    if (!name || items.length === 0) continue;
    const at = (count: number) => withQuery(first, name, start + count * step);
    if (isSame(yield* keysAt(list, at(0)), items)) return at;
  }
  return undefined;
}

/** The request for the next page, from the `Link` or a member of the response. */
export function nextOf(
  exchange: Exchange,
  { roles, first }: Pick<List, "roles" | "first">,
): RequestPlan | undefined {
  const json = jsonOf(exchange);
  const members = Object.entries(isObject(json) ? json : {})
    .flatMap((entry): [string, unknown][] =>
      isObject(entry[1]) ? Object.entries(entry[1]) : [entry]
    );
  const [, link] = /<([^>]*)>\s*;[^,]*\brel="?(?:[^",]*\s)?next\b/i
    .exec(exchange.headers.get("link") ?? "") ?? [];
  const [name, value] = members.find(([name]) => NEXT.test(name)) ?? [""];
  const next = link ?? (typeof value === "number" ? String(value) : value);
  const isLast =
    members.some(([name, value]) => HAS_NEXT.test(name) && value === false) ||
    /^end|offset$/i.test(name) && pageItems(exchange)!.length === 0;
  if (isLast || typeof next !== "string" || next === "") return undefined;
  // A cursor in Base64 may begin with a slash.
  const isCursor = /(?:cursor|token)$/i.test(name);
  if (link ?? (!isCursor && /^(?:https?:\/)?[/?]/.test(next))) {
    const base = new URL(exchange.plan.target, LOCAL_ORIGIN);
    const url = URL.parse(next, base);
    // Behind a proxy, the paths of absolute URLs may differ.
    return url && (url.origin === base.origin || url.pathname === base.pathname)
      ? { ...first, target: url.pathname + url.search }
      : undefined;
  }
  const role = roles.cursor ?? roles.offset ?? roles.page;
  return role === undefined ? undefined : withQuery(first, role, next);
}

/** Sets or removes a parameter of the query. */
export function withQuery(
  plan: RequestPlan,
  name: string,
  value: unknown,
): RequestPlan {
  const { pathname, searchParams } = new URL(plan.target, LOCAL_ORIGIN);
  if (value === undefined) searchParams.delete(name);
  else searchParams.set(name, String(value));
  const target = `${pathname}?${searchParams}`.replace(/\?$/, "");
  return { ...plan, target };
}
