/** Bough with an `onNotFound` that leaves the response to Bough. */
import { Framework } from "@bough/framework";

const [port, apiDir] = Deno.args;
const app = new Framework({ apiDir: apiDir!, onNotFound: () => undefined });
await app.serve({ port: Number(port), onListen: () => {} });
