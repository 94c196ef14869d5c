import { assertEquals, assertStringIncludes } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess, freePort } from "../../support/process.ts";

const FILES = 4_000;
// Slow: it writes and imports thousands of files, 4 CPU seconds. `bench:start` measures
// the time.
Deno.test("Bough imports 4,000 route files through one module (behaviour 9.4)", async () => {
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
