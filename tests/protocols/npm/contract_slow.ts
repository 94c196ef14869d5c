/** Slow: contract tests send thousands of requests to the registry. */
import { contractTests } from "@bough/framework/testing";
import { createApp } from "./main.ts";
import { ADVISORY, publication } from "./publication.ts";
import { Registry, TOKEN } from "./registry.ts";

const NAME = "@acme/tree";
const first = publication(NAME, "1.0.0");
const second = publication(NAME, "2.0.0");

function createFilled() {
  const registry = new Registry();
  registry.publish(NAME, first);
  registry.publish(NAME, second);
  registry.get(NAME).tags = { latest: "2.0.0", beta: "2.0.0" };
  registry.advisories.set(NAME, [ADVISORY]);
  return createApp(registry);
}

const params = [{ package: NAME }];
// The tests first publish a third version, and each change adds a revision.
const atRevision = ["4", "5", "6", "7", "8"]
  .map((rev) => ({ package: NAME, rev }));

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
    "PUT /[package]/-rev/[rev]": {
      params: atRevision.slice(0, 1),
      body: [{ ...first, _id: NAME, _rev: "4" }],
    },
    "DELETE /[package]/-rev/[rev]": { params: atRevision },
    "GET /-/package/[package]/dist-tags": { params },
    "PUT /-/package/[package]/dist-tags/[tag]": {
      params: [{ package: NAME, tag: "next" }],
      body: ["1.0.0"],
    },
    "DELETE /-/package/[package]/dist-tags/[tag]": {
      params: [{ package: NAME, tag: "beta" }],
    },
    "POST /-/npm/v1/security/advisories/bulk": {
      body: [{ [NAME]: ["1.0.0"] }],
    },
  },
});
