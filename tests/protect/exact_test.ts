import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { memoryStore } from "@bough/framework/protect";
import { TestFolder } from "../support/application.ts";
import { Child } from "./child.ts";
import { Flood } from "./flood.ts";

/** Two processes that share a store in a file. */
class Floods implements AsyncDisposable {
  readonly #folder: TestFolder;
  readonly #processes: readonly Child[];
  readonly path: string;

  private constructor(folder: TestFolder, limit: number) {
    this.#folder = folder;
    this.path = join(folder.path, "protect.db");
    const args = ["flood.ts", this.path, String(limit)] as const;
    this.#processes = [new Child(...args), new Child(...args)];
  }

  static async start(limit: number): Promise<Floods> {
    const floods = new Floods(await TestFolder.create({}), limit);
    await floods.send(0);
    return floods;
  }

  /** Lets each process send requests at once, and returns how many of each passed. */
  async send(requests: number): Promise<number[]> {
    return await Promise.all(this.#processes.map(async (process) => {
      await process.write(String(requests));
      return Number(await process.read());
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#processes) await process[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

Deno.test("exactly the limit passes of 5,000 requests at once, in memory", async () => {
  assertEquals(await new Flood(memoryStore(), 1234).send(5_000), 1234);
});

Deno.test("exactly the limit passes in two processes that share a file", async () => {
  await using floods = await Floods.start(345);
  const first = await floods.send(150);
  assertEquals(first, [150, 150]);
  let passed = sum(first);
  for (let round = 2; round <= 4; round++) {
    passed += sum(await floods.send(150));
  }
  assertEquals(passed, 345);
});

Deno.test("exactly the limit passes in each of several windows", async () => {
  await using floods = await Floods.start(50);
  using database = new DatabaseSync(floods.path, { timeout: 10_000 });
  let passed = sum(await floods.send(80));
  for (let window = 2; window <= 6; window++) {
    const flooding = floods.send(80);
    // The window ends while requests arrive.
    database.exec("UPDATE counters SET ends = ends - 60000");
    passed += sum(await flooding) + sum(await floods.send(80));
    assertEquals(passed, 50 * window);
  }
});
