/** Slow: it sends thousands of requests. The schemas of the server test it. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";

const folder = await Deno.makeTempDir();
const object = {
  oid: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  size: 3,
};
const params = [{ repository: "team/site", oid: object.oid }];

contractTests(() => createApp(folder), {
  strict: true,
  seed: 7,
  generators: {
    "PUT /[repository]/objects/[oid]": {
      params,
      body: [new File(["foo"], "foo")],
    },
    "GET /[repository]/objects/[oid]": { params },
    "POST /[repository]/objects/verify": { params, body: [object] },
  },
  reset: () => Deno.remove(folder, { recursive: true }).catch(() => {}),
});
