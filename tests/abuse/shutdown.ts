import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import type { AbuseCase } from "./case.ts";

const SIZE = 50_000;

const FILES = {
  "api/quick/route.js":
    `export const GET = () => new Response("x".repeat(${SIZE}));`,
  "api/slow/route.js": `export async function GET() {
    await new Promise((go) => setTimeout(go, 500));
    return new Response("x".repeat(${SIZE}));
  }`,
  "api/stream/route.js": `export function GET() {
    let rest = 50;
    return new Response(new ReadableStream({
      async pull(controller) {
        await new Promise((go) => setTimeout(go, 10));
        controller.enqueue(new Uint8Array(${SIZE / 50}));
        if (--rest === 0) controller.close();
      },
    }));
  }`,
  "api/hang/route.js": `export const GET = () => {
    console.log("hanging");
    return new Promise(() => {});
  };`,
};

/** What the clients of a server received while it was stopped. */
interface Load {
  /** Responses that arrived whole. */
  whole: number;
  /** Responses that began and broke off. */
  broken: number;
}

/** Sends one request after another until the server accepts no more. */
async function keepRequesting(url: string, load: Load): Promise<void> {
  for (;;) {
    let response;
    try {
      response = await fetch(url);
    } catch {
      return;
    }
    try {
      assertEquals((await response.bytes()).length, SIZE);
      load.whole++;
    } catch {
      load.broken++;
    }
  }
}

async function start(
  folder: TestFolder,
  port: number,
): Promise<DenoProcess> {
  await folder.write(
    "main.ts",
    `import { draining, Framework } from "@bough/framework";
     draining.addEventListener("abort", () => console.log("draining"));
     await new Framework({ apiDir: "api" }).serve({ port: ${port}, shutdownTimeout: 5_000 });`,
  );
  return await DenoProcess.listening(folder.path);
}

const WINDOWS = Deno.build.os === "windows";

/** Shutting a server down, as each release of an application does. */
export const SHUTDOWN: readonly AbuseCase[] = [{
  abuse: "SIGTERM under the load of 30 clients, quick, slow and streaming",
  must: "every response that had begun arrives whole; exit code 0",
  ignore: WINDOWS,
  attempt: async () => {
    const port = freePort();
    await using folder = await TestFolder.create(FILES);
    await using process = await start(folder, port);
    const load = { whole: 0, broken: 0 };
    const clients = Array.from({ length: 30 }, (_, index) => {
      const path = ["quick", "slow", "stream"][index % 3];
      return keepRequesting(`http://127.0.0.1:${port}/api/${path}`, load);
    });
    await new Promise((go) => setTimeout(go, 1_000));
    process.kill("SIGTERM");
    await Promise.all(clients);
    const { code, output } = await process.outcome();
    assertEquals([load.broken, code], [0, 0], output);
    assert(load.whole > 30, String(load.whole));
    return "no response broken, exit code 0";
  },
}, {
  abuse: "a second SIGTERM while a handler keeps the server from draining",
  must: "the process ends at once, with exit code 1",
  ignore: WINDOWS,
  attempt: async () => {
    const port = freePort();
    await using folder = await TestFolder.create(FILES);
    await using process = await start(folder, port);
    const hanging = fetch(`http://127.0.0.1:${port}/api/hang`)
      .then(() => "responded", () => "cut off");
    await process.printed("hanging");
    const before = performance.now();
    process.kill("SIGTERM");
    await process.printed("draining");
    process.kill("SIGTERM");
    const { code } = await process.outcome();
    assert(performance.now() - before < 3_000);
    assertEquals([await hanging, code], ["cut off", 1]);
    return "exit code 1";
  },
}];
