import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { printRouteChanges } from "@bough/framework/dev";
import { TestFolder } from "./support/application.ts";
import { DenoProcess, freePort } from "./support/process.ts";

const GET = "export const GET = () => new Response('x');";

Deno.test("printRouteChanges() tells what is new and gone since the last start", async () => {
  await using folder = await TestFolder.create({
    "api/a/route.js": GET,
    "api/b/route.js": GET,
  });
  const kept = new Map<string, string>();
  const lines: string[] = [];
  const options = {
    memory: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    },
    print: (line: string) =>
      void lines.push(line.replaceAll(folder.path + "/", "")),
  };
  const start = () =>
    printRouteChanges(
      new Framework({ apiDir: `${folder.path}/api` }),
      options,
    );
  await start();
  await start();
  await Deno.remove(`${folder.path}/api/b`, { recursive: true });
  await folder.write("api/c/[id]/route.js", `${GET} export const PUT = GET;`);
  await start();
  assertEquals(lines, [
    "[bough] routes: 2, handlers: 2",
    "[bough] - GET /api/b (api/b/route.js)",
    "[bough] + GET /api/c/[id] (api/c/[id]/route.js)",
    "[bough] + PUT /api/c/[id] (api/c/[id]/route.js)",
  ]);
});

Deno.test("a watched application restarts on new, edited and removed folders, and tells", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "api/a/route.ts": GET,
    "dev.ts": `
      import { Framework } from "@bough/framework";
      import { printRouteChanges } from "@bough/framework/dev";
      const app = new Framework({ apiDir: "api" });
      await printRouteChanges(app);
      await app.serve({ port: ${port}, hostname: "127.0.0.1" });
    `,
  });
  await using process = new DenoProcess(
    folder.path,
    ["--allow-read", "--allow-net", "--watch=api"],
    "dev.ts",
  );
  const status = async (path: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.body?.cancel();
    return response.status;
  };
  await process.printed("routes: 1, handlers: 1");
  await process.printed("Listening");
  assertEquals(await status("/api/new/7"), 404);

  await folder.write("api/new/[id]/route.ts", GET);
  await process.printed("[bough] + GET /api/new/[id] (api/new/[id]/route.ts)");
  await listening(process, 2);
  assertEquals(await status("/api/new/7"), 200);

  await folder.write("api/a/route.ts", `${GET} export const PUT = GET;`);
  await process.printed("[bough] + PUT /api/a (api/a/route.ts)");

  await Deno.remove(`${folder.path}/api/new`, { recursive: true });
  await process.printed("[bough] - GET /api/new/[id] (api/new/[id]/route.ts)");
  await listening(process, 4);
  assertEquals(await status("/api/new/7"), 404);
});

/** Waits until a process has said some times that it listens. */
async function listening(process: DenoProcess, times: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (process.output.split("Listening").length > times) return;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(process.output);
}
