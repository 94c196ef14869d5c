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
  async reset() {
    await Deno.remove(folder, { recursive: true });
    await Deno.mkdir(folder);
  },
});
