import { contractTests, type LogIn } from "@bough/framework/testing";
import { articles } from "./articles.ts";
import { app } from "./main.ts";
import { createToken, setSecret } from "./user.ts";

setSecret("0123456789abcdef0123456789abcdef");

const logIn = (...user: Parameters<typeof createToken>): LogIn => async () => ({
  authorization: `Bearer ${await createToken(...user)}`,
});

contractTests(app, {
  as: {
    ada: logIn("ada", "author"),
    bob: logIn("bob", "author"),
    moderator: logIn("max", "moderator"),
    expired: logIn("ada", "author", { seconds: -1 }),
  },
  reset: () => articles.clear(),
  runs: 20,
  strict: true,
});
