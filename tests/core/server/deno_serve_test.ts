/** The end of an application under `deno serve` (behaviour 11.4). */
import { assert, assertEquals } from "@std/assert";
import {
  closePayload,
  frame,
  OPCODE,
  RawSocket,
} from "../../support/raw_socket.ts";
import { until } from "../../support/until.ts";
import { FOLDER, ServingProcess, UNIX } from "./support.ts";

/** Ways to export an application for `deno serve`. */
const WAYS = [
  "an application",
  "an application that has started",
  "an application that does not survive errors",
];

/** Starts `deno_serve_program.ts`, which exports its application in some way. */
function serving(
  way: string,
  ...flags: string[]
): Promise<ServingProcess> {
  return new ServingProcess(
    FOLDER,
    ["--port=0", "--host=127.0.0.1", ...flags],
    "deno_serve_program.ts",
    { command: "serve", args: [way], env: { DENO_JOBS: "2" } },
  ).listen();
}

/** Requests the news until both threads have answered. */
async function bothThreads({ port }: ServingProcess): Promise<void> {
  const threads = new Set<string>();
  // Each request has its own connection, which any thread may accept.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  await until(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/news`, {
      client,
    });
    threads.add((await response.json()).thread);
    return threads.size === 2;
  });
}

/** Reads the beginning of a stream, and returns a function that reads the rest. */
async function begin(
  { port }: ServingProcess,
  path: string,
): Promise<() => Promise<string>> {
  const { body } = await fetch(`http://127.0.0.1:${port}/api/${path}`);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value!;
  return async () => {
    for (let chunk; !(chunk = await reader.read()).done;) text += chunk.value;
    return text;
  };
}

for (const way of WAYS) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.test(
      `${signal} ends the streams of deno serve, and the process: ${way}`,
      UNIX,
      async () => {
        await using process = await serving(way);
        const rests = await Promise.all([
          begin(process, "events"),
          begin(process, "raw"),
        ]);
        process.kill(signal);
        assertEquals(await Promise.all(rests.map((rest) => rest())), [
          'data: "first"\n\n',
          "first",
        ]);
        const { code, output } = await process.outcome();
        assertEquals(code, 0, output);
        for (const ended of ["aborted", "draining"]) {
          assert(output.includes(ended), output);
        }
      },
    );
  }
}

Deno.test(
  "SIGTERM ends the streams of all threads of deno serve --parallel",
  UNIX,
  async () => {
    await using process = await serving("an application", "--parallel");
    // A thread that starts after the signal would never end.
    await bothThreads(process);
    const rests = await Promise.all(
      Array.from({ length: 16 }, () => begin(process, "events")),
    );
    process.kill("SIGTERM");
    for (const rest of rests) assertEquals(await rest(), 'data: "first"\n\n');
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assertEquals(output.match(/aborted/g)?.length, 16, output);
  },
);

Deno.test(
  "under --parallel, a BroadcastChannel reaches the other threads",
  UNIX,
  async () => {
    await using process = await serving("an application", "--parallel");
    const url = `http://127.0.0.1:${process.port}/api/news`;
    // Each request has its own connection, which any thread may accept.
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const request = async (method: string) =>
      await (await fetch(url, { method, client })).json();
    await until(async () => {
      await request("POST");
      const { thread, heard } = await request("GET");
      assert(!heard.includes(thread));
      return heard.length > 0;
    });
  },
);

Deno.test(
  "SIGTERM closes the sockets of deno serve with 1001",
  UNIX,
  async () => {
    await using process = await serving("an application");
    using socket = await RawSocket.open(process.port, "/api/socket");
    process.kill("SIGTERM");
    assert((await socket.spell()).startsWith("close 1001 "));
    await socket.write(frame(OPCODE.close, closePayload(1001)));
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("closed 1001"), output);
  },
);

for (const way of ["app.fetch", "a started application by its fetch"]) {
  Deno.test(
    `a signal still ends a program that calls Deno.serve(), and exports the application: ${way}`,
    UNIX,
    async () => {
      await using process = await new ServingProcess(
        FOLDER,
        ["--allow-net"],
        "deno_serve_program.ts",
        { args: [way] },
      ).listen();
      const rest = await begin(process, "events");
      const cut = rest().then(() => "ended", () => "cut");
      process.kill("SIGTERM");
      assertEquals((await process.outcome()).code, 143);
      assertEquals(await cut, "cut");
    },
  );
}
