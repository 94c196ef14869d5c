import { contractTests } from "@bough/framework/testing";
import { HeroStore } from "./heroes.ts";
import { resetItems } from "./items.ts";
import { createApp } from "./main.ts";
import { addUser, cost, createAccessToken, setSecret } from "./users.ts";

cost.N = 2; // the derived keys of the tests need no strength
setSecret("0123456789abcdef0123456789abcdef");
await addUser({ username: "johndoe", disabled: false }, "secret");

const heroes = new HeroStore(":memory:");

contractTests(createApp(heroes), {
  as: {
    johndoe: async () => ({
      authorization: `Bearer ${await createAccessToken("johndoe")}`,
      "x-token": "fake-super-secret-token",
    }),
  },
  reset: () => {
    heroes.clear();
    resetItems();
  },
  generators: {
    "PUT /items/[item_id]": { params: [{ item_id: "plumbus" }] },
    "POST /token": { body: [{ username: "johndoe", password: "secret" }] },
  },
  runs: 20,
  strict: true,
});
