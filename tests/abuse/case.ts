import { assert, assertEquals } from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  type TestServer,
} from "../support/application.ts";
import { exchange, type RawResponse } from "../support/raw_http.ts";

/** One way to abuse a server, or to break its files. */
export interface AbuseCase {
  /** The abuse itself. */
  readonly abuse: string;
  /** The required outcome. */
  readonly must: string;
  /** Tries the abuse, asserts the required outcome, and returns the seen outcome. */
  readonly attempt: () => Promise<string>;
}

/** The server to attack. */
export interface Target {
  readonly server: TestServer;
  /** The lines that the server has logged. */
  readonly log: readonly string[];
}

/** The source of the route file at `/api/hello`, for attacks on folders. */
export const HELLO = "export const GET = () => new Response('hello');";

/** The application of an attack. */
export interface TargetOptions extends CommonOptions {
  /** The exports of route files, in addition to the one at `/api/hello`. */
  readonly files?: Readonly<Record<string, TestModule>>;
  /** The number of lines that the attack makes the server log. @default {0} */
  readonly logged?: number;
}

/** Attacks a server, which must log exactly what is allowed and go on serving. */
export async function attack(
  { files = {}, logged = 0, ...options }: TargetOptions,
  run: (target: Target) => Promise<string>,
): Promise<string> {
  const hello = { GET: () => new Response("hello") };
  const application = TestApplication.of(
    { "hello/route.ts": hello, ...files },
    options,
  );
  return await attackApplication(application, logged, run);
}

/** Attacks an application, which also serves `/api/hello`. */
export async function attackApplication(
  application: TestApplication,
  logged: number,
  run: (target: Target) => Promise<string>,
): Promise<string> {
  using captured = new CapturedLog();
  const log = captured.lines;
  await using server = await application.serve();
  const outcome = await run({ server, log });
  const hello = await fetch(server.url("/api/hello"));
  assertEquals(await hello.text(), "hello", "the server goes on");
  // Deno prints a note about `request.signal` once for each process.
  const own = log.filter((line) => !line.startsWith("Deno.serve:"));
  assertEquals(own.length, logged, `logged: ${own.join("\n")}`);
  return outcome;
}

/** Sends unchanged text, and waits up to 30 seconds for the response. */
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
    timer = setTimeout(() => reject(error), 30_000);
  });
  try {
    return await Promise.race([exchange(server.port, [bytes]), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends texts, each of which must get one of some statuses, and counts these. */
export async function tallyOf(
  target: Target,
  texts: readonly string[],
  allowed: readonly number[],
): Promise<string> {
  const statuses = [];
  for (const text of texts) {
    const { status } = await send(target, text);
    const what = `${JSON.stringify(text.slice(0, 80))}: ${status}`;
    assert(allowed.includes(status), what);
    statuses.push(status);
  }
  return tally(statuses);
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
