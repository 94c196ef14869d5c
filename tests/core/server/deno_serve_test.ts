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

/** Sends requests over new connections until a response holds what a test waits for. */
async function untilNews(
  { port }: ServingProcess,
  holds: (news: { thread: string; heard: string[] }) => boolean,
): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/news`;
  // Each request has its own connection, which any thread may accept.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  await until(async () => {
    await (await fetch(url, { method: "POST", client })).body?.cancel();
    return holds(await (await fetch(url, { client })).json());
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

for (
  const [way, signal] of [
    ["an application", "SIGTERM"],
    ["an application that has started", "SIGINT"],
    ["an application that does not survive errors", "SIGTERM"],
  ] as const
) {
  Deno.test(
    `${signal} ends the streams and sockets of deno serve, and the process: ${way} (behaviour 11.4)`,
    UNIX,
    async () => {
      await using process = await serving(way);
      using socket = await RawSocket.open(process.port, "/api/socket");
      const rests = await Promise.all([
        begin(process, "events"),
        begin(process, "raw"),
      ]);
      process.kill(signal);
      assert((await socket.spell()).startsWith("close 1001 "));
      await socket.write(frame(OPCODE.close, closePayload(1001)));
      assertEquals(await Promise.all(rests.map((rest) => rest())), [
        'data: "first"\n\n',
        "first",
      ]);
      const { code, output } = await process.outcome();
      assertEquals(code, 0, output);
      for (const ended of ["aborted", "draining", "closed 1001"]) {
        assert(output.includes(ended), output);
      }
    },
  );
}

Deno.test(
  "under --parallel, SIGTERM ends the streams of all threads, which a BroadcastChannel reaches",
  UNIX,
  async () => {
    await using process = await serving("an application", "--parallel");
    const threads = new Set<string>();
    await untilNews(process, ({ thread, heard }) => {
      assert(!heard.includes(thread));
      // A thread that starts after the signal would never end.
      return threads.add(thread).size === 2 && heard.length > 0;
    });
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
