/** A search tries values, and shrinks the first one that shows a fault. */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Fault } from "../../../src/testing/checks.ts";
import { runsOf, search } from "../../../src/testing/search/search.ts";
import type { Operation } from "../../../src/testing/operation.ts";
import type { Sender } from "../../../src/testing/search/sender.ts";
import type { Subject } from "../../../src/testing/search/subject.ts";

const FAULT: Fault = { expected: "a", seen: "b", assertion: undefined };

/** The sender for a server on another machine, which cannot be reset. */
function sender(): Sender {
  return {
    subject: { options: { seed: 1 }, target: { isResettable: false } },
    history: [],
    renamed: new Map(),
  } as unknown as Sender;
}

/** Searches for a number that is too large; each attempt takes a time. */
async function trialsOf(
  milliseconds: number,
): Promise<{ all: number; first: number }> {
  const real = performance.now;
  let now = 0;
  let [all, first] = [0, 0];
  performance.now = () => now;
  try {
    const { runs } = await search(sender(), fc.nat({ max: 1e9 }), {
      runs: 10,
      attempt: (value) => {
        now += milliseconds;
        all++;
        return Promise.resolve(value > 12_345 ? FAULT : undefined);
      },
    });
    first = runs;
  } finally {
    performance.now = real;
  }
  return { all, first };
}

Deno.test("a counterexample is shrunk for three seconds", async () => {
  const quick = await trialsOf(0);
  assert(quick.all - quick.first > 20, `${quick.all}`);
  const slow = await trialsOf(500);
  assertEquals(slow.all - slow.first, 7);
});

/** Searches for a fault that needs some requests; returns the number of kept requests. */
async function keptOf(
  { needed, from, isSlow }: {
    readonly needed: number;
    /** The first trial that shows it. */
    readonly from: number;
    /** Whether to see if that trial shows it alone takes long. */
    readonly isSlow: boolean;
  },
): Promise<{ kept: number; trials: number }> {
  const real = performance.now;
  let now = 0;
  let trials = 0;
  performance.now = () => now;
  const fake = {
    subject: { options: { seed: 1 }, target: { isResettable: true } },
    history: [] as unknown[],
    renamed: new Map(),
    reset: () => {
      fake.history = [];
    },
    prepareAgain: () => fake.reset(),
    send: (plan: unknown) => fake.history.push(plan),
  };
  try {
    const { counterexample } = await search(
      fake as unknown as Sender,
      fc.nat(),
      {
        runs: 20,
        attempt: () => {
          trials++;
          now += isSlow && trials === from + 1 ? 4_000 : 10;
          fake.send(trials);
          const isFaulty = trials >= from && fake.history.length > needed;
          return Promise.resolve(isFaulty ? FAULT : undefined);
        },
      },
    );
    assertEquals(counterexample!.replays, true);
    return { kept: counterexample!.requests.length - 1, trials };
  } finally {
    performance.now = real;
  }
}

Deno.test("a counterexample keeps the earlier requests that it needs", async () => {
  for (const isSlow of [false, true]) {
    for (const [needed, from] of [[1, 2], [2, 3], [2, 10], [3, 10], [9, 10]]) {
      const { kept, trials } = await keptOf({
        needed: needed!,
        from: from!,
        isSlow,
      });
      assertEquals(kept, needed);
      assert(trials < 60, `${trials} for ${needed} of ${from}`);
    }
  }
});

Deno.test("an operation without choices, or with a stream, is tried a few times", () => {
  const count = (further: Record<string, unknown>, runs = 100) => {
    const { parts, hasBody = false, kind = "static", ...schema } = further;
    const operation = {
      hasBody,
      schema: {
        parts: { query: [], headers: [], cookies: [], ...parts as object },
        ...schema,
      },
      route: { segments: [{ kind: "static" }, { kind }] },
    } as unknown as Operation;
    return runsOf({ options: { runs } } as Subject, operation);
  };
  assertEquals([count({}), count({}, 3)], [5, 3]);
  assertEquals(count({ parts: { query: [{}] } }), 100);
  assertEquals(count({ parts: { headers: [{}] } }), 100);
  assertEquals(count({ parts: { cookies: [{}] } }), 100);
  assertEquals(count({ hasBody: true }), 100);
  assertEquals(count({ kind: "dynamic" }), 100);
  assertEquals(count({ kind: "wildcard" }), 100);
  const events = { events: {}, parts: { query: [{}] } };
  assertEquals([count(events), count(events, 7)], [20, 7]);
});
