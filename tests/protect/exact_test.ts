import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";

const FLOOD = fromFileUrl(new URL("flood.ts", import.meta.url));
const REQUESTS = 5_000;

interface Flood {
  readonly passed: number;
  readonly rejected: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Lets processes send 5,000 requests a second, each for a second. */
async function flood(
  store: string,
  { processes, limit, per }: { processes: number; limit: number; per: number },
): Promise<Flood[]> {
  const start = Date.now() + 1500;
  const args = [store, limit, per, REQUESTS, start].map(String);
  return await Promise.all(Array.from({ length: processes }, async () => {
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      {
        args: ["run", "-A", "--no-check", FLOOD, ...args],
      },
    ).output();
    const decoder = new TextDecoder();
    assert(success, decoder.decode(stderr));
    return JSON.parse(decoder.decode(stdout));
  }));
}

function sum(floods: readonly Flood[], name: "passed" | "rejected"): number {
  return floods.reduce((sum, flood) => sum + flood[name], 0);
}

Deno.test("exactly the limit passes of 5,000 requests a second, in memory", async () => {
  const limits = { processes: 1, limit: 1234, per: 60_000 };
  const floods = await flood("memory", limits);
  assertEquals(sum(floods, "passed"), 1234);
  assertEquals(sum(floods, "rejected"), REQUESTS - 1234);
});

Deno.test("exactly the limit passes in two processes that share a file", async () => {
  await using folder = await TestFolder.create({});
  const store = join(folder.path, "protect.db");
  const floods = await flood(store, { processes: 2, limit: 1234, per: 60_000 });
  assertEquals(sum(floods, "passed"), 1234);
  assertEquals(sum(floods, "rejected"), 2 * REQUESTS - 1234);
  for (const { passed } of floods) assert(passed > 0, "one process was late");
});

Deno.test("exactly the limit passes in each of several windows", async () => {
  await using folder = await TestFolder.create({});
  const store = join(folder.path, "protect.db");
  const limits = { processes: 2, limit: 100, per: 200 };
  const floods = await flood(store, limits);
  const passed = sum(floods, "passed");
  const from = Math.min(...floods.map((flood) => flood.from));
  const to = Math.max(...floods.map((flood) => flood.to));
  // The windows follow each other, and the last may end before 100 requests.
  const windows = Math.ceil((to - from) / 200);
  assert(passed <= 100 * windows, `${passed} in ${windows} windows`);
  assert(passed >= 300, `${passed} in ${windows} windows`);
});
