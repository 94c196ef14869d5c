/** Signals to real processes; `process_test.ts` tests the times of a shutdown. */
import { assert, assertEquals } from "@std/assert";
import { until } from "../../support/until.ts";
import { FOLDER, refusing, ServingProcess, statusAt, UNIX } from "./support.ts";

const FLAGS = ["--allow-net", "--allow-read"];

/** Starts `shutdown_program.ts`, with a server for each string of options. */
function start(...args: string[]): Promise<ServingProcess> {
  return new ServingProcess(FOLDER, FLAGS, "shutdown_program.ts", { args })
    .listen(args.length);
}

/** The size of the body of a response; 0 if the server cuts the connection. */
async function sizeOf(port: number, path: string): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/${path}`);
    return (await response.bytes()).length;
  } catch {
    return 0;
  }
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(
    `${signal} under load loses no response that had begun, and exits with 0 (behaviour 9.5)`,
    UNIX,
    async () => {
      await using process = await start("shutdownTimeout=60000");
      const sizes = Promise.all(
        Array.from(
          { length: 40 },
          (_, index) =>
            sizeOf(process.port, index % 4 === 0 ? "stream" : "slow"),
        ),
      );
      await process.printed("begun\n".repeat(40));
      process.kill(signal);
      await refusing(process.port);
      process.kill("SIGUSR2");
      const expected = Array.from(
        { length: 40 },
        (_, index) => index % 4 === 0 ? 20_000 : 8_000,
      );
      assertEquals(await sizes, expected);
      const { code, output } = await process.outcome();
      assertEquals([code, output.split("\n").at(-2)], [0, "finished"]);
    },
  );
}

Deno.test(
  "a server cuts off requests that run after shutdownTimeout, and not those of another (behaviour 9.5)",
  UNIX,
  async () => {
    await using process = await start(
      "shutdownTimeout=50",
      "shutdownTimeout=Infinity",
    );
    const [first, second] = process.ports;
    const sizes = [sizeOf(first!, "hanging"), sizeOf(second!, "slow")];
    await process.printed("begun\nbegun\n");
    process.kill("SIGTERM");
    await refusing(first!);
    await refusing(second!);
    process.kill("SIGUSR2");
    assertEquals(await Promise.all(sizes), [0, 8_000]);
    const { code, output } = await process.outcome();
    assertEquals(code, 1);
    const line = "50 ms after the signal to stop, the server cut off requests";
    assert(output.includes(line), output);
  },
);

Deno.test(
  "shutdownDelay keeps serving while the bookshop's readiness route reports that the server drains, and a second signal ends the process at once (behaviour 9.5)",
  UNIX,
  async () => {
    await using process = await start("shutdownDelay=Infinity");
    const statuses = () =>
      Promise.all(
        ["ready", "live", ""].map((path) =>
          statusAt(process.port, `/api/${path}`)
        ),
      );
    assertEquals(await statuses(), [200, 200, 200]);
    const stream = sizeOf(process.port, "stream");
    await process.printed("begun");
    process.kill("SIGTERM");
    assertEquals(await stream, 20_000);
    assertEquals(await statuses(), [503, 200, 200]);
    const hanging = sizeOf(process.port, "hanging");
    await until(() => process.output.split("begun").length === 3);
    await process.killAgain("SIGTERM");
    assertEquals(await hanging, 0);
    assertEquals((await process.outcome()).code, 1);
  },
);

Deno.test(
  "a server without requests does not wait for shutdownTimeout, and a server that starts after the signal drains",
  UNIX,
  async () => {
    await using process = await start(
      `shutdownDelay=50&shutdownTimeout=${2 ** 31}`,
    );
    assertEquals(await statusAt(process.port, "/api/late"), 200);
    process.kill("SIGTERM");
    const { code, output } = await process.outcome();
    assertEquals(code, 0, output);
    assert(output.includes("late"), output);
  },
);
