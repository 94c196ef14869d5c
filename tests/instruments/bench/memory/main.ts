/**
 * Shows that no cache grows with traffic, even if every request has a new path. Exits
 * with 1 if the heap grows by more than `ALLOWED_KIB` after the first requests.
 *
 *     deno run --allow-read --v8-flags=--expose-gc tests/instruments/bench/memory/main.ts
 *       [--requests=10000000] [--paths=1000000]
 */
import { Framework } from "../../../../mod.ts";
import { option } from "../report.ts";

/** The variation of V8 itself. */
const ALLOWED_KIB = 1024;
const FIRST = 100_000;

const requests = Number(option("requests") ?? 10_000_000);
const paths = Number(option("paths") ?? 1_000_000);
const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) throw new Error("Run it with --v8-flags=--expose-gc");

const app = new Framework({
  apiDir: new URL("./api/", import.meta.url),
});

/** New paths of each kind: hits, misses, wrong methods and malformed paths. */
function nextRequest(count: number): Request {
  const id = count % paths;
  switch (count % 8) {
    case 0:
      return new Request(`http://localhost/api/files/${id}/notes.txt`);
    case 1:
      return new Request(`http://localhost/nothing/${id}`);
    case 2:
      return new Request(`http://localhost/api/users/${id}%20x`);
    case 3:
      return new Request(`http://localhost/api/users/${id}/%GG`);
    case 4:
      return new Request(`http://localhost/api/users/${id}`, {
        method: "DELETE",
      });
    default:
      return new Request(`http://localhost/api/users/${id}?n=${count}`);
  }
}

async function send(from: number, to: number): Promise<void> {
  for (let count = from; count < to; count++) {
    await app.fetch(nextRequest(count));
  }
}

function heap(): number {
  gc!();
  return Deno.memoryUsage().heapUsed / 1024;
}

await send(0, FIRST);
const first = heap();
console.log(`after ${FIRST} requests: ${first.toFixed(0)} KiB`);
const parts = 10;
for (let part = 0; part < parts; part++) {
  const size = (requests - FIRST) / parts;
  await send(FIRST + part * size, FIRST + (part + 1) * size);
  console.log(
    `after ${FIRST + (part + 1) * size} requests: ${heap().toFixed(0)} KiB`,
  );
}
const grown = heap() - first;
console.log(`grown by ${grown.toFixed(0)} KiB`);
if (grown > ALLOWED_KIB) Deno.exit(1);
