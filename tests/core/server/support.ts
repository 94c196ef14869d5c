import { assert } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { DenoProcess, type Outcome } from "../../support/process.ts";
import { until } from "../../support/until.ts";

/** The folder of the programs that these tests run. */
export const FOLDER = dirname(fromFileUrl(import.meta.url));

/** For tests that send signals, and for tests of files that Windows does not have. */
export const UNIX = { ignore: Deno.build.os === "windows" };

/** A child process that serves on free ports, and prints them. */
export class ServingProcess extends DenoProcess {
  /** The first port; a test calls `listen()` before. */
  get port(): number {
    return this.ports[0]!;
  }

  /** All ports that the program has printed. */
  get ports(): number[] {
    return [...this.output.matchAll(/istening on http:\/\/[^/]*:(\d+)\//g)]
      .map(([, port]) => Number(port));
  }

  /** Waits until the program has printed its ports. */
  async listen(count = 1): Promise<this> {
    await this.printed("istening on http://");
    await until(() => this.ports.length >= count);
    return this;
  }

  /** Kills the process, and throws, if it does not end within a minute. */
  override async outcome(): Promise<Outcome> {
    let isKilled = false;
    const timer = setTimeout(() => {
      isKilled = true;
      this.kill("SIGKILL");
    }, 60_000);
    const outcome = await super.outcome();
    clearTimeout(timer);
    assert(!isKilled, `the process did not end: ${outcome.output}`);
    return outcome;
  }
}

/** Sends a request, and reports the status, or 0 if the connection is cut off. */
export async function statusAt(
  port: number,
  path: string,
  init?: RequestInit,
): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, init).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status ?? 0;
}

/** Waits until no server accepts connections on a port. */
export async function refusing(port: number): Promise<void> {
  await until(async () => {
    const connection = await Deno.connect({ port }).catch(() => undefined);
    connection?.close();
    return connection === undefined;
  });
}
