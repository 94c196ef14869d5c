import { assert, assertEquals } from "@std/assert";
import { type AbuseCase, attack, type Target } from "./case.ts";
import { sendAndLeave } from "../support/raw_http.ts";
import { until } from "../support/until.ts";

const FILES = {
  "wait/route.js": `
    globalThis.waiting = 0;
    export async function GET(request) {
      globalThis.waiting++;
      await new Promise((go) => request.signal.addEventListener("abort", go));
      globalThis.waiting--;
      return new Response("too late");
    }`,
  "stream/route.js": `
    globalThis.streaming = 0;
    export function GET() {
      let timer;
      return new Response(new ReadableStream({
        start(controller) {
          globalThis.streaming++;
          timer = setInterval(() => controller.enqueue(new Uint8Array(1000)), 10);
        },
        cancel() {
          globalThis.streaming--;
          clearInterval(timer);
        },
      }));
    }`,
  "read/route.js":
    "export const POST = async (r) => new Response(await r.text());",
};

/** What a client sends before it vanishes. */
const BEGINNINGS = [
  "GET /api/wai",
  "GET /api/wait HTTP/1.1\r\nHost: h\r\n",
  "GET /api/wait HTTP/1.1\r\nHost: h\r\n\r\n",
  "GET /api/stream HTTP/1.1\r\nHost: h\r\n\r\n",
  "POST /api/read HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc",
];

async function vanish({ server }: Target, clients: number): Promise<void> {
  // In groups, since a system limits the sockets of a process.
  for (let done = 0; done < clients; done += 100) {
    await Promise.all(
      Array.from(
        { length: Math.min(100, clients - done) },
        (_, index) =>
          sendAndLeave(server.port, BEGINNINGS[index % BEGINNINGS.length]!),
      ),
    );
  }
}

/** How many files and sockets this process has open; 0 where that is unknown. */
function openDescriptors(): number {
  if (Deno.build.os !== "linux") return 0;
  const { stdout } = new Deno.Command("ls", { args: [`/proc/${Deno.pid}/fd`] })
    .outputSync();
  return new TextDecoder().decode(stdout).split("\n").length;
}

/** Clients that vanish, or send nothing. */
export const CLIENTS: readonly AbuseCase[] = [{
  abuse: "1,000 clients that vanish: in the request line, the headers, " +
    "the body, while a handler waits, while a response streams",
  must: "no log line; signals abort, streams are cancelled, sockets closed",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const now = globalThis as unknown as {
        waiting: number;
        streaming: number;
      };
      const before = openDescriptors();
      await vanish(target, 1_000);
      await until(() => now.waiting === 0);
      await until(() => now.streaming === 0);
      await until(() => openDescriptors() <= before + 5);
      return "nothing is left of them";
    }),
}, {
  abuse: "200 connections that send nothing",
  must: "others are served meanwhile",
  attempt: () =>
    attack({}, async ({ server }) => {
      const idle = await Promise.all(
        Array.from(
          { length: 200 },
          () => Deno.connect({ hostname: "127.0.0.1", port: server.port }),
        ),
      );
      try {
        const start = performance.now();
        const response = await fetch(server.url("/api/hello"));
        assertEquals(await response.text(), "hello");
        assert(performance.now() - start < 2_000);
        return String(response.status);
      } finally {
        for (const connection of idle) connection.close();
      }
    }),
}];
