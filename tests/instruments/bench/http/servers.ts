/** The servers under test; each process has its own port. */
import { fromFileUrl, join, resolve } from "@std/path";
import { freePort } from "../../../support/process.ts";

/** The server and the load generator run on different cores. */
const SERVER_CORE = "0";
const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));
const START_TIMEOUT = 30_000;

export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

export interface StartOptions {
  /** The routes of all cases, for Bough. */
  readonly apiDir: string;
  /** The checkout whose Bough is the server "before". */
  readonly before?: string | undefined;
  readonly stack: AsyncDisposableStack;
}

/** Starts one process of a server, and waits until it responds. */
export async function start(
  name: string,
  { apiDir, before, stack }: StartOptions,
): Promise<Server> {
  const isBefore = name === "before";
  const root = isBefore && before !== undefined ? resolve(before) : ROOT;
  const port = freePort();
  const process = stack.use(
    new Deno.Command("taskset", {
      args: ["-c", SERVER_CORE, Deno.execPath(), "run", "-A", "--no-check"]
        .concat("--config", join(root, "deno.json"))
        .concat(
          join(
            root,
            "tests/instruments/bench/http",
            `servers/${isBefore ? "bough" : name}.ts`,
          ),
        )
        .concat(String(port), apiDir),
      stdin: "null",
    }).spawn(),
  );
  let ended = false;
  process.status.then(() => ended = true);
  const deadline = performance.now() + START_TIMEOUT;
  while (!ended && performance.now() < deadline) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/api/health`)).body?.cancel();
      return { name, port, pid: process.pid };
    } catch {
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  throw new Error(
    `Cannot measure "${name}": its process ${
      ended ? "ended" : "does not respond"
    }`,
  );
}
