import { json, problem, text } from "../expected_response.ts";
import { PLANNED_BODY } from "../planned_error.ts";
import type { Exchanges } from "../client.ts";

const NOT_FOUND = problem(404, "Not Found", "No route matches this path");
/** Paths, methods, queries and the errors of handlers: requests without a body. */
export const ROUTING: Exchanges = {
  "a static path": (client) => client.expect(text("as ever"), "/api/static"),

  "a param": (client) => {
    const id = client.random.text();
    return client.expect(
      json({ id }),
      `/api/users/${encodeURIComponent(id)}`,
    );
  },

  "a wildcard": (client) => {
    const names = Array.from(
      { length: 1 + client.random.below(5) },
      () => client.random.text().replaceAll(/[/\\]/g, ""),
    );
    const path = names.map(encodeURIComponent).join("/");
    return client.expect(json(names), `/api/files/${path}`);
  },

  "dot segments and doubled slashes": (client) =>
    client.expectRaw(
      json({ id: "7" }),
      "GET /api/files/.././/users/%37/ HTTP/1.1",
    ),

  "a query": (client) => {
    const [word, page] = [client.random.text(), 1 + client.random.below(99)];
    const tag = [client.random.text(), client.random.text()];
    const query = new URLSearchParams({ text: word, page: String(page) });
    for (const each of tag) query.append("tag", each);
    return client.expect(
      json({ text: word, page, tag }),
      `/api/search?${query}`,
    );
  },

  "no route": (client) => {
    const name = encodeURIComponent(client.random.text());
    return client.expect(NOT_FOUND, `/api/${name}`, {
      method: client.random.pick(["GET", "POST", "DELETE"]),
    });
  },

  "a method without a handler": (client) =>
    client.expect(
      problem(
        405,
        "Method Not Allowed",
        "This resource supports GET, HEAD, PUT, DELETE, OPTIONS",
        { headers: { allow: "GET, HEAD, PUT, DELETE, OPTIONS" } },
      ),
      "/api/users/1",
      { method: client.random.pick(["POST", "PATCH"]) },
    ),

  "HEAD": (client) =>
    client.expect(text(""), "/api/static", { method: "HEAD" }),

  "a malformed path": (client) =>
    client.expectRaw(
      problem(400, "Bad Request", "A percent escape in the path is malformed"),
      `GET /api/users/${client.random.pick(["%FF", "%", "%G1"])} HTTP/1.1`,
    ),

  "a guarded path": (client) =>
    client.expect(
      json(["water the trees"], 200, { "x-checked": "yes" }),
      "/api/tasks",
      { headers: { authorization: "Bearer s3cret" } },
    ),

  "a guarded path without a token": (client) =>
    client.expect(
      problem(401, "Unauthorized", "Show a token", {
        headers: { "www-authenticate": "Bearer" },
      }),
      "/api/tasks",
      { method: client.random.pick(["GET", "OPTIONS", "DELETE"]) },
    ),

  "a handler that throws": (client) =>
    client.expect(text(PLANNED_BODY, 500), "/api/broken"),

  "a handler that throws an HttpError": (client) => {
    const [status, title] = client.random.pick(
      [[404, "Not Found"], [418, "I'm a teapot"], [503, "Service Unavailable"]],
    );
    return client.expect(
      problem(status, title, `Refused with ${status}`, {
        headers: { "retry-after": "60" },
        since: "today",
      }),
      `/api/refused/${status}`,
    );
  },
};
