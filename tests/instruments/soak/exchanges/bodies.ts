import { invalid, json, problem } from "../expected_response.ts";
import type { Exchanges } from "../client.ts";
import type { Random } from "../random.ts";

const JSON_TYPE = { "content-type": "application/json" };
const TOO_LARGE = problem(
  413,
  "Content Too Large",
  "The body is larger than 4000 bytes",
);

function order(random: Random) {
  return {
    customer: random.text(),
    items: Array.from({ length: 1 + random.below(5) }, () => ({
      book: 1 + random.below(1_000),
      count: 1 + random.below(9),
    })),
  };
}

/** JSON and forms, valid and invalid. */
export const BODIES: Exchanges = {
  "a body in JSON": (client) => {
    const body = order(client.random);
    return client.expect(
      json(body, 201, { location: `/api/orders/${body.items.length}` }),
      "/api/orders",
      { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) },
    );
  },

  "a body in JSON that violates the schema": (client) => {
    const at = client.random.below(5);
    const items = Array.from({ length: at }, () => ({ book: 1 }));
    return client.expect(
      invalid(
        [
          "body",
          "#/customer",
          "Too small: expected string to have >=1 characters",
        ],
        [
          "body",
          `#/items/${at}/book`,
          "Invalid input: expected number, received string",
        ],
      ),
      "/api/orders",
      {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({
          customer: "",
          items: [...items, { book: "1" }],
        }),
      },
    );
  },

  "a body that the handler cannot read": (client) =>
    client.expect(
      problem(400, "Bad Request", "The body is not valid JSON"),
      "/api/users/1",
      { method: "PUT", body: client.random.text() },
    ),

  "a body that is too large": (client) =>
    client.expect(TOO_LARGE, "/api/orders", {
      method: "POST",
      headers: JSON_TYPE,
      body: "[".repeat(4_001 + client.random.below(4_000)),
    }),

  "a body in chunks that is too large": (client) =>
    client.expect(TOO_LARGE, "/api/orders", {
      method: "POST",
      headers: JSON_TYPE,
      body: new Blob(["[".repeat(4_001 + client.random.below(4_000))]).stream(),
    }),

  "a form with a file": (client) => {
    const [name, content] = [client.random.text(), client.random.text()];
    const body = new FormData();
    body.set("name", name);
    body.set("attachment", new Blob([content]), "letter.txt");
    return client.expect(json({ name, attachment: content }), "/api/contact", {
      method: "POST",
      body,
    });
  },
};
