import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import type { Fault } from "../checks.ts";
import type { Input } from "../generate/input.ts";
import { isWithin, itemsOf } from "../generate/pool.ts";
import { Planned } from "../generate/planned.ts";
import { isLive, type Operation } from "../operation.ts";
import type { Strings } from "../plan.ts";
import { type Judgement, type Life, type Step, tell } from "../search/life.ts";
import { isRefusal } from "../search/results.ts";
import { existing, type Search } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import { partFault } from "./members.ts";
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
  const samples = await sender.samplesOf(operation);
  const inputs = new Planned(refused, fc.constantFrom(...refused));
  const holds = [traceless()];
  return await tell(sender, {
    values: fc.tuple(
      existing(sender, operation, inputs),
      // A list begins with accepted items, since a handler may stop at a later item.
      fc.constantFrom(undefined, ...samples),
    ),
    runs: refused.length,
    acceptance: new Acceptance(),
    *steps([refused, accepted]) {
      const body = joined(accepted?.body, refused.body);
      const input = { ...refused, body };
      const readings: Step[] = [];
      for (const read of readingsOf(sender, operation, input)) {
        if (readings.length === READ) break;
        yield read;
        if ((yield read) !== undefined) readings.push(read);
      }
      if (readings.length === 0) return;
      const change = { does: "change", operation, input, isNeeded: true };
      if (!isRefusal(operation, (yield change)?.status)) return;
      for (const read of readings) yield { ...read, does: "after", holds };
    },
  });
}

/** Reports a trace that persists, since a time in seconds changes without a request. */
function traceless(): Judgement {
  let isStable = false;
  return async (life) => {
    const { sender, now: { exchange } } = life;
    const fault = changeFault(life, exchange);
    if (fault === undefined || isStable) return fault;
    const { length } = sender.history;
    await new Promise((resolve) => setTimeout(resolve, DRIFT_TIME));
    const again = await sender.send(exchange.plan);
    sender.history.length = length;
    isStable = changeFault(life, again)?.seen === fault.seen;
    return isStable ? fault : undefined;
  };
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
function changeFault(life: Life, after: Exchange): Fault | undefined {
  const { target } = after.plan;
  const before = life.all("before")
    .filter(({ plan }) => plan.target === target);
  const { step, exchange } = life.done
    .find(({ step }) => step.does === "change")!;
  const reason = `as before the ${exchange.status} from ${step.operation.name}`;
  const [first, second, last] = [...before, after].map((each) => {
    const { items, path } = itemsOf(each);
    return path && items.length;
  });
  if (first !== undefined && first === second && (last ?? first) !== first) {
    return {
      expected: `${first} items at "${target}", ${reason}`,
      seen: `${last} items`,
      assertion: lengthText(after, first),
    };
  }
  // An item of an array may vary.
  const expected = `"${target}" ${reason}`;
  return isObject(jsonOf(after))
    ? partFault(after, before, { ids: [], expected })
    : undefined;
}

/** The readings of the list and the resources to which a request refers. */
function readingsOf(
  sender: Sender,
  { route }: Operation,
  { params, wildcard, body }: Input,
): Step[] {
  const named = namedIn([params, body]);
  const around: [Operation, Strings][] = [];
  const others: [Operation, Strings][] = [];
  for (const reader of sender.subject.operations) {
    const { method, route: { segments } } = reader;
    if (method !== "GET" || isLive(reader)) continue;
    const kind = segments.at(-1)?.kind ?? "static";
    const names = segments.flatMap((each) =>
      each.kind === "dynamic" ? each.name : []
    );
    const isAround = kind !== "static" && isWithin(route, reader.route);
    if (isAround || reader.route === route) {
      const own = names.map((name) => [name, params[name]!]);
      around.push([reader, Object.fromEntries(own)]);
    } else if (kind === "dynamic" && names.length === 1 && names[0] !== "id") {
      // `/books/[bookId]` reads the `bookId` of a body.
      const values = named.filter(([name]) => name === names[0])
        .map(([, value]) => value);
      for (const value of [...new Set(values)].slice(0, READ)) {
        others.push([reader, { [names[0]!]: value }]);
      }
    }
  }
  return [...around, ...others].map(([operation, params]) => ({
    does: "before",
    operation,
    of: { captures: { params, wildcard } },
  }));
}

/** The strings and numbers in a value, with the names of their members. */
function namedIn(value: unknown): [name: string, value: string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    /^(?:str|num)/.test(typeof each) ? [[name, String(each)]] : namedIn(each)
  );
}
