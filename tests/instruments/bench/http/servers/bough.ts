/** Bough as a user has it; `api/` is written by the benchmark. */
import { Framework } from "@bough/framework";

const [port, apiDir] = Deno.args;
const app = new Framework({ apiDir: apiDir! });
await app.serve({ port: Number(port), onListen: () => {} });
