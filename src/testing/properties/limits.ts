import {
  declarationFault,
  endIfAsked,
  EndOfRun,
  type Fault,
  seenOf,
} from "../checks.ts";
import type { Input } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import {
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import type { Exchange } from "../send/exchange.ts";

/** The largest limit to test, since the test sends one request more. */
const LARGEST = 1_000;

/**
 * Tests that an operation rejects the first request above the limit in its header
 * `RateLimit-Policy`. Applies to operations that declare 429.
 */
export async function limitsProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  let isLimited = false;
  let fault: Fault | undefined;
  const found = await withInputs(sender, operation, (inputs) => {
    // Returns no fault, since a search would send hundreds of requests again.
    const attempt = async (input: Input) => {
      const first = await sender.send(await validPlan(operation, input));
      isLimited = limitOf(first) !== undefined;
      if (isLimited) fault = await limitFault(sender, operation, first);
      return undefined;
    };
    return search(sender, inputs, { runs: 1, attempt });
  });
  if (!isLimited) return undefined;
  const requests = sender.history.slice(-1);
  const counterexample = fault && { fault, requests, replays: false };
  return { ...found, counterexample };
}

/** A number of requests in some seconds, and the seconds that are left. */
type Limit = readonly [limit: number, window: number, rest: number];

/** The smallest limit that a response names. */
function limitOf({ headers }: Exchange): Limit | undefined {
  const [first] = [...itemsOf(headers.get("ratelimit-policy"))]
    .filter(([, { q = 0 }]) => q > 0)
    .sort(([, a], [, b]) => a.q! - b.q!);
  if (first === undefined) return undefined;
  const [name, { q: limit = 0, w: window = 0 }] = first;
  const rest = itemsOf(headers.get("ratelimit")).get(name)?.t ?? window;
  return [limit, window, rest];
}

/** @throws {EndOfRun} If the limit cannot be tested. */
async function limitFault(
  sender: Sender,
  operation: Operation,
  first: Exchange,
): Promise<Fault | undefined> {
  const [limit, window, rest] = limitOf(first)!;
  if (limit > LARGEST) {
    throw new EndOfRun(
      `not tested: the limit of ${limit} requests is above ${LARGEST}`,
    );
  }
  const begin = performance.now();
  let exchange = first;
  for (let sent = 1; sent <= limit && exchange.status !== 429; sent++) {
    exchange = await sender.send(first.plan);
    if (exchange.status !== 429) endIfAsked(exchange);
  }
  if (exchange.status === 429) {
    const after = exchange.headers.get("retry-after") ?? "";
    return /^[1-9]\d*$/.test(after) || Date.parse(after) > Date.now()
      ? await declarationFault(operation, exchange)
      : { expected: "a 429 with Retry-After", seen: `Retry-After "${after}"` };
  }
  // `rest` is rounded up, so the window may end a second earlier.
  if (performance.now() - begin > (rest - 1) * 1_000) {
    throw new EndOfRun(
      `not tested: ${limit + 1} requests took longer than the window`,
    );
  }
  const expected = `a 429 to request ${limit + 1}`;
  const reason = `since the limit is ${limit} in ${window} s`;
  return { expected: `${expected}, ${reason}`, ...seenOf(exchange) };
}

/** Reads the names in a header, each with its numbers (draft of RateLimit headers). */
function itemsOf(
  field: string | null,
): ReadonlyMap<string, Readonly<Record<string, number>>> {
  const items = (field ?? "").matchAll(/"([^"]*)"([^",]*)/g);
  return new Map(items.map(([, name = "", params = ""]) => {
    const numbers = params.matchAll(/;([a-z]+)=(\d+)/g)
      .map(([, key = "", digits]) => [key, Number(digits)] as const);
    return [name, Object.fromEntries(numbers)];
  }));
}
