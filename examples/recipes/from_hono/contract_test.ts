import { contractTests } from "@bough/framework/testing";
import { setCredentials } from "./credentials.ts";
import { app } from "./main.ts";
import { posts, todos } from "./model.ts";

setCredentials({ username: "hono", password: "acoolproject" });

contractTests(app, {
  as: { authorization: `Basic ${btoa("hono:acoolproject")}` },
  reset: () => {
    posts.clear();
    todos.length = 0;
  },
  runs: 20,
  strict: true,
});
