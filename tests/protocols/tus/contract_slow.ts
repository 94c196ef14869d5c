/** Slow: it sends thousands of requests. The schemas of the server test it. */
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
