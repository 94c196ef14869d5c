/**
 * Sends requests to a limited application, 5,000 a second, and prints how many passed, and when:
 * `flood.ts <store> <limit> <window> <requests> <start>`. The store is a file, or
 * `memory`; the flood begins at `start`, in milliseconds since 1970.
 */
import { Framework } from "@bough/framework";
import { memoryStore, rateLimit } from "@bough/framework/protect";

const [path = "memory", ...numbers] = Deno.args;
const [limit, per, requests, start] = numbers.map(Number) as [
  number,
  number,
  number,
  number,
];

const store = path === "memory"
  ? memoryStore()
  : (await import("@bough/framework/protect/sqlite")).sqliteStore(path);
const app = new Framework({
  apiDir: new URL("../../examples/minimal/api", import.meta.url),
  middleware: [rateLimit({ limit, per, store })],
});
await app.start();

let passed = 0;
let rejected = 0;

async function send(): Promise<void> {
  const request = new Request("http://localhost/api/hello");
  const { status, body } = await app.fetch(request);
  await body?.cancel();
  if (status === 200) passed++;
  else if (status === 429) rejected++;
  else throw new Error(`status ${status}`);
}

await new Promise((resolve) => setTimeout(resolve, start - Date.now()));
const from = Date.now();
const begin = performance.now();
for (let sent = 0; sent < requests;) {
  const due = Math.min(requests, Math.ceil((performance.now() - begin) * 5));
  await Promise.all(Array.from({ length: due - sent }, send));
  sent = Math.max(sent, due);
  await new Promise((resolve) => setTimeout(resolve, 1));
}
console.log(JSON.stringify({ passed, rejected, from, to: Date.now() }));
