// Slow: it sends 30,000 requests, and two gigabytes.
import { assertEquals, assertLess } from "@std/assert";
import { delay, until } from "../../support/until.ts";
import { entryOf } from "./entry_of.ts";
import { MeasuredProgram } from "./measured.ts";

const MIB = 1024 * 1024;

class Program extends MeasuredProgram {
  async number(path: "/used" | "/rss"): Promise<number> {
    return await (await this.control(path)).json();
  }

  /** Sends requests over one connection, a hundred at once. */
  async sendMany(count: number): Promise<void> {
    using connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: this.port,
    });
    let received = 0;
    const reading = (async () => {
      let rest = "";
      for await (const chunk of connection.readable) {
        rest += new TextDecoder("latin1").decode(chunk);
        received += rest.split("HTTP/1.1 ").length - 1;
        rest = rest.slice(-"HTTP/1.1".length);
      }
    })().catch(() => {});
    const writer = connection.writable.getWriter();
    for (let sent = 0; sent < count; sent += 100) {
      const requests = Array.from({ length: 100 }, (_, n) => request(sent + n));
      await writer.write(new TextEncoder().encode(requests.join("")));
      await until(() => received >= sent + 100);
    }
    connection.close();
    await reading;
  }
}

/** A request with a long body, a secret, an error or a stream, by its number. */
function request(n: number): string {
  const [method, path, body] = [
    ["GET", `/api/reset/${n}?page=${n}`, ""],
    ["POST", "/api/echo", `{"password":"p-${n}-${"x".repeat(20)}"}`],
    ["POST", "/api/error", `{"password":"p-${n}","n":${n}}`],
    ["POST", "/api/long", `${n} ${"y".repeat(30_000)}`],
    ["GET", "/api/long", ""],
  ][n % 5]!;
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    `Cookie: session=${n}-${n * 7}`,
    `Content-Length: ${body!.length}`,
    "",
    body,
  ].join("\r\n");
}

Deno.test("30,000 requests need no more memory than 1,000", async () => {
  await using program = await Program.start();
  await program.sendMany(1_000);
  const early = await program.number("/used");
  await program.sendMany(29_000);
  const late = await program.number("/used");
  assertEquals((await program.requests()).length, 200);
  assertLess(late - early, MIB);
});

Deno.test("a gigabyte streams in both directions with little memory", async () => {
  await using program = await Program.start();
  await program.sendMany(1_000);
  const before = await program.number("/rss");
  let highest = 0;
  let isMeasuring = true;
  const measuring = (async () => {
    while (isMeasuring) {
      highest = Math.max(highest, await program.number("/rss"));
      await delay(100);
    }
  })();
  let rest = 1024;
  const body = new ReadableStream({
    pull(controller) {
      if (rest-- > 0) controller.enqueue(new Uint8Array(MIB));
      else controller.close();
    },
  });
  const sent = await program.fetch("/api/upload", { method: "PUT", body });
  assertEquals(await sent.json(), 1024 * MIB);
  let received = 0;
  const { body: download } = await program.fetch("/api/download?mib=1024");
  for await (const chunk of download!) received += chunk.length;
  assertEquals(received, 1024 * MIB);
  isMeasuring = false;
  await measuring;
  assertLess(highest - before, 150 * MIB);
  const [{ response } = entryOf()] = await program.requests();
  assertEquals(response?.body?.size, 1024 * MIB);
});
