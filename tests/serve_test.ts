import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import {
  CapturedLog,
  TestApplication,
  TestFolder,
} from "./support/application.ts";
import { DenoProcess, freePort } from "./support/process.ts";
import { rawRequest } from "./support/raw_http.ts";

const HELLO = "export const GET = () => new Response('hello');";

function main(serve: string, options = ""): string {
  return `import { Framework } from "@bough/framework";
const app = new Framework({ apiDir: "api", ${options} });
${serve}`;
}

Deno.test("serve() takes the options of Deno.serve and returns its server (behaviour 9.5)", async () => {
  await using application = await TestApplication.create({ "route.js": HELLO });
  const controller = new AbortController();
  let listening: number | undefined;
  const server = await application.app.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: controller.signal,
    onListen: ({ port }) => listening = port,
  });
  assertEquals(server.addr.port, listening);
  const answer = await fetch(`http://127.0.0.1:${listening}/api`);
  assertEquals(await answer.text(), "hello");
  controller.abort();
  await server.finished;
});

Deno.test("serve() serves HTTPS with key and cert", async () => {
  // Made for this test, and good for nothing else.
  const read = (name: string): Promise<string> =>
    Deno.readTextFile(new URL(`fixtures/tls/${name}`, import.meta.url));
  const [key, cert] = [
    await read("localhost.key"),
    await read("localhost.crt"),
  ];
  await using application = await TestApplication.create({
    "route.js": "export const GET = (request) => new Response(request.url);",
  });
  await using server = await application.serve({ key, cert });
  using client = Deno.createHttpClient({ caCerts: [cert] });
  const url = `https://localhost:${server.port}/api`;
  const answer = await fetch(url, { client });
  assertEquals(await answer.text(), url);
});

Deno.test("serve() rejects a port that is taken, and an absurd timeout", async () => {
  await using application = await TestApplication.create({ "route.js": HELLO });
  await using server = await application.serve();
  await assertRejects(
    () => application.serve({ port: server.port }),
    Deno.errors.AddrInUse,
  );
  await assertRejects(
    () => application.serve({ shutdownTimeout: -1 }),
    TypeError,
    "shutdownTimeout must be a number of milliseconds, got -1",
  );
});

Deno.test("fetch is bound, and serves with Deno.serve (behaviour 9.5)", async () => {
  await using application = await TestApplication.create({
    "route.js": HELLO,
    "size/route.js":
      "export const POST = async (r) => new Response((await r.text()).length);",
  });
  const { fetch: handler } = application.app;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    handler,
  );
  const { port } = server.addr;
  const hello = await rawRequest(port, "HEAD /api HTTP/1.1");
  assertEquals(hello.headers.get("content-length"), "5");
  const size = await rawRequest(
    port,
    "POST /api/size HTTP/1.1\nContent-Length: 3",
    "abc",
  );
  assertEquals(size.body, "3");
});

Deno.test("requests that arrive before the start has ended wait for it (behaviour 9.5)", async () => {
  await using application = await TestApplication.create({
    "route.js":
      `await new Promise((done) => setTimeout(done, 50)); globalThis.starts = (globalThis.starts ?? 0) + 1; ${HELLO}`,
  });
  const answers = await Promise.all(
    [1, 2, 3].map(() => application.fetch("/api")),
  );
  for (const answer of answers) assertEquals(await answer.text(), "hello");
  const global = globalThis as { starts?: number };
  assertEquals(global.starts, 1);
  delete global.starts;
});

Deno.test("deno serve main.ts serves the default export (behaviour 9.5)", async () => {
  await using folder = await TestFolder.create({
    "main.ts": main("export default app;"),
    "api/route.js": HELLO,
  });
  const port = freePort();
  const config = fromFileUrl(new URL("../deno.json", import.meta.url));
  await using child = new Deno.Command(Deno.execPath(), {
    args: ["serve", "--config", config, "--no-check", "--allow-read=api"]
      .concat(`--port=${port}`, "--host=127.0.0.1", "main.ts"),
    cwd: folder.path,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.getReader();
  await reader.read();
  let text;
  for (let attempt = 0; attempt < 50 && text === undefined; attempt++) {
    text = await fetch(`http://127.0.0.1:${port}/api`)
      .then((answer) => answer.text(), () => undefined);
    if (text === undefined) await new Promise((go) => setTimeout(go, 100));
  }
  child.kill("SIGKILL");
  await reader.cancel();
  assertEquals(text, "hello");
});

Deno.test("the narrowest permissions are enough (behaviour 9.3)", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": main(
      `await app.serve({ hostname: "127.0.0.1", port: ${port} });`,
    ),
    "api/users/[id]/route.ts":
      `import { greet } from "../../greet.ts"; export const GET = (r: { params: { id: string } }) => new Response(greet(r.params.id));`,
    "api/greet.ts": "export const greet = (id: string): string => `hi ${id}`;",
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-read=api",
    `--allow-net=127.0.0.1:${port}`,
  ]);
  await process.printed("Listening");
  const answer = await fetch(`http://127.0.0.1:${port}/api/users/7`);
  assertEquals(await answer.text(), "hi 7");
});

Deno.test("a missing read permission is told with its flag, and ends the process (behaviour 9.3)", async () => {
  await using folder = await TestFolder.create({
    "main.ts": main("await app.serve();"),
    "api/route.ts": HELLO,
  });
  await using process = new DenoProcess(folder.path, ["--allow-net"]);
  const { code, output } = await process.outcome();
  assert(code !== 0);
  assert(
    output.includes(
      'Cannot serve "api": reading it is not permitted; run deno with --allow-read=api',
    ),
    output,
  );
  assert(!output.includes("Listening"), output);
});

Deno.test("a route that imports from outside apiDir is told which flag that needs (behaviour 9.3)", async () => {
  await using folder = await TestFolder.create({
    "main.ts": main("await app.serve();"),
    "api/a/route.ts": `import "../../lib/db.ts"; ${HELLO}`,
    "api/b/route.ts": HELLO,
    "lib/db.ts": "",
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-net",
    "--allow-read=api",
  ]);
  const { code, output } = await process.outcome();
  assert(code !== 0);
  const db = `${folder.path}/lib/db.ts`;
  assert(
    output.includes(
      `Cannot serve "api/a/route.ts": importing it needs read access to "${db}"; run deno with --allow-read=api,${db} or --allow-read`,
    ),
    output,
  );
  assert(!output.includes("api/b/route.ts"), output);
});

Deno.test("a bad tree ends the process with every fault, and serves nothing (behaviour 2.7)", async () => {
  await using folder = await TestFolder.create({
    "main.ts": main("await app.serve();"),
    "api/[id/route.ts": HELLO,
    "api/a/route.ts": "export const get = () => {};",
    "api/b/route.ts": "throw new Error('broken top level');",
    "api/[...]/x/route.ts": HELLO,
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-net",
    "--allow-read",
  ]);
  const { code, output } = await process.outcome();
  assert(code !== 0);
  for (
    const line of [
      'Cannot serve "api/[...]/x/route.ts": wildcard "[...]" must be the last segment',
      'Cannot serve "api/[id/route.ts": folder name "[id" is missing its "]"',
      'Cannot serve "api/a/route.ts": export "get" is no handler: name it "GET", in uppercase',
      'Cannot serve "api/b/route.ts": importing it failed: broken top level',
    ]
  ) assert(output.includes(line), output);
  assert(!output.includes("Listening"), output);
});

const LEAVING = {
  "api/leave/route.js": `export function GET() {
    Promise.reject(new Error("left behind"));
    return new Response("ok");
  }`,
  "api/route.js": HELLO,
};

Deno.test("a promise left behind that rejects is logged, and the server goes on (behaviour 8.5)", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": main(`await app.serve({ port: ${port} });`),
    ...LEAVING,
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-net",
    "--allow-read",
  ]);
  await process.printed("Listening");
  for (let round = 0; round < 3; round++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/leave`);
    assertEquals(await answer.text(), "ok");
  }
  await process.printed("Error: left behind");
  const answer = await fetch(`http://127.0.0.1:${port}/api`);
  assertEquals(await answer.text(), "hello");
});

Deno.test("exitOnUnhandledRejection keeps Deno's own way (behaviour 8.5)", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": main(
      `await app.serve({ port: ${port}, exitOnUnhandledRejection: true });`,
    ),
    ...LEAVING,
  });
  await using process = new DenoProcess(folder.path, [
    "--allow-net",
    "--allow-read",
  ]);
  await process.printed("Listening");
  await fetch(`http://127.0.0.1:${port}/api/leave`)
    .then((answer) => answer.body?.cancel(), () => {});
  assertEquals((await process.outcome()).code, 1);
});

Deno.test("handlers of the process are gone when the server has finished", async () => {
  await using application = await TestApplication.create({ "route.js": HELLO });
  await (await application.serve())[Symbol.asyncDispose]();
  using log = new CapturedLog();
  const { promise, resolve } = Promise.withResolvers<void>();
  const onRejection = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    resolve();
  };
  globalThis.addEventListener("unhandledrejection", onRejection, {
    once: true,
  });
  Promise.reject(new Error("not Bough's"));
  await promise;
  assertEquals(log.lines, []);
});

const SLOW = {
  "api/slow/route.js": `export async function GET(request) {
    await new Promise((done) => setTimeout(done, Number(new URL(request.url).searchParams.get("ms"))));
    return new Response("complete".repeat(1000));
  }`,
  "api/stream/route.js": `export function GET() {
    let rest = 20;
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
  const process = new DenoProcess(folder.path, ["--allow-net", "--allow-read"]);
  await process.printed("Listening");
  const answer = fetch(`http://127.0.0.1:${port}/api/slow?ms=60000`)
    .then(() => "answered" as const, () => "cut off" as const);
  await new Promise((go) => setTimeout(go, 150));
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
      await using process = new DenoProcess(folder.path, [
        "--allow-net",
        "--allow-read",
      ]);
      await process.printed("Listening");
      const url = `http://127.0.0.1:${port}/api`;
      const answers = Array.from({ length: 40 }, async (_, index) => {
        const stream = index % 4 === 0;
        const path = stream ? "/stream" : `/slow?ms=${300 + index}`;
        const answer = await fetch(url + path);
        return (await answer.bytes()).length === (stream ? 20_000 : 8_000);
      });
      await new Promise((go) => setTimeout(go, 150));
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
    assert(output.includes("still ran 200 ms after the signal"), output);
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
    await using process = new DenoProcess(folder.path, [
      "--allow-net",
      "--allow-read",
    ]);
    await process.printed("Listening");
    const status = async (path: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api${path}`);
      await answer.body?.cancel();
      return answer.status;
    };
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
    const shop = new URL("../examples/bookshop/main.ts", import.meta.url);
    await using folder = await TestFolder.create({
      "main.ts": `import { app } from "${shop}";
        await app.serve({ port: ${port}, shutdownDelay: 500 });`,
    });
    await using process = new DenoProcess(folder.path, [
      "--allow-net",
      "--allow-read",
    ]);
    await process.printed("Listening");
    const status = async (path: string): Promise<number> => {
      const url = `http://127.0.0.1:${port}/api/health/${path}`;
      const answer = await fetch(url);
      await answer.body?.cancel();
      return answer.status;
    };
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
    await new Promise((go) => setTimeout(go, 100));
    process.kill("SIGTERM");
    assertEquals(await answer, "cut off");
    assertEquals((await process.outcome()).code, 1);
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
    await using process = new DenoProcess(folder.path, [
      "--allow-net",
      "--allow-read",
    ]);
    await process.printed("Listening");
    const before = performance.now();
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 0);
    assert(performance.now() - before < 5_000);
  },
});
