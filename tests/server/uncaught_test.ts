import { assert, assertEquals, assertRejects } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import { sendAndLeave } from "../support/raw_http.ts";

/**
 * Ways for an error to be thrown where no handler can catch it. Each is the body
 * of a route, and says "oops" and its own name.
 */
const UNCAUGHT: Readonly<Record<string, string>> = {
  "timer": `setTimeout(() => { throw new Error("oops timer"); });`,
  "interval": `const id = setInterval(() => {
    clearInterval(id);
    throw new Error("oops interval");
  });`,
  "microtask": `queueMicrotask(() => { throw new Error("oops microtask"); });`,
  "rejection": `Promise.reject(new Error("oops rejection"));`,
  "async": `(async () => { await 0; throw new Error("oops async"); })();`,
  "listener": `const target = new EventTarget();
    target.addEventListener("x", () => { throw new Error("oops listener"); });
    target.dispatchEvent(new Event("x"));`,
  "abort": `AbortSignal.timeout(1).addEventListener("abort", () => {
      throw new Error("oops abort");
    });`,
  "finished": `request.signal.addEventListener("abort", () => {
      throw new Error("oops finished");
    });`,
  "port": `const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); throw new Error("oops port"); };
    port2.postMessage(0);`,
  "stream": `new ReadableStream({
      start(controller) {
        controller.close();
        setTimeout(() => {
          try { controller.enqueue("x"); }
          catch (cause) { throw new Error("oops stream", { cause }); }
        });
      },
    });`,
  "node": `const { EventEmitter } = await import("node:events");
    setTimeout(() => new EventEmitter().emit("error", new Error("oops node")));`,
  "tick": `const { default: process } = await import("node:process");
    process.nextTick(() => { throw new Error("oops tick"); });`,
  "worker":
    `const code = "setTimeout(() => { throw new Error('oops worker') })";
    new Worker("data:text/javascript," + code, { type: "module" });`,
  "null": `setTimeout(() => { throw null; });
    setTimeout(() => { throw new Error("oops null"); });`,
  "overflow": `setTimeout(() => { (function deeper() { deeper(); })(); });
    setTimeout(() => { throw new Error("oops overflow"); });`,
  "hostile": `const error = new Error("x");
    for (const member of ["stack", "message", "name", "cause"]) {
      Object.defineProperty(error, member, { get() { throw new Error(member); } });
    }
    setTimeout(() => { throw error; });
    Promise.reject(error);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    Promise.reject(proxy);
    class Odd extends Error { [Symbol.for("Deno.customInspect")]() { throw new Error("odd"); } }
    setTimeout(() => { throw new Odd(); });
    setTimeout(() => { throw new Error("oops hostile"); });`,
};

const FILES: Readonly<Record<string, string>> = {
  "api/route.js": "export const GET = () => new Response('hello');",
  "api/socket/route.js": `export function GET(request) {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = () => { throw new Error("oops socket"); };
    return response;
  }`,
  "api/left/route.js": `export function GET() {
    return new Response(new ReadableStream({
      start(controller) {
        const id = setInterval(() => {
          try {
            controller.enqueue(new Uint8Array(1000));
          } catch (cause) {
            clearInterval(id);
            throw new Error("oops left", { cause });
          }
        }, 5);
      },
    }));
  }`,
  ...Object.fromEntries(
    Object.entries(UNCAUGHT).map(([name, code]) => [
      `api/${name}/route.js`,
      `export async function GET(request) { ${code} return new Response("ok"); }`,
    ]),
  ),
};

function main(statements: string, options = ""): string {
  return `import { Framework } from "@bough/framework";
const app = new Framework({ apiDir: "api", ${options} });
${statements}`;
}

async function textAt(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    // So that every thread gets some of them.
    headers: { connection: "close" },
  });
  return await response.text();
}

/** Sends a word to a WebSocket whose listener throws. */
async function sayWord(port: number): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/socket`);
  await new Promise((done) => socket.onopen = done);
  const closed = new Promise((done) => socket.onclose = done);
  socket.send("word");
  socket.close();
  await closed;
}

/** Makes every uncaught error happen, and sees that the server survives them. */
async function assertSurvives(
  process: DenoProcess,
  port: number,
): Promise<void> {
  for (const name of Object.keys(UNCAUGHT)) {
    assertEquals(await textAt(port, `/${name}`), "ok", name);
    await process.printed(`oops ${name}`);
    assertEquals(await textAt(port, ""), "hello", name);
  }
  await sayWord(port);
  await process.printed("oops socket");
  await sendAndLeave(port, "GET /api/left HTTP/1.1\r\nHost: h\r\n\r\n");
  await process.printed("oops left");
  for (let round = 0; round < 20; round++) {
    assertEquals(await textAt(port, ""), "hello");
  }
}

const SERVERS: Readonly<
  Record<string, (folder: TestFolder, port: number) => Promise<DenoProcess>>
> = {
  "app.serve()": async (folder, port) => {
    await folder.write("main.ts", main(`await app.serve({ port: ${port} });`));
    return await DenoProcess.listening(folder.path);
  },
  "Deno.serve(app.fetch)": async (folder, port) => {
    await folder.write(
      "main.ts",
      main(`Deno.serve({ port: ${port} }, app.fetch);`),
    );
    return await DenoProcess.listening(folder.path);
  },
  "deno serve": async (folder, port) => {
    await folder.write("main.ts", main("export default app;"));
    return await DenoProcess.serving(folder.path, port);
  },
  "deno serve, with app.start()": async (folder, port) => {
    await folder.write(
      "main.ts",
      main("await app.start(); export default app;"),
    );
    return await DenoProcess.serving(folder.path, port);
  },
  "deno serve --parallel": async (folder, port) => {
    await folder.write("main.ts", main("export default app;"));
    return await DenoProcess.serving(folder.path, port, "--parallel");
  },
};

for (const [name, start] of Object.entries(SERVERS)) {
  Deno.test({
    name: `${name} survives errors that nobody catches (behaviour 8.5)`,
    ignore: Deno.build.os === "windows" && name.includes("parallel"),
    async fn() {
      const port = freePort();
      await using folder = await TestFolder.create(FILES);
      await using process = await start(folder, port);
      await assertSurvives(process, port);
    },
  });
}

for (const name of ["timer", "rejection"]) {
  for (
    const [how, statement] of Object.entries({
      run: "await app.serve({ port: PORT });",
      serve: "export default app;",
    })
  ) {
    Deno.test(`exitOnUncaughtError keeps Deno's own way for a ${name} (deno ${how}, behaviour 8.5)`, async () => {
      const port = freePort();
      await using folder = await TestFolder.create({
        ...FILES,
        "main.ts": main(
          statement.replace("PORT", String(port)),
          "exitOnUncaughtError: true",
        ),
      });
      await using process = how === "run"
        ? await DenoProcess.listening(folder.path)
        : await DenoProcess.serving(folder.path, port);
      await textAt(port, `/${name}`).catch(() => {});
      const { code, output } = await process.outcome();
      assertEquals(code, 1);
      assert(!output.includes("[bough]"), output);
    });
  }
}

Deno.test("an uncaught error is logged once, however many applications are served", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": main(`
      const other = new Framework({ apiDir: "api" });
      const quiet = { port: 0, hostname: "127.0.0.1", onListen() {} };
      const { addr } = Deno.serve(quiet, other.fetch);
      await (await fetch("http://127.0.0.1:" + addr.port + "/api")).text();
      await (await app.serve(quiet)).shutdown();
      await app.serve(quiet);
      await app.serve({ port: ${port} });`),
  });
  await using process = await DenoProcess.listening(folder.path);
  await textAt(port, "/timer");
  await textAt(port, "/hostile");
  await process.printed("oops hostile");
  assertEquals(process.output.split("oops timer").length, 2, process.output);
});

Deno.test("an error that a listener of the program's own deals with is not logged", async () => {
  const port = freePort();
  await using folder = await TestFolder.create({
    ...FILES,
    "main.ts": main(`
      for (const type of ["error", "unhandledrejection"]) {
        addEventListener(type, (event) => {
          event.preventDefault();
          console.log("mine:", event.error?.message ?? event.reason?.message);
        });
      }
      await app.serve({ port: ${port} });`),
  });
  await using process = await DenoProcess.listening(folder.path);
  await textAt(port, "/timer");
  await textAt(port, "/rejection");
  await process.printed("mine: oops timer");
  await process.printed("mine: oops rejection");
  assert(!process.output.includes("[bough]"), process.output);
});

/** What uses an application without serving it. */
const TOOLS: Readonly<Record<string, string>> = {
  "starts it": "await app.start();",
  "lists its routes": "await app.routes();",
  "asks it in process":
    `await app.fetch(new Request("http://localhost/api")).then((r) => r.text());`,
  "served it before":
    "await (await app.serve({ port: 0, onListen() {} })).shutdown();",
};

for (const [name, statement] of Object.entries(TOOLS)) {
  for (const error of ["timer", "rejection"]) {
    Deno.test(`a program that ${name} ends by an uncaught error (${error})`, async () => {
      await using folder = await TestFolder.create({
        ...FILES,
        "main.ts": main(`${statement}
          ${UNCAUGHT[error]}
          setTimeout(() => console.log("it went on"), 200);`),
      });
      await using process = new DenoProcess(folder.path, [
        "--allow-net",
        "--allow-read",
      ]);
      const { code, output } = await process.outcome();
      assertEquals(code, 1, output);
      assert(!output.includes("it went on"), output);
    });
  }

  Deno.test(`a test that ${name} fails by an uncaught error`, async () => {
    await using folder = await TestFolder.create({
      ...FILES,
      "main.ts": main(`Deno.test("it hides nothing", async () => {
          ${statement}
          ${UNCAUGHT.timer}
          await new Promise((go) => setTimeout(go, 200));
        });`),
    });
    const flags = ["--allow-net", "--allow-read", "--allow-sys"];
    await using process = new DenoProcess(
      folder.path,
      flags,
      "main.ts",
      { command: "test" },
    );
    const { code, output } = await process.outcome();
    assert(code !== 0, output);
    assert(output.includes("oops timer"), output);
  });
}

Deno.test("serve() tells where the option for uncaught errors is", async () => {
  const { Framework } = await import("@bough/framework");
  const app = new Framework({ apiDir: "examples/minimal/api" });
  for (const name of ["exitOnUnhandledRejection", "exitOnUncaughtError"]) {
    await assertRejects(
      () => app.serve({ port: 0, [name]: true }),
      TypeError,
      `Cannot serve: "${name}" is not an option of serve(); pass exitOnUncaughtError to new Framework()`,
    );
  }
});
