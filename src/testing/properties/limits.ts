import {
  declarationFault,
  endIfAsked,
  EndOfRun,
  type Fault,
  seenOf,
} from "../checks.ts";
import type { Input } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import {
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";

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
  if (!operation.responses.has(429)) return undefined;
  /** The request, if the operation has a limit. */
  const requests: RequestPlan[] = [];
  let fault: Fault | undefined;
  const found = await withInputs(sender, operation, (inputs) => {
    // Returns no fault, since a search would send hundreds of requests again.
    const attempt = async (input: Input) => {
      fault = await limitFault(await validPlan(operation, input));
      return undefined;
    };
    return search(sender, inputs, { runs: 1, attempt });
  });
  if (fault === undefined) return requests.length === 0 ? undefined : found;
  return { ...found, counterexample: { fault, requests, replays: false } };

  /** @throws {EndOfRun} If the limit cannot be tested. */
  async function limitFault(plan: RequestPlan): Promise<Fault | undefined> {
    const begin = performance.now();
    let exchange = await sender.send(plan);
    const policies = itemsOf(exchange.headers.get("ratelimit-policy"));
    const [first] = [...policies].filter(([, { q = 0 }]) => q > 0)
      .sort(([, a], [, b]) => a.q! - b.q!);
    if (first === undefined) return undefined;
    requests.push(plan);
    const [name, { q: limit = 0, w = 0 }] = first;
    if (limit > LARGEST) {
      throw new EndOfRun(
        `not tested: the limit of ${limit} requests is above ${LARGEST}`,
      );
    }
    const { t = w } = itemsOf(exchange.headers.get("ratelimit")).get(name) ??
      {};
    for (let sent = 1; sent <= limit && exchange.status !== 429; sent++) {
      exchange = await sender.send(plan);
      if (exchange.status !== 429) endIfAsked(exchange);
    }
    if (exchange.status === 429) {
      const after = exchange.headers.get("retry-after") ?? "";
      return /^[1-9]\d*$/.test(after) || Date.parse(after) > Date.now()
        ? await declarationFault(operation, exchange)
        : {
          expected: "a 429 with Retry-After",
          seen: `Retry-After "${after}"`,
        };
    }
    // `t` is rounded up, so the window may end a second earlier.
    if (performance.now() - begin > (t - 1) * 1_000) {
      throw new EndOfRun(
        `not tested: ${limit + 1} requests took longer than the window`,
      );
    }
    const expected = `a 429 to request ${limit + 1}`;
    const reason = `since the limit is ${limit} in ${w} s`;
    return { expected: `${expected}, ${reason}`, ...seenOf(exchange) };
  }
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
