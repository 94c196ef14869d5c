import { assert, assertEquals } from "@std/assert";
import type { ProcessOptions } from "../../support/process.ts";
import { sendAndLeave } from "../../support/raw_http.ts";
import { FOLDER, ServingProcess } from "./support.ts";
import { UNCAUGHT } from "./uncaught_errors.ts";

/** Runs `uncaught_program.ts`, which uses its application in some way. */
function run(
  way: string,
  command: ProcessOptions["command"] = "run",
  { flags = [], error = "" }: {
    readonly flags?: readonly string[];
    readonly error?: string;
  } = {},
): ServingProcess {
  return new ServingProcess(
    FOLDER,
    [
      ...["--allow-net", "--allow-read", "--allow-sys"],
      ...(command === "serve" ? ["--port=0", "--host=127.0.0.1"] : []),
      ...flags,
    ],
    "uncaught_program.ts",
    { command, args: [...(command === "test" ? ["--"] : []), way, error] },
  );
}

async function textAt(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    // With new connections, every thread gets some of the requests.
    headers: { connection: "close" },
  });
  return await response.text();
}

/** Sends a message to a WebSocket whose listener throws. */
async function sendMessage(port: number): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/socket`);
  await new Promise((done) => socket.onopen = done);
  const closed = new Promise((done) => socket.onclose = done);
  socket.send("word");
  socket.close();
  await closed;
}

const SERVERS: Readonly<Record<string, () => ServingProcess>> = {
  "app.serve()": () => run("app.serve()"),
  "Deno.serve(app.fetch)": () => run("Deno.serve(app.fetch)"),
  "deno serve": () => run("", "serve"),
  "deno serve, with app.start()": () => run("starts it", "serve"),
  "deno serve --parallel": () => run("", "serve", { flags: ["--parallel"] }),
};

for (const [name, start] of Object.entries(SERVERS)) {
  Deno.test({
    name: `${name} survives uncaught errors (behaviour 8.5)`,
    ignore: Deno.build.os === "windows" && name.includes("parallel"),
    async fn() {
      await using process = start();
      const { port } = await process.listen();
      for (const name of Object.keys(UNCAUGHT)) {
        assertEquals(await textAt(port, `/${name}`), "ok", name);
        await process.printed(`oops ${name}`);
        assertEquals(await textAt(port, ""), "hello", name);
      }
      await sendMessage(port);
      await process.printed("oops socket");
      await sendAndLeave(port, "GET /api/left HTTP/1.1\r\nHost: h\r\n\r\n");
      await process.printed("oops left");
      for (let round = 0; round < 20; round++) {
        assertEquals(await textAt(port, ""), "hello");
      }
    },
  });
}

for (const name of ["Deno.serve(app.fetch)", "deno serve"]) {
  Deno.test(`the end of its server ends the process: ${name} (behaviour 8.5)`, async () => {
    await using process = SERVERS[name]!();
    const { port } = await process.listen();
    await textAt(port, "/ended").catch(() => {});
    const { code, output } = await process.outcome();
    assertEquals(code, 1, output);
    assert(output.includes("oops ended"), output);
    assert(!output.includes("[bough]"), output);
  });
}

Deno.test("app.serve() survives an Http error of the program, since it watches its own server (behaviour 8.5)", async () => {
  await using process = run("app.serve()");
  const { port } = await process.listen();
  assertEquals(await textAt(port, "/ended"), "ok");
  await process.printed("oops ended");
  assertEquals(await textAt(port, ""), "hello");
});

for (
  const [command, error] of [["run", "timer"], ["serve", "rejection"]] as const
) {
  Deno.test(`exitOnUncaughtError lets a ${error} end the process (deno ${command}, behaviour 8.5)`, async () => {
    const way = command === "run" ? "app.serve() with " : "";
    await using process = run(`${way}exitOnUncaughtError`, command);
    const { port } = await process.listen();
    await textAt(port, `/${error}`).catch(() => {});
    const { code, output } = await process.outcome();
    assertEquals(code, 1);
    assert(!output.includes("[bough]"), output);
  });
}

Deno.test("an uncaught error is logged once, even if several applications are served", async () => {
  await using process = run("several servers");
  const { port } = await process.listen();
  await textAt(port, "/timer");
  await textAt(port, "/malicious");
  await process.printed("oops malicious");
  assertEquals(process.output.split("oops timer").length, 2, process.output);
});

Deno.test("an error that a listener of the program handles is not logged", async () => {
  await using process = run("own listeners");
  const { port } = await process.listen();
  await textAt(port, "/timer");
  await textAt(port, "/rejection");
  await process.printed("mine: oops timer");
  await process.printed("mine: oops rejection");
  assert(!process.output.includes("[bough]"), process.output);
});

for (
  const [command, error] of [
    ["run", "timer"],
    ["run", "rejection"],
    ["test", "timer"],
  ] as const
) {
  Deno.test(`an uncaught error ends a program without a server: ${error} of deno ${command} (behaviour 8.5)`, async () => {
    await using process = run("without a server", command, { error });
    const { code, output } = await process.outcome();
    assert(code !== 0, output);
    assert(output.includes(`oops ${error}`), output);
    assert(!output.includes("it went on"), output);
  });
}
