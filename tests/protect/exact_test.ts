import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { memoryStore } from "@bough/framework/protect";
import { TestFolder } from "../support/application.ts";
import { Child } from "./child.ts";
import { Flood } from "./flood.ts";

Deno.test("exactly the limit passes of 5,000 requests at once, in memory", async () => {
  assertEquals(await new Flood(memoryStore(), 1234).send(5_000), 1234);
});

Deno.test("exactly the limit passes in each window in two processes that share a file", async () => {
  await using folder = await TestFolder.create({});
  const path = join(folder.path, "protect.db");
  await using processes = new AsyncDisposableStack();
  const start = () => processes.use(new Child("flood.ts", path, "345"));
  const both = [start(), start()];
  /** Lets each process send requests at once, and returns how many of each passed. */
  const send = (requests: number) =>
    Promise.all(both.map(async (process) => {
      await process.write(String(requests));
      return Number(await process.read());
    }));
  const sum = ([first, second]: readonly number[]) => first! + second!;
  await send(0);
  const first = await send(150);
  assertEquals(first, [150, 150]);
  let passed = sum(first) + sum(await send(150));
  assertEquals(passed, 345);
  using database = new DatabaseSync(path, { timeout: 10_000 });
  for (let window = 2; window <= 6; window++) {
    const flooding = send(200);
    // The window ends while requests arrive.
    database.exec("UPDATE counters SET ends = ends - 60000");
    passed += sum(await flooding) + sum(await send(200));
    assertEquals(passed, 345 * window);
  }
});
