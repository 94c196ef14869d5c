/** Waits for a line of input, and then counts a request in a file: `open_file.ts <file>`. */
import { sqliteStore } from "@bough/framework/protect/sqlite";

console.log("ready");
Deno.stdin.readSync(new Uint8Array(1));
using store = sqliteStore(Deno.args[0]!);
console.log((await store.increment("key", 60_000)).count);
