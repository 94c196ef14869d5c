import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { printRouteChanges } from "@bough/framework/dev";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";

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

  await until(
    process,
    "[bough] + GET /api/new/[id] (api/new/[id]/route.ts)",
    () => folder.write("api/new/[id]/route.ts", GET),
  );
  await settled(status, 200);

  await until(
    process,
    "[bough] + PUT /api/a (api/a/route.ts)",
    () => folder.write("api/a/route.ts", `${GET} export const PUT = GET;`),
  );

  await until(
    process,
    "[bough] - GET /api/new/[id] (api/new/[id]/route.ts)",
    async () => {
      await Deno.remove(`${folder.path}/api/new`, { recursive: true }).catch(
        () => folder.write("api/noticed.txt", String(Date.now())),
      );
    },
  );
  await settled(status, 404);
});

/**
 * Does something until a process prints a text: the watcher of Deno may not look
 * yet when the program already runs.
 */
async function until(
  process: DenoProcess,
  text: string,
  act: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (tries % 20 === 0) await act();
    await new Promise((go) => setTimeout(go, 100));
    if (process.output.includes(text)) return;
  }
  throw new Error(`It did not print "${text}":\n${process.output}`);
}

/** Waits until the restarted server answers with a status. */
async function settled(
  status: (path: string) => Promise<number>,
  wanted: number,
): Promise<void> {
  let last;
  for (let tries = 0; tries < 100; tries++) {
    last = await status("/api/new/7").catch(() => undefined);
    if (last === wanted) return;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error(`It answers ${last}, not ${wanted}`);
}
