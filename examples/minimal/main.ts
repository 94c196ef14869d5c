import { Framework } from "@bough/framework";

const app = new Framework({ apiDir: new URL("./api/", import.meta.url) });
await app.serve({ env: true });
