import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { RouteError } from "@bough/framework";
import {
  CapturedLog,
  FolderApplication,
  TestFolder,
} from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";

const GET = "export function GET() { return new Response('ok'); }";

const FILES = 4_000;
/** Importing one by one takes tens of seconds; loaded machines are slow. */
const SECONDS = 10;

// Slow: it writes and imports thousands of files, 4 CPU seconds.
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

// Slow: as above; and each import that follows in the process costs more, since Deno
// goes through all modules that it knows of.
Deno.test("start() names the broken files among thousands, and imports each once", async () => {
  const files: Record<string, string> = {};
  for (let index = 0; index < 4_500; index++) {
    files[`r${index}/route.js`] =
      `globalThis.manyRuns = (globalThis.manyRuns ?? 0) + 1; ${GET}`;
  }
  // In different batches; the first one is a sample, too.
  for (const index of [0, 1_500, 4_499]) {
    files[`r${index}/route.js`] = `throw new Error("broken ${index}"); ${GET}`;
  }
  await using application = await FolderApplication.create(files);
  const { faults, message } = await assertRejects(
    () => application.app.start(),
    RouteError,
  );
  assertEquals(
    message,
    faults.map(({ path, reason }) => `Cannot serve "${path}": ${reason}`)
      .join("\n"),
  );
  const api = join(application.folder.path, "api");
  assertEquals(faults.map(({ path }) => path), [
    join(api, "r0/route.js"),
    join(api, "r1500/route.js"),
    join(api, "r4499/route.js"),
  ]);
  const global = globalThis as { manyRuns?: number };
  assertEquals(global.manyRuns, 4_497);
  delete global.manyRuns;
});
