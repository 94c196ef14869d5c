/** The schemas of the routes test the application, as `bough test` does. */
import { contractTests, type LogIn } from "@bough/framework/testing";
import { hashPassword } from "./auth.ts";
import { createApp } from "./main.ts";
import { addArticle, favorite } from "./store/articles.ts";
import { addComment } from "./store/comments.ts";
import { Database } from "./store/database.ts";
import { follow, saveUser } from "./store/users.ts";

const db = new Database(":memory:", { passwordRounds: 1 });
const password = await hashPassword(db, "secret");

/** Deletes everything. Then Alice, the first user, and Bob write an article each. */
function reset(): void {
  for (
    const table of ["comments", "favorites", "articles", "follows", "users"]
  ) {
    db.run(`DELETE FROM ${table}`);
  }
  for (const username of ["alice", "bob"]) {
    const email = `${username}@mail.com`;
    const user = { username, email, password, bio: null, image: null };
    const viewer = { db, id: saveUser(db, user).id };
    const text = { title: username, description: "About", body: "Text" };
    const { slug } = addArticle(viewer, { ...text, tagList: ["a"] });
    addComment(viewer, slug, "A comment");
    favorite(viewer, slug, true);
  }
  follow({ db, id: 1 }, "bob", true);
}

/** Logs in through the application. */
const logIn = (username: string): LogIn => async ({ fetch }) => {
  const user = { email: `${username}@mail.com`, password: "secret" };
  const response = await fetch(
    new Request("http://localhost/api/users/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user }),
    }),
  );
  const { user: { token } } = await response.json();
  return { authorization: `Token ${token}` };
};

const bob = { params: [{ username: "bob" }] };
contractTests(createApp(db), {
  as: { alice: logIn("alice"), bob: logIn("bob") },
  reset,
  generators: {
    "GET /profiles/[username]": bob,
    "POST /profiles/[username]/follow": bob,
    "DELETE /profiles/[username]/follow": bob,
    "POST /users/login": {
      body: [{ user: { email: "bob@mail.com", password: "secret" } }],
    },
  },
  runs: 5,
  seed: 7,
  strict: true,
});
