/** Slow: contract tests send thousands of requests to the server. */
import { createHash } from "node:crypto";
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";

const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => {
  Deno.removeSync(folder, { recursive: true });
});
const repository = "team/site";
const oid = createHash("sha256").update("foo").digest("hex");

contractTests(() => createApp(folder), {
  strict: true,
  seed: 7,
  generators: {
    "PUT /[repository]/objects/[oid]": {
      params: [{ repository, oid }],
      body: [new File(["foo"], "foo")],
    },
  },
  reset: () => Deno.remove(folder, { recursive: true }),
});
