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

/** A list, and the request for its first page. */
interface List {
  readonly life: Life;
  /** The step that reads the list, whose request varies. */
  readonly read: Step & { readonly input: Input };
  readonly roles: Roles;
  readonly first: RequestPlan;
  /** The number of items that each page may have. */
  readonly size: number | undefined;
  /** The request with the largest accepted limit, and the keys of its items. */
  readonly whole: RequestPlan;
  readonly keys: readonly string[];
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
  if (!operation.isSafe || !isList) return undefined;
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
        const given = { life, read, roles };
        const creation = { create, items, mostPages };
        for (const each of yield* listsOf(given, creation)) {
          const found = yield* confirmed(each);
          if (typeof found === "object") return found;
          if (found) followed++;
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

/** A list and its part; nothing if two items have the same key. */
function* listsOf(
  { life, read, roles }: Pick<List, "life" | "read" | "roles">,
  { create, items, mostPages }: {
    readonly create: Operation | undefined;
    readonly items: readonly (Input | undefined)[];
    readonly mostPages: number;
  },
): Part<List[]> {
  const { limit, ...others } = roles;
  const bare = Object.values(others).reduce(
    (plan, name) => withQuery(plan, name, undefined),
    planOf(read.operation, read.input),
  );
  const sized = (size: number | undefined) =>
    limit && size ? withQuery(bare, limit, size) : bare;
  const [least, largest] = yield* limitsOf(read, limit ? sized : undefined);
  const whole = sized(largest);
  const known = (yield* keysAt(read, whole)) ?? [];
  const of = { captures: read.input };
  const missing = (least ?? 10) * 2 + 4 - known.length;
  for (let index = 0; index < missing; index++) {
    // Two equal items show whether a cursor is unique.
    const input = items[(index >> 1) % RUNS];
    const step = { does: "create", operation: create!, input, of };
    if (!input || !(yield step)) break;
  }
  const keys = (yield* keysAt(read, whole)) ?? [];
  if (new Set(keys).size < keys.length) return [];
  const size = least &&
    LIMITS.find((each) => each >= Math.max(least, keys.length / mostPages));
  const list = { life, read, roles, whole, keys, first: sized(size), size };
  return [
    list,
    ...yield* partOf({ ...list, first: sized(least), size: least }),
  ];
}

/** The smallest and the largest accepted limit. */
function* limitsOf(
  read: Step,
  sized: ((size: number) => RequestPlan) | undefined,
): Part<number[]> {
  const accepted: number[] = [];
  for (const sizes of sized ? [LIMITS, LIMITS.toReversed()] : []) {
    for (const size of sizes) {
      if (!(yield* keysAt(read, sized!(size)))) continue;
      accepted.push(size);
      break;
    }
  }
  return accepted;
}

/** The part of a list whose items have the same value of a member. */
function* partOf(list: List): Part<List[]> {
  const { life, read, roles, whole, keys, first } = list;
  const items = pageItems(life.now.exchange) ?? [];
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
      const some = (yield* keysAt(read, filtered)) ?? [];
      if (some.length < 2 || some.length >= keys.length) continue;
      const start = withQuery(first, name, value);
      return [{
        ...list,
        first: start,
        whole: filtered,
        keys: some,
        isPart: true,
      }];
    }
  }
  return [];
}

/** Reads the keys of the items that a request returns; `undefined` without a list. */
function* keysAt(
  read: Step,
  plan: RequestPlan,
): Part<readonly string[] | undefined> {
  return keysOf((yield { ...read, sends: () => plan })!);
}

function keysOf(exchange: Exchange): readonly string[] | undefined {
  return pageItems(exchange)?.map((item) =>
    JSON.stringify(isObject(item) ? item.id ?? item : item)
  );
}

/** The items of a successful response: an array, or the one member that is an array. */
export function pageItems(exchange: Exchange): readonly unknown[] | undefined {
  const json = jsonOf(exchange);
  const [items, ...further] = Array.isArray(json)
    ? [json]
    : Object.values(isObject(json) ? json : {}).filter(Array.isArray);
  return isSuccess(exchange) && further.length === 0 ? items : undefined;
}

/** The first fault of the pages of a list, or whether there was a second page. */
function* confirmed(list: List): Part<Fault | boolean> {
  const { life: { sender: { history } }, read, whole, keys } = list;
  const seen = new Set<string>();
  const found = yield* follow(list, seen);
  if (typeof found === "boolean") return found;
  const { length } = history;
  for (let count = 0; count < REREADS; count++) {
    if (!isSame(yield* keysAt(read, whole), keys)) return false;
  }
  history.length = length;
  return found;
}

function* follow(list: List, seen: Set<string>): Part<Fault | boolean> {
  const { life, read, first, size, keys } = list;
  const pages = `the pages of "${first.target}"`;
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
    const items: readonly string[] | undefined = yield* keysAt(read, plan);
    const { exchange } = life.now;
    if (items === undefined) {
      // The page after the last page may be missing.
      if (targets.size === 1 || counter && exchange.status! < 500) break;
      return { expected: `a page at "${target}"`, ...seenOf(exchange) };
    }
    const fault = itemFault(list, seen);
    if (fault !== undefined) return fault;
    const next = nextOf(exchange, list);
    if (targets.size === 1 && next === undefined) {
      counter = yield* counterOf(list, items);
    }
    plan = counter?.(targets.size) ?? next;
    if (plan && size && items.length > size) {
      const expected = `at most ${size} items, as "${target}" requests`;
      return { expected, seen: `${items.length} items` };
    }
    empty = items.length > 0 ? 0 : empty + 1;
    // Beyond the last page, a server may return the last page again.
    if (counter && (empty > 0 || seen.size >= keys.length)) break;
  }
  if (targets.size === 1 || targets.size === MAX_PAGES) return false;
  const missing = keys.find((key) => !seen.has(key));
  const expected = allItems(list);
  return missing === undefined || { expected, seen: `no item ${missing}` };
}

/** Checks the items of the latest page, and adds them to the seen items. */
function itemFault(list: List, seen: Set<string>): Fault | undefined {
  const { life: { now: { exchange } }, first, keys, isPart } = list;
  const { target } = exchange.plan;
  for (const key of keysOf(exchange)!) {
    if (seen.has(key)) {
      const expected = `each item once on the pages of "${first.target}"`;
      return { expected, seen: `item ${key} again at "${target}"` };
    }
    if (isPart && !keys.includes(key)) {
      const expected = `only ${allItems(list)}`;
      return { expected, seen: `item ${key} at "${target}"` };
    }
    seen.add(key);
  }
  return undefined;
}

function allItems({ whole, first }: List): string {
  return `the items of "${whole.target}" on the pages of "${first.target}"`;
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
    if (isSame(yield* keysAt(list.read, at(0)), items)) return at;
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
