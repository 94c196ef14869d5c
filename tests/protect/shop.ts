/**
 * One of several processes of a shop, which `kills_slow.ts` kills. Its effects are
 * rows of a ledger. Arguments: a folder, and the lease in milliseconds.
 */
import { Framework, type MiddlewareRequest } from "@bough/framework";
import { DatabaseSync } from "node:sqlite";
import {
  idempotencyKey,
  idempotent,
  type ProtectionStore,
} from "@bough/framework/protect";
import { sqliteStore } from "@bough/framework/protect/sqlite";
import { delay } from "../support/until.ts";

const [folder, lease] = Deno.args;
const database = new DatabaseSync(`${folder}/shop.db`, { timeout: 10_000 });
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS claims (key TEXT, before INTEGER, after INTEGER);
  CREATE TABLE IF NOT EXISTS ledger (key TEXT, run TEXT);`);
const noteClaim = database.prepare("INSERT INTO claims VALUES (?, ?, ?)");
const pay = database.prepare("INSERT INTO ledger VALUES (?, ?)");
const keys = sqliteStore(`${folder}/keys.db`);
/** Also writes down when a key was claimed, at the earliest and at the latest. */
const store: ProtectionStore = {
  ...keys,
  async claim(key, claim) {
    const before = Date.now();
    const result = await keys.claim(key, claim);
    if (result.state === "claimed") noteClaim.run(key, before, Date.now());
    return result;
  },
};

/** Waits, so that the process may be killed meanwhile. */
const work = (most: number) => delay(Math.random() * most);

/** Pays, and does not know whether an earlier run has paid. */
async function POST(request: MiddlewareRequest): Promise<Response> {
  const run = crypto.randomUUID();
  const key = idempotencyKey.get(request);
  await work(20);
  pay.run(key, run);
  await work(40);
  return Response.json({ key, run });
}

const app = new Framework({
  manifest: {
    "middleware.ts": { default: idempotent({ store, lease: Number(lease) }) },
    "payments/route.ts": { POST },
  },
});
await app.serve({
  port: 0,
  hostname: "127.0.0.1",
  onListen: ({ port }) => console.log(`port ${port} is open`),
});
