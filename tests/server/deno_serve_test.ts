/** How `deno serve` ends with an application (behaviour 11.4). */
import { assert, assertEquals } from "@std/assert";
import { TestFolder } from "../support/application.ts";
import { DenoProcess, freePort } from "../support/process.ts";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../support/raw_socket.ts";
import { until } from "../support/until.ts";

const LIVE = new URL("../../src/live/mod.ts", import.meta.url).href;

const FILES = {
  "api/events/route.js": `import { events } from "${LIVE}";
    export const GET = (request) => events(request, async function* ({ signal }) {
      signal.addEventListener("abort", () => console.log("aborted"));
      yield { data: "first" };
      await new Promise(() => {});
    });`,
  "api/raw/route.js": `import { draining } from "@bough/framework";
    export const GET = () => new Response(new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("first"));
        draining.addEventListener("abort", () => controller.close());
      },
    }));`,
  "api/news/route.js": `import { draining } from "@bough/framework";
    const thread = crypto.randomUUID();
    const heard = [];
    const channel = new BroadcastChannel("news");
    channel.onmessage = ({ data }) => heard.push(data);
    // An open channel keeps the process alive.
    draining.addEventListener("abort", () => channel.close());
    export const GET = () => Response.json({ thread, heard });
    export function POST() {
      channel.postMessage(thread);
      return Response.json({ thread });
    }`,
  "api/socket/route.js": `import { socket } from "${LIVE}";
    export const schema = { get: { socket: {} } };
    export const GET = (request) => socket(request, {
      close: (code) => console.log("closed " + code),
    });`,
};

/** Ways to serve by `deno serve`. */
const MAINS = {
  "an application": "export default app;",
  "an application that has started": "await app.start(); export default app;",
  "an application that does not survive errors":
    "export default new Framework({ apiDir: 'api', exitOnUncaughtError: true });",
  "an object with its fetch": "export default { fetch: app.fetch };",
  "a function around it":
    "export default { fetch: (request, info) => app.fetch(request, info) };",
};

/** Reads the beginning of a stream, and returns what reads the rest. */
async function begin(url: string): Promise<() => Promise<string>> {
  const { body } = await fetch(url);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  return async () => {
    for (let chunk; !(chunk = await reader.read()).done;) text += chunk.value;
    return text;
  };
}

/** A process of `deno serve`, which is killed if it does not end. */
interface Serving extends AsyncDisposable {
  readonly process: DenoProcess;
  readonly port: number;
  readonly origin: string;
}

async function serving(
  statement: string,
  ...flags: string[]
): Promise<Serving> {
  const port = freePort();
  const folder = await TestFolder.create({
    "main.ts": `import { Framework } from "@bough/framework";
      const app = new Framework({ apiDir: "api" });
      ${statement}`,
    ...FILES,
  });
  const process = await DenoProcess.serving(folder.path, port, ...flags);
  const timer = setTimeout(() => process.kill("SIGKILL"), 10_000);
  return {
    process,
    port,
    origin: `http://127.0.0.1:${port}/api`,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await process[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const UNIX = { ignore: Deno.build.os === "windows" };

for (const [what, statement] of Object.entries(MAINS)) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.test(
      `${signal} ends the streams of deno serve, and the process: ${what}`,
      UNIX,
      async () => {
        await using server = await serving(statement);
        const { process, origin } = server;
        const rests = await Promise.all([
          begin(`${origin}/events`),
          begin(`${origin}/raw`),
        ]);
        process.kill(signal);
        assertEquals(await Promise.all(rests.map((rest) => rest())), [
          'data: "first"\n\n',
          "first",
        ]);
        const { code, output } = await process.outcome();
        assertEquals(code, 0, output);
        assert(output.includes("aborted"), output);
      },
    );
  }
}

Deno.test(
  "SIGTERM ends the streams of all threads of deno serve --parallel",
  UNIX,
  async () => {
    await using server = await serving(
      "export default app;",
      "--parallel",
    );
    const { process, origin } = server;
    const rests = await Promise.all(
      Array.from({ length: 16 }, () => begin(`${origin}/events`)),
    );
    process.kill("SIGTERM");
    for (const rest of rests) assertEquals(await rest(), 'data: "first"\n\n');
    const { output } = await process.outcome();
    assertEquals(output.match(/aborted/g)?.length, 16, output);
  },
);

Deno.test("under --parallel, a BroadcastChannel reaches the other threads", {
  ignore: UNIX.ignore || navigator.hardwareConcurrency < 2,
}, async () => {
  await using server = await serving("export default app;", "--parallel");
  // Each request has its own connection, which any thread may accept.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const request = async (method: string) => {
    const url = `${server.origin}/news`;
    return await (await fetch(url, { method, client })).json();
  };
  await until(async () => {
    await request("POST");
    const { thread, heard } = await request("GET");
    assert(!heard.includes(thread));
    return heard.length > 0;
  });
});

Deno.test(
  "SIGTERM closes the sockets of deno serve with 1001",
  UNIX,
  async () => {
    await using server = await serving("export default app;");
    const { process, port } = server;
    using socket = await RawSocket.open(port, "/api/socket");
    process.kill("SIGTERM");
    assert((await socket.spell()).startsWith("close 1001 "));
    await socket.write(frame(OPCODE.close, closePayload(1001)));
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("closed 1001"), output);
  },
);

Deno.test(
  "a signal still ends a program that serves app.fetch itself",
  UNIX,
  async () => {
    const port = freePort();
    await using folder = await TestFolder.create({
      "main.ts": `import { Framework } from "@bough/framework";
      const app = new Framework({ apiDir: "api" });
      Deno.serve({ hostname: "127.0.0.1", port: ${port} }, app.fetch);`,
      ...FILES,
    });
    await using process = await DenoProcess.listening(folder.path);
    const rest = await begin(`http://127.0.0.1:${port}/api/events`);
    const cut = rest().then(() => "ended", () => "cut");
    process.kill("SIGTERM");
    assertEquals((await process.outcome()).code, 143);
    assertEquals(await cut, "cut");
  },
);
