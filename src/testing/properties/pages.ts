import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { type Fault, seenOf } from "../checks.ts";
import type { Input } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { operationOn } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { LOCAL_ORIGIN, type RequestPlan } from "../plan.ts";
import {
  existing,
  inputsOr,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { isSame } from "./members.ts";
import { isSuccess, send, sendTo } from "./resource.ts";

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

/** A list, and the request for its first page. */
interface List {
  readonly sender: Sender;
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
  const { subject } = sender;
  const roles = rolesOf(operation);
  const { limit, ...others } = roles;
  const hasPages = Object.keys(others).length > 0;
  if (operation.method !== "GET" || !hasPages && limit === undefined) {
    return undefined;
  }
  const create = operationOn(subject.operations, operation.route, "POST");
  let followed = 0;
  const found = await withInputs(sender, operation, async (inputs) => {
    // Most filters match few items.
    const known = existing(sender, operation, inputs);
    const filtered = fc.tuple(known, fc.boolean())
      .map(([input, isWhole]) => isWhole ? { ...input, query: {} } : input);
    const item = await inputsOr(sender, create);
    const items = fc.array(item, { minLength: RUNS, maxLength: RUNS });
    const values = fc.tuple(filtered, items, fc.constantFrom(2, RUNS));
    return await search(sender, values, {
      runs: Math.min(subject.options.runs, RUNS),
      attempt: async ([input, items, mostPages]) => {
        const list = await listOf(input, items, mostPages);
        const part = list && await partOf(list, operation);
        for (const each of [list, part]) {
          const found = each !== undefined && await pageFault(each);
          if (typeof found === "object") return found;
          if (found) followed++;
        }
        return undefined;
      },
    });
  });
  if (found.counterexample !== undefined || followed > 0) {
    return { ...found, runs: Math.max(followed, 1) };
  }
  const note = found.note ?? "no list had a second page";
  return hasPages ? { ...found, runs: 0, note } : undefined;

  /** Finds the limits, and creates items; `undefined` if two items have the same key. */
  async function listOf(
    input: Input,
    created: readonly (Input | undefined)[],
    mostPages: number,
  ): Promise<List | undefined> {
    const plan = await validPlan(operation, input);
    const bare = Object.values(others)
      .reduce((plan, name) => withQuery(plan, name, undefined), plan);
    const sized = (size: number | undefined) =>
      limit && size ? withQuery(bare, limit, size) : bare;
    const accepted = async (sizes: readonly number[]) => {
      for (const size of limit === undefined ? [] : sizes) {
        if (await keysAt(sender, sized(size)) !== undefined) return size;
      }
      return undefined;
    };
    const least = await accepted(LIMITS);
    const whole = sized(await accepted(LIMITS.toReversed()));
    const known = await keysAt(sender, whole) ?? [];
    const missing = (least ?? 10) * 2 + 4 - known.length;
    for (let index = 0; index < missing; index++) {
      // Two equal items show whether a cursor is unique.
      const item = created[(index >> 1) % RUNS];
      const captures = { captures: input };
      if (!item || !await sendTo(sender, create!, captures, item)) break;
    }
    const items = pageItems(await send(sender, whole)) ?? [];
    const keys = items.map(itemKey);
    if (new Set(keys).size < keys.length) return undefined;
    const size = least &&
      LIMITS.find((each) => each >= Math.max(least, keys.length / mostPages));
    const first = sized(size);
    return { sender, roles, first, size, least, whole, items, keys };
  }
}

export function rolesOf(operation: Operation): Roles {
  const names = parameterNames(operation, "query");
  return Object.fromEntries(
    Object.entries(ROLES).flatMap(([role, pattern]) =>
      names.filter((name) => pattern.test(name)).map((name) => [role, name])
    ),
  );
}

/** The part of a list whose items have the same value of a member. */
async function partOf(
  list: List,
  operation: Operation,
): Promise<List | undefined> {
  const { sender, roles, items, whole, keys, first, least } = list;
  const used = Object.values(roles);
  const { searchParams } = new URL(whole.target, LOCAL_ORIGIN);
  for (const name of parameterNames(operation, "query")) {
    if (used.includes(name) || searchParams.has(name)) continue;
    const values = items.map((item) => isObject(item) ? item[name] : undefined);
    const repeated = values.filter((value, index) =>
      values.indexOf(value) !== index && /^(?:str|num|bool)/.test(typeof value)
    );
    for (const value of new Set(repeated)) {
      const filtered = withQuery(whole, name, value);
      const some = await keysAt(sender, filtered) ?? [];
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

/** The keys of the items that a request returns. */
async function keysAt(
  sender: Sender,
  plan: RequestPlan,
): Promise<string[] | undefined> {
  return pageItems(await send(sender, plan))?.map(itemKey);
}

/** The first fault of the pages of a list, or whether there was a second page. */
async function pageFault(list: List): Promise<Fault | boolean> {
  const { sender, whole, keys } = list;
  const found = await follow(list);
  if (typeof found === "boolean") return found;
  const { length } = sender.history;
  for (let count = 0; count < REREADS; count++) {
    const again = await keysAt(sender, whole);
    if (!isSame(again, keys)) return false;
  }
  sender.history.length = length;
  return found;
}

async function follow(list: List): Promise<Fault | boolean> {
  const { sender, first, size, whole, keys, isPart } = list;
  const pages = `the pages of "${first.target}"`;
  const seen = new Set<string>();
  const targets = new Set<string>();
  let counted: ((count: number) => RequestPlan) | undefined;
  let empty = 0;
  let plan: RequestPlan | undefined = first;
  while (plan !== undefined && targets.size < MAX_PAGES) {
    const { target }: RequestPlan = plan;
    if (targets.has(target) || empty > RUNS) {
      return { expected: `an end of ${pages}`, seen: `a page at "${target}"` };
    }
    targets.add(target);
    const exchange = await send(sender, plan);
    const items = pageItems(exchange)?.map(itemKey);
    if (items === undefined) {
      // The page after the last page may be missing.
      if (targets.size === 1 || counted && exchange.status! < 500) break;
      return { expected: `a page at "${target}"`, ...seenOf(exchange) };
    }
    const next = nextOf(exchange, list);
    if (targets.size === 1 && next === undefined) {
      counted = await counterOf(list, items);
    }
    plan = counted?.(targets.size) ?? next;
    if (plan && size && items.length > size) {
      const expected = `at most ${size} items, as "${target}" requests`;
      return { expected, seen: `${items.length} items` };
    }
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
    empty = items.length > 0 ? 0 : empty + 1;
    // Beyond the last page, a server may return the last page again.
    if (counted && (empty > 0 || seen.size >= keys.length)) break;
  }
  if (targets.size === 1 || targets.size === MAX_PAGES) return false;
  const missing = keys.find((key) => !seen.has(key));
  return missing === undefined || {
    expected: `the items of "${whole.target}" on ${pages}`,
    seen: `no item ${missing}`,
  };
}

/** Counts items from 0, or pages from 1 or 0. */
async function counterOf(
  { sender, roles: { limit, offset, page }, first }: List,
  items: readonly string[],
): Promise<((count: number) => RequestPlan) | undefined> {
  const counters = [
    [limit && offset, 0, items.length],
    [page, 1, 1],
    [page, 0, 1],
  ] as const;
  for (const [name, start, step] of counters) {
    if (!name || items.length === 0) continue;
    const at = (count: number) => withQuery(first, name, start + count * step);
    const keys = await keysAt(sender, at(0));
    if (isSame(keys, items)) return at;
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
