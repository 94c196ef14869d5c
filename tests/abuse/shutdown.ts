import { assertEquals } from "@std/assert";
import { resultWithin } from "../../src/core/common/deadline.ts";
import { until } from "../support/until.ts";
import { type AbuseCase, apiOf, startProgram } from "./case.ts";
import { SIZE } from "./shutdown_app.ts";

/** The responses that the clients of a server received until it stopped. */
interface Load {
  /** The responses that arrived completely. */
  whole: number;
  /** The responses that began and broke off. */
  broken: number;
}

/** Sends one request after another until the server accepts no more. */
async function keepRequesting(url: string, load: Load): Promise<void> {
  for (;;) {
    let response;
    try {
      response = await fetch(url);
    } catch {
      return;
    }
    try {
      assertEquals((await response.bytes()).length, SIZE);
      load.whole++;
    } catch {
      load.broken++;
    }
  }
}

const WINDOWS = Deno.build.os === "windows";

/** Shutting a server down, as each release of an application does. */
export const SHUTDOWN: readonly AbuseCase[] = [{
  abuse: "SIGTERM under the load of 30 clients, quick, slow and streaming",
  must: "every response that has begun arrives completely; exit code 0",
  ignore: WINDOWS,
  attempt: async () => {
    await using process = startProgram("shutdown_app.ts");
    const api = await apiOf(process);
    const load = { whole: 0, broken: 0 };
    const clients = Array.from({ length: 30 }, (_, index) => {
      const path = ["quick", "slow", "stream"][index % 3];
      return keepRequesting(`${api}/${path}`, load);
    });
    await until(() => load.whole > 30, 60_000);
    process.kill("SIGTERM");
    await Promise.all(clients);
    const { code, output } = await process.outcome();
    assertEquals([load.broken, code], [0, 0], output);
    return "no response broken, exit code 0";
  },
}, {
  abuse: "a second SIGTERM while a handler keeps the server from draining",
  must: "the process ends at once, with exit code 1",
  ignore: WINDOWS,
  attempt: async () => {
    await using process = startProgram("shutdown_app.ts");
    const api = await apiOf(process);
    const hanging = fetch(`${api}/hang`)
      .then(() => "responded", () => "cut off");
    await process.printed("hanging");
    process.kill("SIGTERM");
    await process.printed("draining");
    await process.killAgain("SIGTERM");
    const outcome = await resultWithin(process.outcome(), 60_000);
    assertEquals([await hanging, outcome?.code], ["cut off", 1]);
    return "exit code 1";
  },
}];
