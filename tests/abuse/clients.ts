import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { DenoProcess } from "../support/process.ts";
import { sendAndLeave } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import { type AbuseCase, attack } from "./case.ts";

/** The beginnings of requests, which the client does not complete. */
const BEGINNINGS = [
  "GET /api/wai",
  "GET /api/wait HTTP/1.1\r\nHost: h\r\n",
  "GET /api/wait HTTP/1.1\r\nHost: h\r\n\r\n",
  "GET /api/stream HTTP/1.1\r\nHost: h\r\n\r\n",
  "POST /api/read HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc",
];

async function vanish(port: number, clients: number): Promise<void> {
  // In groups, since a system limits the sockets of a process.
  for (let done = 0; done < clients; done += 100) {
    await Promise.all(
      Array.from(
        { length: 100 },
        (_, index) =>
          sendAndLeave(port, BEGINNINGS[index % BEGINNINGS.length]!),
      ),
    );
  }
}

/** Clients that disconnect, or send nothing. */
export const CLIENTS: readonly AbuseCase[] = [{
  abuse: "1,000 clients that disconnect: in the request line, the headers, " +
    "the body, while a handler waits, while a response streams",
  must: "no log line; signals abort, streams are cancelled, sockets closed",
  attempt: async () => {
    const folder = fromFileUrl(new URL(".", import.meta.url));
    await using process = new DenoProcess(folder, ["-A"], "clients_app.ts");
    await process.printed("/\n");
    const [, origin] = /Listening on (\S+)\/\n/.exec(process.output)!;
    const api = `${origin}/api`;
    const open = async () => await (await fetch(`${api}/open`)).json();
    const before = await open();
    assertEquals([before.waiting, before.streaming], [0, 0]);
    await vanish(Number(new URL(api).port), 1_000);
    await until(async () => {
      const { waiting, streaming, descriptors } = await open();
      return waiting + streaming === 0 && descriptors <= before.descriptors + 5;
    });
    // Deno prints a note about `request.signal` once for each process.
    const own = process.output.trim().split("\n")
      .filter((line) => !line.startsWith("Deno.serve:"));
    assertEquals(own.length, 1, process.output);
    return "no handler, stream or socket remains";
  },
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
        const signal = AbortSignal.timeout(30_000);
        const response = await fetch(server.url("/api/hello"), { signal });
        assertEquals(await response.text(), "hello");
        return String(response.status);
      } finally {
        for (const connection of idle) connection.close();
      }
    }),
}];
