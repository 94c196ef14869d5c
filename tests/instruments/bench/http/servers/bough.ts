/** Bough with the `api/` that the benchmark writes. */
import { Framework } from "@bough/framework";

const [port, apiDir] = Deno.args;
const app = new Framework({ apiDir: apiDir! });
await app.serve({ port: Number(port), onListen: () => {} });
