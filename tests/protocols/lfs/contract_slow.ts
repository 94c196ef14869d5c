/** Slow: contract tests send thousands of requests to the server. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";

const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => {
  Deno.removeSync(folder, { recursive: true });
});
const repository = "team/site";
const object = {
  oid: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  size: 3,
};
const params = [{ repository, oid: object.oid }];

contractTests(() => createApp(folder), {
  strict: true,
  seed: 7,
  generators: {
    "PUT /[repository]/objects/[oid]": {
      params,
      body: [new File(["foo"], "foo")],
    },
    "POST /[repository]/objects/verify": {
      params: [{ repository }],
      body: [object],
    },
  },
  reset: () => Deno.remove(folder, { recursive: true }),
});
