import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import type { Fault } from "../checks.ts";
import { type Input, isValid, planOf } from "../generate/input.ts";
import { isWithin, itemsOf } from "../generate/pool.ts";
import { Planned } from "../generate/planned.ts";
import { isLive, type Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { existing, type Search, search } from "../search/search.ts";
import { isRefusal } from "../search/results.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { partFault } from "./members.ts";
import { plainInput, send } from "./resource.ts";
import { lengthText } from "./views.ts";

/** The number of refused changes of an operation to repeat. */
const RUNS = 10;

/** The maximum number of lists and resources to read. */
const READ = 4;

/** Milliseconds for the end of background work, before the first reading. */
const SETTLE_TIME = 100;

/** Milliseconds after which a time in seconds has changed. */
const DRIFT_TIME = 1_100;

/**
 * Tests that refused changes leave no trace in what their paths and bodies refer to, such
 * as the books of an order.
 */
export async function tracesProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search> {
  const refused = sender.results.of(operation).refused.slice(0, RUNS);
  if (refused.length === 0) return { runs: 0 };
  await sender.prepare(operation);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
  /** Whether a difference has persisted. */
  let isStable = false;
  const samples = await sender.samplesOf(operation);
  const inputs = new Planned(refused, fc.constantFrom(...refused));
  const values = fc.tuple(
    existing(sender, operation, inputs),
    // A list begins with accepted items, since a handler may stop at a later item.
    fc.constantFrom(undefined, ...samples),
  );
  return await search(sender, values, {
    runs: refused.length,
    attempt: async ([input, accepted]) => {
      const longer = { ...input, body: joined(accepted?.body, input.body) };
      return await isValid(operation, longer)
        ? await traceFault(longer)
        : undefined;
    },
  });

  async function traceFault(input: Input): Promise<Fault | undefined> {
    const readings = await readingsOf(sender, operation, input);
    const before: [Exchange, Exchange][] = [];
    for (const each of readings) {
      before.push([await send(sender, each), await send(sender, each)]);
    }
    if (readings.length === 0) return undefined;
    const { status } = await send(sender, planOf(operation, input));
    if (!isRefusal(operation, status)) return undefined;
    const reason = `as before the ${status} from ${operation.name}`;
    for (const [index, each] of readings.entries()) {
      const find = async () =>
        changeFault(await send(sender, each), before[index]!, reason);
      const fault = await find();
      if (fault === undefined) continue;
      const { length } = sender.history;
      if (!isStable) {
        // A time in seconds changes without a request.
        await new Promise((resolve) => setTimeout(resolve, DRIFT_TIME));
        isStable = (await find())?.seen === fault.seen;
      }
      if (!isStable) continue;
      sender.history.length = length;
      return fault;
    }
    return undefined;
  }
}

/** A body whose lists also contain the items of another body. */
function joined(before: unknown, body: unknown): unknown {
  if (Array.isArray(body)) {
    return Array.isArray(before) ? [...before, ...body] : body;
  }
  if (!isObject(before) || !isObject(body)) return body;
  const lists = Object.entries(body).filter(([, each]) => Array.isArray(each))
    .map(([name, each]) => [name, joined(before[name], each)]);
  return { ...body, ...Object.fromEntries(lists) };
}

/** Finds that a response differs from two earlier responses, which are equal. */
function changeFault(
  after: Exchange,
  before: readonly [Exchange, Exchange],
  reason: string,
): Fault | undefined {
  const [first, second, last] = [...before, after].map((each) => {
    const { items, path } = itemsOf(each);
    return path && items.length;
  });
  if (first !== undefined && first === second && (last ?? first) !== first) {
    return {
      expected: `${first} items at "${after.plan.target}", ${reason}`,
      seen: `${last} items`,
      assertion: lengthText(after, first),
    };
  }
  // An item of an array may vary.
  const expected = `"${after.plan.target}" ${reason}`;
  return isObject(jsonOf(after))
    ? partFault(after, before, { ids: [], expected })
    : undefined;
}

/** The requests for the list and the resources to which a request refers. */
async function readingsOf(
  sender: Sender,
  { route }: Operation,
  { params, wildcard, body }: Input,
): Promise<RequestPlan[]> {
  const named = new Map<string, Set<string>>();
  addNamed(named, [params, body]);
  const around = new Map<string, RequestPlan>();
  const others = new Map<string, RequestPlan>();
  for (const reader of sender.subject.operations) {
    const { method, route: { segments } } = reader;
    if (method !== "GET" || isLive(reader)) continue;
    const names = segments.flatMap((each) =>
      each.kind === "dynamic" ? [each.name] : []
    );
    const last = segments.at(-1) ?? { kind: "static" };
    const isAround = isWithin(route, reader.route) &&
      (last.kind !== "static" || reader.route === route);
    // `/books/[bookId]` reads the `bookId` of a body.
    const isNamed = names.length === 1 && last.kind === "dynamic" &&
      last.name !== "id";
    const all = isAround
      ? [Object.fromEntries(names.map((name) => [name, params[name]!]))]
      : [...isNamed ? named.get(names[0]!) ?? [] : []]
        .slice(0, READ).map((value) => ({ [names[0]!]: value }));
    for (const params of all) {
      const input = await plainInput(sender, reader, { params, wildcard });
      if (!await isValid(reader, input)) continue;
      const plan = planOf(reader, input);
      (isAround ? around : others).set(plan.target, plan);
    }
  }
  return [...new Map([...around, ...others]).values()].slice(0, READ);
}

/** Adds the strings and numbers in a value, by the names of their members. */
function addNamed(found: Map<string, Set<string>>, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (/^(?:str|num)/.test(typeof each)) {
      found.getOrInsertComputed(name, () => new Set()).add(String(each));
    } else addNamed(found, each);
  }
}
