import { assert, assertEquals } from "@std/assert";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const FILES = 4_000;
/** Importing one by one takes tens of seconds; loaded machines are slow. */
const SECONDS = 10;

Deno.test("4,000 route files start in seconds (behaviour 9.4)", async () => {
  using _log = new CapturedLog();
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
const before = performance.now();
const app = new Framework({ apiDir: "api" });
await app.start();
console.log("started after", performance.now() - before, "ms");
await app.serve({ port: ${port} });`,
  });
  for (let index = 0; index < FILES; index++) {
    await folder.write(
      `api/group${index % 40}/item${index}/[id]/route.ts`,
      `export function GET({ params }: { params: { id: string } }): Response {
  return Response.json({ item: ${index}, id: params.id });
}`,
    );
  }
  await using process = await DenoProcess.listening(folder.path);
  const ms = Number(/started after ([\d.]+)/.exec(process.output)?.[1]);
  assert(ms < SECONDS * 1000, `${ms} ms`);
  for (const index of [0, 1, FILES - 1]) {
    const answer = await fetch(
      `http://127.0.0.1:${port}/api/group${index % 40}/item${index}/7`,
    );
    assertEquals(await answer.json(), { item: index, id: "7" });
  }
});
