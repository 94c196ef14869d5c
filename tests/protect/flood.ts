/**
 * Sends requests to an application with a limit: `flood.ts <file> <limit>`. Each line of
 * its input is the number of requests to send at once, each line of its output the
 * number of those that passed.
 */
import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { type ProtectionStore, rateLimit } from "@bough/framework/protect";
import { sqliteStore } from "@bough/framework/protect/sqlite";

/** An application that lets a number of requests pass in a minute. */
export class Flood {
  readonly #app: Framework;

  constructor(store: ProtectionStore, limit: number) {
    this.#app = new Framework({
      manifest: { "route.ts": { GET: () => new Response("Hello") } },
      middleware: [rateLimit({ limit, per: 60_000, store })],
    });
  }

  /** Sends requests at once, and returns how many passed. */
  async send(requests: number): Promise<number> {
    const statuses = await Promise.all(
      Array.from({ length: requests }, async () => {
        const request = new Request("http://localhost/api");
        const { status, body } = await this.#app.fetch(request);
        await body?.cancel();
        return status;
      }),
    );
    const passed = statuses.filter((status) => status === 200).length;
    const rejected = statuses.filter((status) => status === 429).length;
    assertEquals(passed + rejected, requests);
    return passed;
  }
}

if (import.meta.main) {
  const [path, limit] = Deno.args;
  const flood = new Flood(sqliteStore(path!), Number(limit));
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  for await (const line of lines) console.log(await flood.send(Number(line)));
}
