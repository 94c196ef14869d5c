/** Work after the response, in processes that get a signal (behaviour 6.6, 9.5). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FOLDER, refusing, ServingProcess, UNIX } from "./support.ts";

const FLAGS = ["--allow-net", "--allow-read", "--v8-flags=--expose-gc"];

const PLACE =
  "[bough] POST /api/work/[kind]/[count] (work/[kind]/[count]/route.ts)";

/** Starts `work_program.ts`. */
function start(
  timeout: number,
  ...args: readonly string[]
): Promise<ServingProcess> {
  return new ServingProcess(FOLDER, FLAGS, "work_program.ts", {
    args: [String(timeout), ...args],
  }).listen();
}

/** Starts work; returns the bytes of memory in use afterwards. */
async function begin(
  { port }: ServingProcess,
  kind: string,
  count: number,
): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/work/${kind}/${count}`;
  return Number(await (await fetch(url, { method: "POST" })).text());
}

function countOf(output: string, text: string): number {
  return output.split(text).length - 1;
}

Deno.test(
  "after SIGTERM, 1,000 promises end and 1,000 fail before the process exits with 0",
  UNIX,
  async () => {
    await using process = await start(60_000);
    await begin(process, "end", 1_000);
    await begin(process, "fail", 1_000);
    process.kill("SIGTERM");
    await refusing(process.port);
    process.kill("SIGUSR2");
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    const rejected = "a promise of waitUntil() was rejected: Error: no mail";
    assertEquals(countOf(output, `${PLACE}: ${rejected}`), 1_000);
    assertStringIncludes(output, "finished");
  },
);

Deno.test(
  "after shutdownTimeout, the log names the route of 1,000 promises that hang once, even for two servers (behaviour 9.5)",
  UNIX,
  async () => {
    await using process = await start(50, "second");
    await begin(process, "hang", 1_000);
    await begin(process, "fail", 1);
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 1, output);
    const cut =
      "50 ms after the signal to stop, the server cut off running promises of waitUntil(): 1001";
    assertStringIncludes(output, `${PLACE}: ${cut}`);
    assertEquals(countOf(output, "[bough]"), 1);
  },
);

Deno.test(
  "100,000 promises that have settled take no memory, and a rejection without a signal is logged (behaviour 6.6)",
  UNIX,
  async () => {
    await using process = await start(0);
    await begin(process, "hang", 1_000);
    await begin(process, "settle", 10_000);
    const before = await begin(process, "settle", 1_000);
    const grown = await begin(process, "settle", 100_000) - before;
    assert(grown < 1_000_000, `${grown} bytes`);
    await begin(process, "fail", 1_000);
    process.kill("SIGUSR2");
    await process.printed("no mail");
    assert(await begin(process, "end", 1) > 0);
  },
);

Deno.test(
  "under deno serve, Deno waits for work that has a timer or I/O",
  UNIX,
  async () => {
    const flags = ["--port=0", "--host=127.0.0.1", ...FLAGS.slice(2)];
    await using process = await new ServingProcess(
      FOLDER,
      flags,
      "work_program.ts",
      { command: "serve" },
    ).listen();
    await begin(process, "hang", 1);
    await begin(process, "delay", 1);
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assertStringIncludes(output, "sent");
  },
);
