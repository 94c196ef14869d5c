import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { type Fault, seenOf } from "../checks.ts";
import { type Input, planOf } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { operationOn } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { LOCAL_ORIGIN, type RequestPlan } from "../plan.ts";
import { type Life, type Step, tell } from "../search/life.ts";
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

/** Steps that lead to a value. */
type Steps<Value> = Generator<Step, Value, undefined>;

/** How to read a list. */
interface Reading {
  readonly life: Life;
  /** The step that reads the list, whose request varies. */
  readonly read: Step & { readonly input: Input };
  readonly roles: Roles;
}

/** A list, and the request for its first page. */
interface List extends Reading {
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
  if (operation.method !== "GET" || !hasPages && limit === undefined) {
    return undefined;
  }
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
        const reading = { life, read, roles };
        const creation = items.map((item) =>
          item && { does: "create", operation: create!, input: item }
        );
        const list = yield* listOf(reading, creation, mostPages);
        const part = list && (yield* partOf(list));
        for (const each of [list, part]) {
          if (each && (yield* follow(each))) followed++;
        }
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

/** Finds the limits, and creates items; `undefined` if two items have the same key. */
function* listOf(
  reading: Reading,
  creation: readonly (Step | undefined)[],
  mostPages: number,
): Steps<List | undefined> {
  const { life, read, roles: { limit, ...others } } = reading;
  const bare = Object.values(others).reduce(
    (plan, name) => withQuery(plan, name, undefined),
    planOf(read.operation, read.input),
  );
  const sized = (size: number | undefined) =>
    limit && size ? withQuery(bare, limit, size) : bare;
  function* accepted(sizes: readonly number[]): Steps<number | undefined> {
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
    yield { ...create, of: () => ({ captures: read.input }) };
    if (life.now.step.does !== "create") break;
  }
  const keys = (yield* keysAt(reading, whole)) ?? [];
  const items = pageItems(life.now.exchange) ?? [];
  if (new Set(keys).size < keys.length) return undefined;
  const size = least &&
    LIMITS.find((each) => each >= Math.max(least, keys.length / mostPages));
  return { ...reading, first: sized(size), size, least, whole, items, keys };
}

/** The part of a list whose items have the same value of a member. */
function* partOf(list: List): Steps<List | undefined> {
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

/** Reads the keys of the items that a request returns. */
function* keysAt(
  { life, read }: Reading,
  plan: RequestPlan,
): Steps<string[] | undefined> {
  yield { ...read, sends: () => plan };
  return keysOf(life.now.exchange);
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

function keysOf(exchange: Exchange): string[] | undefined {
  return pageItems(exchange)?.map(itemKey);
}

/** The pages of a list so far. */
interface Walk {
  readonly list: List;
  readonly pages: readonly Exchange[];
  /** Makes the request for a page, if the pages or items are counted. */
  readonly counter: ((count: number) => RequestPlan) | undefined;
}

/** Follows the pages of a list, and returns whether there was a second page. */
function* follow(list: List): Steps<boolean> {
  const { life, read, first, whole, keys } = list;
  let walk: Walk = { list, pages: [], counter: undefined };
  let isStable = true;
  const judge = async ({ sender, now }: Life) => {
    walk = { ...walk, pages: [...walk.pages, now.exchange] };
    const fault = pageFault(walk);
    const { length } = sender.history;
    for (let count = 0; fault && isStable && count < REREADS; count++) {
      isStable = isSame(keysOf(await sender.send(whole)), keys);
    }
    sender.history.length = length;
    return isStable ? fault : undefined;
  };
  let next: RequestPlan | undefined = first;
  while (next !== undefined && walk.pages.length < MAX_PAGES) {
    const plan: RequestPlan = next;
    yield { ...read, sends: () => plan, holds: [judge] };
    if (!isStable) return false;
    next = nextOf(life.now.exchange, list);
    if (walk.pages.length === 1 && next === undefined) {
      walk = { ...walk, counter: yield* counterOf(list, walk.pages[0]!) };
    }
    next = nextPage(walk);
  }
  return walk.pages.length > 1 && walk.pages.length < MAX_PAGES;
}

/** The request for the next page; `undefined` after the last page. */
function nextPage({ list, pages, counter }: Walk): RequestPlan | undefined {
  const items = keysOf(pages.at(-1)!);
  if (items === undefined) return undefined;
  if (counter === undefined) return nextOf(pages.at(-1)!, list);
  // Beyond the last page, a server may return the last page again.
  const seen = new Set(pages.flatMap((each) => keysOf(each)!));
  return items.length === 0 || seen.size >= list.keys.length
    ? undefined
    : counter(pages.length);
}

/** Checks the latest page. */
function pageFault(walk: Walk): Fault | undefined {
  const { list: { first, size, whole, keys, isPart }, pages, counter } = walk;
  const exchange = pages.at(-1)!;
  const { target } = exchange.plan;
  const name = `the pages of "${first.target}"`;
  const all = pages.map((each) => keysOf(each));
  const items = all.at(-1);
  // The page after the last page may be missing.
  const isMissing = items === undefined && pages.length > 1 &&
    !(counter && exchange.status! < 500);
  if (isMissing) {
    return { expected: `a page at "${target}"`, ...seenOf(exchange) };
  }
  const next = nextPage(walk);
  const long = size === undefined
    ? -1
    : all.findIndex((each, index) =>
      (next ?? pages[index + 1]) && each!.length > size
    );
  if (long >= 0) {
    const expected = `at most ${size} items, as "${
      pages[long]!.plan.target
    }" requests`;
    return { expected, seen: `${all[long]!.length} items` };
  }
  const seen = new Set(all.slice(0, -1).flatMap((each) => each!));
  for (const key of items ?? []) {
    if (seen.has(key)) {
      const expected = `each item once on ${name}`;
      return { expected, seen: `item ${key} again at "${target}"` };
    }
    if (isPart && !keys.includes(key)) {
      const expected = `only the items of "${whole.target}" on ${name}`;
      return { expected, seen: `item ${key} at "${target}"` };
    }
    seen.add(key);
  }
  return endFault(walk, next);
}

/** Checks that the pages end, and then contain all items. */
function endFault(
  { list: { first, whole, keys }, pages }: Walk,
  next: RequestPlan | undefined,
): Fault | undefined {
  const name = `the pages of "${first.target}"`;
  const all = pages.map((each) => keysOf(each) ?? []);
  if (next !== undefined) {
    const last = all.findLastIndex((items) => items.length > 0);
    const isRepeated = pages.some(({ plan }) => plan.target === next.target);
    return isRepeated || pages.length - 1 - last > RUNS
      ? { expected: `an end of ${name}`, seen: `a page at "${next.target}"` }
      : undefined;
  }
  const missing = pages.length > 1 && pages.length < MAX_PAGES
    ? keys.find((key) => !all.flat().includes(key))
    : undefined;
  return missing === undefined ? undefined : {
    expected: `the items of "${whole.target}" on ${name}`,
    seen: `no item ${missing}`,
  };
}

/** Counts items from 0, or pages from 1 or 0. */
function* counterOf(
  list: List,
  page: Exchange,
): Steps<Walk["counter"]> {
  const { roles: { limit, offset, page: number }, first } = list;
  const items = keysOf(page) ?? [];
  const counters = [
    [limit && offset, 0, items.length],
    [number, 1, 1],
    [number, 0, 1],
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
