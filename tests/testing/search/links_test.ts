/** The identifiers in responses, which later requests may contain. */
import { assertEquals } from "@std/assert";
import {
  needsIdentifier,
  returnedBy,
} from "../../../src/testing/search/links.ts";
import type { Exchange } from "../../../src/testing/send/exchange.ts";

const ORIGIN = "http://localhost";

function returned(
  given: Partial<Exchange["plan"]>,
  json: unknown,
  { status = 201, location }: { status?: number; location?: string } = {},
): Record<string, string> {
  const plan = {
    method: "POST",
    target: "/api/articles",
    headers: {},
    body: '{"title":"A b"}',
    ...given,
  };
  const headers = new Headers({ "content-type": "application/json" });
  if (location !== undefined) headers.set("location", location);
  const body = new TextEncoder().encode(JSON.stringify(json));
  return returnedBy(
    { plan, status, headers, body, errors: [] } as unknown as Exchange,
    ORIGIN,
  );
}

Deno.test("the identifiers of a creation are its new strings, and numbers with a known name", () => {
  assertEquals(
    returned({}, {
      title: "A b",
      slug: "a",
      id: 5,
      bookId: 6,
      count: 7,
      no: "",
    }),
    { "/slug": "a", "/id": "5", "/bookId": "6" },
  );
  assertEquals(returned({}, { article: { slug: "s7e", title: "A b" } }), {
    "/article/slug": "s7e",
  });
  assertEquals(returned({}, null, { location: "/api/tasks/4?a=b" }), {
    "": "/api/tasks/4?a=b",
  });
  assertEquals(returned({}, null, { location: "https://example.com/" }), {});
});

Deno.test("only a successful creation returns identifiers, without those of its path", () => {
  assertEquals(returned({ method: "PATCH" }, { id: 5 }), {});
  assertEquals(returned({}, { id: 5 }, { status: 409 }), {});
  assertEquals(
    returned({ target: "/api/articles/5/notes" }, { id: 6, articleId: 5 }),
    { "/id": "6" },
  );
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
