/** The identifiers in responses, which later requests may contain. */
import { assertEquals } from "@std/assert";
import {
  needsIdentifier,
  returnedBy,
} from "../../../src/testing/search/links.ts";
import { exchange } from "../support.ts";

const plan = {
  method: "POST",
  target: "/api/articles",
  headers: {},
  body: '{"title":"A b"}',
};

Deno.test("the identifiers of a creation are its new strings, and numbers with a known name", () => {
  const all = { title: "A b", slug: "a", id: 5, bookId: 6, count: 7, no: "" };
  const nested = { article: { slug: "s7e", title: "A b" } };
  const below = { ...plan, target: "/api/articles/5/notes" };
  const at = (location: string) => ({ headers: new Headers({ location }) });
  for (
    const [json, further, expected] of [
      [all, {}, { "/slug": "a", "/id": "5", "/bookId": "6" }],
      [nested, {}, { "/article/slug": "s7e" }],
      [null, at("/api/tasks/4?a=b"), { "": "/api/tasks/4?a=b" }],
      [null, at("https://example.com/"), {}],
      [{ id: 5 }, { plan: { ...plan, method: "PATCH" } }, {}],
      [{ id: 5 }, { status: 409 }, {}],
      // The path has the other identifier.
      [{ id: 6, articleId: 5 }, { plan: below }, { "/id": "6" }],
    ] as const
  ) {
    const sent = exchange(201, json, { plan, ...further });
    assertEquals<object>(returnedBy(sent, "http://localhost"), expected);
  }
});

Deno.test("a request for a book does not contain the identifier of a review", () => {
  const request = (method: string, target: string, location?: string) => ({
    ...{ method, target, headers: {} },
    ...(location && { returned: { "": location, "/id": location.at(-1)! } }),
  });
  const requests = [
    request("POST", "/books/1/reviews", "/books/1/reviews/3"),
    request("PATCH", "/books/3"),
    request("GET", "/books/2/reviews/3"),
    request("GET", "/books/4"),
  ];
  const needing = requests.map((_, index) =>
    needsIdentifier(requests, index, new Set(["3", "4"]))
  );
  assertEquals(needing, [false, false, true, true]);
});
