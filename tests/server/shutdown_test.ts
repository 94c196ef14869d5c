import { assert, assertEquals, assertRejects } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { delay, until } from "../support/until.ts";

const HELLO = "export const GET = () => new Response('hello');";

/** A program that serves `api/` by a statement, and prints when it begins to drain. */
function main(serve: string): string {
  return `import { draining, Framework } from "@bough/framework";
draining.addEventListener("abort", () => console.log("draining"));
const app = new Framework({ apiDir: "api" });
${serve}`;
}

async function statusAt(port: number, target: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`);
  await answer.body?.cancel();
  return answer.status;
}

const SLOW = {
  "api/slow/route.js": `export async function GET(request) {
    const ms = Number(new URL(request.url).searchParams.get("ms"));
    console.log("begun", ms);
    await new Promise((done) => setTimeout(done, ms));
    return new Response("complete".repeat(1000));
  }`,
  "api/stream/route.js": `export function GET() {
    let rest = 20;
    console.log("begun stream");
    return new Response(new ReadableStream({
      async pull(controller) {
        await new Promise((done) => setTimeout(done, 25));
        controller.enqueue(new Uint8Array(1000));
        if (--rest === 0) controller.close();
      },
    }));
  }`,
};

/** Starts a server, and a request to it that lasts a minute. */
async function startSlow(folder: TestFolder, port: number): Promise<{
  process: DenoProcess;
  answer: Promise<"answered" | "cut off">;
}> {
  const process = await DenoProcess.listening(folder.path);
  const answer = fetch(`http://127.0.0.1:${port}/api/slow?ms=60000`)
    .then(() => "answered" as const, () => "cut off" as const);
  await process.printed("begun 60000");
  return { process, answer };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test({
    name:
      `${signal} under load loses no response that had begun, and exits with 0 (behaviour 9.5)`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const port = freePort();
      await using folder = await TestFolder.create({
        "main.ts": main(`setInterval(() => {}, 1_000_000);
          const server = await app.serve({ port: ${port}, shutdownTimeout: 2_000 });
          await server.finished;
          console.log("finished");`),
        ...SLOW,
      });
      await using process = await DenoProcess.listening(folder.path);
      const url = `http://127.0.0.1:${port}/api`;
      const answers = Array.from({ length: 40 }, async (_, index) => {
        const stream = index % 4 === 0;
        const path = stream ? "/stream" : `/slow?ms=${300 + index}`;
        const answer = await fetch(url + path);
        return (await answer.bytes()).length === (stream ? 20_000 : 8_000);
      });
      await until(() => process.output.split("begun").length > answers.length);
      process.kill(signal);
      assertEquals(new Set(await Promise.all(answers)), new Set([true]));
      await process.printed("finished");
      await assertRejects(() => fetch(`${url}/slow?ms=1`), TypeError);
      assertEquals((await process.outcome()).code, 0);
    },
  });
}

Deno.test({
  name: "what still runs after shutdownTimeout is cut off (behaviour 9.5)",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": main(
        `await app.serve({ port: ${port}, shutdownTimeout: 200 });`,
      ),
      ...SLOW,
    });
    const { process, answer } = await startSlow(folder, port);
    await using _process = process;
    process.kill("SIGTERM");
    assertEquals(await answer, "cut off");
    const { code, output } = await process.outcome();
    assertEquals(code, 1);
    assert(
      output.includes("200 ms after the signal to stop, the server cut off"),
      output,
    );
  },
});

Deno.test({
  name:
    "shutdownDelay keeps serving while readiness tells that the end is near",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": main(
        `await app.serve({ port: ${port}, shutdownDelay: 700, shutdownTimeout: 100 });`,
      ),
      "api/route.js": HELLO,
      "api/ready/route.js": `import { draining } from "@bough/framework";
        export const GET = () => new Response(null, { status: draining.aborted ? 503 : 200 });`,
      "api/events/route.js": `import { draining } from "@bough/framework";
        export const GET = () => new Response(new ReadableStream({
          start(controller) {
            draining.addEventListener("abort", () => controller.close());
          },
        }));`,
    });
    await using process = await DenoProcess.listening(folder.path);
    const status = (path: string) => statusAt(port, `/api${path}`);
    const events = await fetch(`http://127.0.0.1:${port}/api/events`);
    assertEquals([await status("/ready"), await status("")], [200, 200]);
    process.kill("SIGTERM");
    await events.text();
    assertEquals([await status("/ready"), await status("")], [503, 200]);
    assertEquals((await process.outcome()).code, 0);
  },
});

Deno.test({
  name: "the bookshop is alive but not ready while it drains",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    const shop = new URL("../../examples/bookshop/main.ts", import.meta.url);
    await using folder = await TestFolder.create({
      "main.ts": `import { app } from "${shop}";
        await app.serve({ port: ${port}, shutdownDelay: 500 });`,
    });
    await using process = await DenoProcess.listening(folder.path);
    const status = (path: string) => statusAt(port, `/api/health/${path}`);
    assertEquals([await status("live"), await status("ready")], [200, 200]);
    process.kill("SIGTERM");
    while (await status("ready") === 200);
    assertEquals([await status("live"), await status("ready")], [200, 503]);
    assertEquals((await process.outcome()).code, 0);
  },
});

Deno.test({
  name: "a second signal ends the process at once",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": main(`await app.serve({ port: ${port} });`),
      ...SLOW,
    });
    const { process, answer } = await startSlow(folder, port);
    await using _process = process;
    process.kill("SIGTERM");
    await process.printed("draining");
    process.kill("SIGTERM");
    assertEquals(await answer, "cut off");
    assertEquals((await process.outcome()).code, 1);
  },
});

Deno.test({
  name:
    "one press of Ctrl+C under deno task, which is two signals, drains (behaviour 9.5)",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": main(`await app.serve({ port: ${port} });`),
      ...SLOW,
    });
    await using process = await DenoProcess.listening(folder.path);
    const status = statusAt(port, "/api/slow?ms=700");
    await process.printed("begun 700");
    process.kill("SIGINT");
    await process.printed("draining");
    process.kill("SIGINT");
    assertEquals(await status, 200);
    assertEquals((await process.outcome()).code, 0);
  },
});

Deno.test({
  name: "a server without requests ends at the signal at once",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "main.ts": main(`await app.serve({ port: ${freePort()} });`),
      ...SLOW,
    });
    await using process = await DenoProcess.listening(folder.path);
    const before = performance.now();
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 0);
    assert(performance.now() - before < 5_000);
  },
});

/** Longer than a timer knows: with more than 2 ** 31 - 1 ms it fires at once. */
const LONG = ["Infinity", "2 ** 31", "Number.MAX_SAFE_INTEGER"];

for (const long of LONG) {
  Deno.test({
    name: `shutdownTimeout: ${long} waits for what runs (behaviour 9.5)`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const port = freePort();
      await using folder = await TestFolder.create({
        "main.ts": main(
          `await app.serve({ port: ${port}, shutdownTimeout: ${long} });`,
        ),
        ...SLOW,
      });
      await using process = await DenoProcess.listening(folder.path);
      const status = statusAt(port, "/api/slow?ms=700");
      await process.printed("begun 700");
      process.kill("SIGTERM");
      assertEquals(await status, 200);
      assertEquals((await process.outcome()).code, 0);
    },
  });

  Deno.test({
    name: `shutdownDelay: ${long} serves until a second signal`,
    ignore: Deno.build.os === "windows",
    async fn() {
      const port = freePort();
      await using folder = await TestFolder.create({
        "main.ts": main(
          `await app.serve({ port: ${port}, shutdownDelay: ${long}, shutdownTimeout: 0 });`,
        ),
        "api/route.js": HELLO,
      });
      await using process = await DenoProcess.listening(folder.path);
      process.kill("SIGTERM");
      await process.printed("draining");
      // Were the delay over at once, nothing would listen any more.
      await delay(100);
      assertEquals(await statusAt(port, "/api"), 200);
      process.kill("SIGTERM");
      assertEquals((await process.outcome()).code, 1);
    },
  });
}

Deno.test({
  name: "with shutdownTimeout: Infinity an interval does not keep the process",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({
      "main.ts": main(`setInterval(() => {}, 1_000_000);
        await app.serve({ port: ${freePort()}, shutdownTimeout: Infinity });`),
      "api/route.js": HELLO,
    });
    await using process = await DenoProcess.listening(folder.path);
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 0);
  },
});

/** A process with two servers, the second one with other options. */
async function startTwo(
  folder: TestFolder,
  first: string,
  second: string,
): Promise<{ process: DenoProcess; ports: [number, number] }> {
  const ports: [number, number] = [freePort(), freePort()];
  for (const [name, content] of Object.entries(SLOW)) {
    await folder.write(name, content);
  }
  await folder.write(
    "main.ts",
    main(`
      await app.serve({ port: ${ports[0]}, onListen() {}, ${first} });
      const other = new Framework({ apiDir: "api" });
      await other.serve({ port: ${ports[1]}, ${second} });`),
  );
  return { process: await DenoProcess.listening(folder.path), ports };
}

/** What becomes of a request: its status, or 0 where it was cut off. */
async function fate(port: number, ms: number): Promise<number> {
  return await statusAt(port, `/api/slow?ms=${ms}`).catch(() => 0);
}

Deno.test({
  name:
    "the short time of one server does not cut off the requests of another (behaviour 9.5)",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({});
    const { process, ports } = await startTwo(
      folder,
      "shutdownTimeout: 200",
      "shutdownTimeout: 8_000",
    );
    await using _process = process;
    const answer = fate(ports[1], 1_000);
    await process.printed("begun 1000");
    process.kill("SIGTERM");
    assertEquals(await answer, 200);
    assertEquals((await process.outcome()).code, 0);
  },
});

Deno.test({
  name:
    "the process ends as soon as every server has drained or used up its time",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({});
    const { process, ports } = await startTwo(
      folder,
      "shutdownTimeout: 300",
      "shutdownTimeout: 20_000",
    );
    await using _process = process;
    const answers = Promise.all([fate(ports[0], 60_000), fate(ports[1], 900)]);
    await process.printed("begun 60000");
    await process.printed("begun 900");
    const start = performance.now();
    process.kill("SIGTERM");
    assertEquals(await answers, [0, 200]);
    const { code, output } = await process.outcome();
    assertEquals(code, 1);
    assert(performance.now() - start < 10_000);
    assert(
      output.includes("300 ms after the signal to stop, the server cut off"),
      output,
    );
    assert(!output.includes("20000"), output);
  },
});

Deno.test({
  name: "each server has a delay of its own, and a second signal ends all",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await TestFolder.create({});
    const { process, ports } = await startTwo(
      folder,
      "",
      "shutdownDelay: 20_000",
    );
    await using _process = process;
    process.kill("SIGTERM");
    while (await fate(ports[0], 1) === 200);
    assertEquals(await fate(ports[1], 1), 200);
    const hanging = fate(ports[1], 60_000);
    await process.printed("begun 60000");
    process.kill("SIGTERM");
    assertEquals(await hanging, 0);
    assertEquals((await process.outcome()).code, 1);
  },
});

Deno.test({
  name: "a server that starts after the signal drains, too",
  ignore: Deno.build.os === "windows",
  async fn() {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": main(`
        await app.serve({ port: ${port}, shutdownDelay: 300 });
        draining.addEventListener("abort", () => {
          console.log(String(draining.reason));
          app.serve({ port: ${freePort()}, onListen: () => console.log("late") });
        });`),
      "api/route.js": HELLO,
    });
    await using process = await DenoProcess.listening(folder.path);
    const start = performance.now();
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 0);
    assert(performance.now() - start < 5_000);
    assert(output.includes("late"), output);
    assert(
      output.includes("AbortError: The server received a signal to stop"),
      output,
    );
  },
});
