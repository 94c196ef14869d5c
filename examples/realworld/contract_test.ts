/** The schemas of the routes test the application, as `bough test` does. */
import { contractTests } from "@bough/framework/testing";
import { hashPassword, withToken } from "./auth.ts";
import { createApp } from "./main.ts";
import { addArticle, favorite } from "./store/articles.ts";
import { addComment } from "./store/comments.ts";
import { Database } from "./store/database.ts";
import { findUser, follow, saveUser } from "./store/users.ts";

const db = new Database(":memory:", { passwordRounds: 1 });
const password = await hashPassword(db, "secret");

/** Deletes everything; then Ada, the first user, and Bob write an article each. */
function reset(): void {
  for (
    const table of ["comments", "favorites", "articles", "follows", "users"]
  ) {
    db.run(`DELETE FROM ${table}`);
  }
  for (const username of ["ada", "bob"]) {
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

reset();
const { user: { token } } = await withToken(db, findUser(db, { id: 1 })!);
const bob = { params: [{ username: "bob" }] };
for (const seed of [7, 8]) {
  contractTests(createApp(db), {
    as: { authorization: `Token ${token}` },
    reset,
    generators: {
      "GET /profiles/[username]": bob,
      "POST /profiles/[username]/follow": bob,
      "DELETE /profiles/[username]/follow": bob,
      "POST /users/login": {
        body: [{ user: { email: "bob@mail.com", password: "secret" } }],
      },
    },
    runs: 50,
    seed,
    strict: true,
  });
}
