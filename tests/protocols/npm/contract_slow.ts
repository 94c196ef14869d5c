/** Slow: contract tests send thousands of requests to the registry. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";
import { ADVISORY, publication } from "./publication.ts";
import { Registry, TOKEN } from "./registry.ts";

const NAME = "@acme/tree";

function createFilled() {
  const registry = new Registry();
  for (const version of ["1.0.0", "2.0.0"]) {
    registry.publish(NAME, publication(NAME, version));
  }
  registry.get(NAME).tags = { latest: "2.0.0", beta: "2.0.0" };
  registry.advisories.set(NAME, [ADVISORY]);
  return createApp(registry);
}

const params = [{ package: NAME }];
contractTests(createFilled, {
  as: { authorization: `Bearer ${TOKEN}` },
  strict: true,
  seed: 7,
  generators: {
    "GET /[package]": { params },
    "PUT /[package]": { params, body: [publication(NAME, "3.0.0")] },
    "GET /[package]/-/[file]": {
      params: [{ package: NAME, file: "tree-1.0.0.tgz" }],
    },
    "PUT /-/package/[package]/dist-tags/[tag]": {
      params: [{ package: NAME, tag: "next" }],
      body: ["1.0.0"],
    },
    "POST /-/npm/v1/security/advisories/bulk": {
      body: [{ [NAME]: ["1.0.0"] }],
    },
  },
});
