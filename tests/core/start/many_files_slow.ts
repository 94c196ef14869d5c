import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { RouteError } from "@bough/framework";
import {
  CapturedLog,
  FolderApplication,
  TestFolder,
} from "../../support/application.ts";
import { DenoProcess, freePort } from "../../support/process.ts";

const GET = "export function GET() { return new Response('ok'); }";

const FILES = 4_000;
// Slow: it writes and imports thousands of files, 4 CPU seconds. `bench:start` measures
// the time.
Deno.test("Bough imports 4,000 route files through one module (behaviour 9.4)", async () => {
  using _log = new CapturedLog();
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
const { createObjectURL } = URL;
let modules = 0;
URL.createObjectURL = (blob) => {
  modules++;
  return createObjectURL(blob);
};
const app = new Framework({ apiDir: "api" });
await app.start();
console.log("generated modules:", modules);
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
  assertStringIncludes(process.output, "generated modules: 1\n");
  for (const index of [0, 1, FILES - 1]) {
    const answer = await fetch(
      `http://127.0.0.1:${port}/api/group${index % 40}/item${index}/7`,
    );
    assertEquals(await answer.json(), { item: index, id: "7" });
  }
});

// Slow: the same, and each later import in the process costs more, since Deno goes
// through all modules that it knows.
Deno.test("start() names the broken files among thousands, and imports each once", async () => {
  const files: Record<string, string> = {};
  for (let index = 0; index < 4_500; index++) {
    files[`r${index}/route.js`] =
      `globalThis.manyRuns = (globalThis.manyRuns ?? 0) + 1; ${GET}`;
  }
  // The first one is imported before the others.
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
