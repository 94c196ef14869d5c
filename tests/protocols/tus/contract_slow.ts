/** Slow: contract tests send thousands of requests to the server. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";

const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => {
  Deno.removeSync(folder, { recursive: true });
});

contractTests(() => createApp(folder), {
  as: { "tus-resumable": "1.0.0" },
  strict: true,
  seed: 7,
  // An upload accepts bytes only after those that it has.
  generators: {
    "PATCH /api/uploads/[id]": {
      headers: [{ "upload-offset": "0" }],
      only: true,
    },
  },
  async reset() {
    await Deno.remove(folder, { recursive: true });
    await Deno.mkdir(folder);
  },
});
