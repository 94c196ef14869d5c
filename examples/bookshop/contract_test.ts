/** The schemas of the shop test it: `bough test main.ts` does the same. */
import { contractTests } from "@bough/framework/testing";
import { ADMIN_TOKEN } from "./admin_token.ts";
import { app, reset } from "./main.ts";

contractTests(app, {
  as: { authorization: `Bearer ${ADMIN_TOKEN}` },
  reset,
  runs: 20,
});
