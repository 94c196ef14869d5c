/** The program of the guide to resources closes its database at the end. */
import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../../support/application.ts";
import { Page } from "../../support/pages.ts";
import { DenoProcess } from "../../support/process.ts";
import { ServingProcess, UNIX } from "./support.ts";

const PAGE = (await Page.all())
  .find(({ path }) => path === "src/guide/resources.md")!;
const CLOSE = "this.#database.close();";
const SERVE = "serve({ env: true })";

/** A request that still runs after the signal. */
const SLOW = `import { draining } from "@bough/framework";
import { noteStore } from "../../store.ts";
export async function GET(request) {
  console.log("begun");
  await new Promise((done) => draining.addEventListener("abort", done));
  await new Promise((done) => setTimeout(done, 50));
  return Response.json(noteStore.get(request).texts());
}`;

/** The program of the page, which prints when it closes its database. */
async function programOn(port = 0): Promise<TestFolder> {
  const files = PAGE.files;
  const [store, main] = [files["store.ts"]!, files["main.ts"]!];
  assert(store.includes(CLOSE) && main.includes(SERVE));
  return await TestFolder.create({
    ...files,
    "api/slow/route.js": SLOW,
    "store.ts": store.replace(CLOSE, `${CLOSE} console.log("closed");`),
    "main.ts": main.replace(SERVE, `serve({ port: ${port} })`),
  });
}

const FLAGS = ["--allow-read=.", "--allow-write=notes.db", "--allow-net"];

Deno.test(
  "SIGTERM closes a resource after the last request (behaviour 9.5)",
  UNIX,
  async () => {
    await using folder = await programOn();
    await using process = await new ServingProcess(folder.path, FLAGS).listen();
    const url = `http://127.0.0.1:${process.port}/api`;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ text: "Water the plants" });
    const added = await fetch(`${url}/notes`, {
      method: "POST",
      headers,
      body,
    });
    assertEquals([added.status, await added.json()], [201, { id: 1 }]);

    const slow = fetch(`${url}/slow`);
    await process.printed("begun");
    process.kill("SIGTERM");
    const response = await slow;
    assertEquals(await response.json(), ["Water the plants"]);
    const { code, output } = await process.outcome();
    assertEquals([code, output.split("\n").at(-2)], [0, "closed"]);
  },
);

Deno.test("a program that cannot listen closes its database", async () => {
  using listener = Deno.listen({ port: 0 });
  await using folder = await programOn(listener.addr.port);
  await using process = new DenoProcess(folder.path, FLAGS);
  const { code, output } = await process.outcome();
  assertEquals([code, output.split("\n")[0]], [1, "closed"]);
});
