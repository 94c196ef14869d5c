import { assertEquals } from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import {
  CapturedLog,
  FolderApplication,
  type TestServer,
} from "../support/application.ts";
import { exchange, type RawResponse } from "../support/raw_http.ts";

/** One way to abuse a server, or to break its files. */
export interface AbuseCase {
  /** What is done. */
  readonly abuse: string;
  /** What must happen. */
  readonly must: string;
  /** Does it, asserts what must happen, and returns what was seen. */
  readonly attempt: () => Promise<string>;
  /** Whether to leave it out, where the system cannot do it. */
  readonly ignore?: boolean;
  /** Whether it is for `deno task test:slow`. */
  readonly isSlow?: boolean;
}

/** What an attack works on. */
export interface Target {
  /** The application. */
  readonly application: FolderApplication;
  /** The server that serves it. */
  readonly server: TestServer;
  /** What was logged so far. */
  readonly log: readonly string[];
}

/** How to set up the target. */
export interface TargetOptions extends CommonOptions {
  /** Route files, beside the one at `/api/hello`. */
  readonly files?: Readonly<Record<string, string>>;
  /** How many lines the attack may make the server log. @default {0} */
  readonly logged?: number;
}

const HELLO = "export const GET = () => new Response('hello');";

/** Attacks a server, which must log exactly what is allowed and go on serving. */
export async function attack(
  { files = {}, logged = 0, ...options }: TargetOptions,
  run: (target: Target) => Promise<string>,
): Promise<string> {
  using captured = new CapturedLog();
  const log = captured.lines;
  await using application = await FolderApplication.create(
    { "hello/route.js": HELLO, ...files },
    options,
  );
  await using server = await application.serve();
  const outcome = await run({ application, server, log });
  const hello = await fetch(server.url("/api/hello"));
  assertEquals(await hello.text(), "hello", "the server goes on");
  // Deno prints a note about `request.signal` once for each process.
  const own = log.filter((line) => !line.startsWith("Deno.serve:"));
  assertEquals(own.length, logged, `logged: ${own.join("\n")}`);
  return outcome;
}

/** Sends text as it is, and waits up to three seconds for the response. */
export async function send(
  { server }: Pick<Target, "server">,
  text: string,
): Promise<RawResponse> {
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  let timer;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(
      `No response to ${JSON.stringify(text.slice(0, 80))}`,
    );
    timer = setTimeout(() => reject(error), 3_000);
  });
  try {
    return await Promise.race([exchange(server.port, [bytes]), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts statuses: `"400 × 3, 501"`; 0 is a connection closed without a response. */
export function tally(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b).map(([status, count]) => {
    const name = status === 0 ? "closed" : String(status);
    return count === 1 ? name : `${name} × ${count}`;
  }).join(", ");
}
