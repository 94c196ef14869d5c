// Slow: it sends 30,000 requests, and two gigabytes.
import { assertEquals, assertLess } from "@std/assert";
import { delay } from "../../support/until.ts";
import { entryOf } from "./entry_of.ts";
import { MeasuredProgram } from "./measured.ts";

const MIB = 1024 * 1024;

class Program extends MeasuredProgram {
  async number(path: "/used" | "/rss"): Promise<number> {
    return await (await this.control(path)).json();
  }

  /** Sends requests, a hundred at once. */
  async sendMany(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 100) {
      const all = Array.from({ length: 100 }, (_, n) => this.send(sent + n));
      await Promise.all(all);
    }
  }

  /** Sends a request with a long body, a secret, an error or a stream, by its number. */
  async send(n: number): Promise<void> {
    const [path, body] = [
      [`reset/${n}?page=${n}`],
      ["echo", `{"password":"p-${n}-${"x".repeat(20)}"}`],
      ["error", `{"password":"p-${n}","n":${n}}`],
      ["long", `${n} ${"y".repeat(30_000)}`],
      ["long"],
    ][n % 5]!;
    const headers = { cookie: `session=${n}-${n * 7}` };
    const init = body === undefined ? {} : { method: "POST", body };
    await (await this.fetch(`/api/${path}`, { headers, ...init })).bytes();
  }
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
