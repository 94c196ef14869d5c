import { assertEquals } from "@std/assert";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  TestFolder,
} from "../../support/application.ts";
import { originOf } from "../../../src/core/server/serve.ts";
import { DenoProcess, freePort } from "../../support/process.ts";
import { within } from "../../support/until.ts";

const HELLO = { "route.ts": { GET: () => new Response("hello") } };
/** A route file as source text, for tests of imports and of permissions to read. */
const SOURCE = "export const GET = () => new Response('hello');";

function main(serve: string): string {
  return `import { Framework } from "@bough/framework";
const app = new Framework({ apiDir: "api" });
${serve}`;
}

Deno.test("serve() takes the options of Deno.serve and returns its server (behaviour 9.5)", async () => {
  const application = TestApplication.of(HELLO);
  const controller = new AbortController();
  let listening: number | undefined;
  const { server } = await application.serve({
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
    Deno.readTextFile(new URL(`../../fixtures/tls/${name}`, import.meta.url));
  const [key, cert] = [
    await read("localhost.key"),
    await read("localhost.crt"),
  ];
  const application = TestApplication.of({
    "route.ts": { GET: (request) => new Response(request.url) },
  });
  await using server = await application.serve({ key, cert });
  using client = Deno.createHttpClient({ caCerts: [cert] });
  const url = `https://localhost:${server.port}/api`;
  const answer = await fetch(url, { client });
  assertEquals(await answer.text(), url);
  const { addr } = server.server;
  const ipv6 = { ...addr, hostname: "::1" };
  assertEquals(originOf(ipv6, { cert }), `https://[::1]:${addr.port}`);
  assertEquals(originOf(addr, {}), `http://127.0.0.1:${addr.port}`);
});

Deno.test("fetch is bound, and requests during startup wait for its end (behaviour 9.5)", async () => {
  await using application = await FolderApplication.create({
    "route.js":
      `await new Promise((done) => setTimeout(done, 50)); globalThis.starts = (globalThis.starts ?? 0) + 1; ${SOURCE}`,
  });
  const { fetch } = application.app;
  const answers = await Promise.all(
    [1, 2, 3].map(() => fetch(new Request("http://localhost/api"))),
  );
  for (const answer of answers) assertEquals(await answer.text(), "hello");
  const global = globalThis as { starts?: number };
  assertEquals(global.starts, 1);
  delete global.starts;
});

Deno.test("the narrowest permissions are enough, with the variables of env: true (behaviour 9.3, 9.5)", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    "main.ts": main(
      `await app.serve({ hostname: "0.0.0.0", port: 1, env: true });`,
    ),
    "api/users/[id]/route.ts":
      `import { greet } from "../../greet.ts"; export const GET = (r: { params: { id: string } }) => new Response(greet(r.params.id));`,
    "api/greet.ts": "export const greet = (id: string): string => `hi ${id}`;",
  });
  const flags = ["--allow-read=api", `--allow-net=127.0.0.1:${port}`];
  await using process = new DenoProcess(
    folder.path,
    [...flags, "--allow-env=PORT,HOST"],
    "main.ts",
    { env: { PORT: String(port), HOST: "127.0.0.1" } },
  );
  await process.printed("Listening");
  const answer = await fetch(`http://127.0.0.1:${port}/api/users/7`);
  assertEquals(await answer.text(), "hi 7");
});

Deno.test("Bough handles no signals and uncaught errors when its servers have finished (behaviour 8.5, 9.5)", async () => {
  const { addSignalListener, removeSignalListener } = Deno;
  const signals: Deno.Signal[] = [];
  Object.assign(Deno, {
    addSignalListener: (signal: Deno.Signal) => signals.push(signal),
    removeSignalListener: () => signals.pop(),
  });
  const application = TestApplication.of(HELLO);
  const server = await application.serve();
  assertEquals(signals.length, 2);
  await application.serve({ port: server.port }).catch(() => {});
  await server[Symbol.asyncDispose]();
  await server.server.finished;
  Object.assign(Deno, { addSignalListener, removeSignalListener });
  assertEquals(signals, []);
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

Deno.test("a signal that aborts before the server listens stops the server, too", async () => {
  const application = TestApplication.of(HELLO);
  const controller = new AbortController();
  const { signal } = controller;
  const starting = application.app.serve({ port: 0, signal, onListen() {} });
  controller.abort();
  const server = await starting;
  try {
    await within(server.finished);
  } finally {
    await server.shutdown().catch(() => {});
  }
});
