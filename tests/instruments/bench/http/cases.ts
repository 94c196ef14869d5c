/** A kind of request with the same response from every server. */
export interface Case {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly body?: string;
  readonly status: number;
  /** The body of the response, if it is the same for each server. */
  readonly answer?: string;
}

const BOOK = JSON.stringify({
  title: "Emma",
  author: "Jane Austen",
  cents: 1200,
  tags: ["novel", "classic"],
});

export const CASES: readonly Case[] = [
  {
    name: "static",
    method: "GET",
    target: "/api/health",
    status: 200,
    answer: "ok",
  },
  {
    name: "param",
    method: "GET",
    target: "/api/users/42",
    status: 200,
    answer: '{"id":"42"}',
  },
  {
    name: "query",
    method: "GET",
    target: "/api/search?q=trees&page=2",
    status: 200,
    answer: '{"q":"trees"}',
  },
  {
    name: "json echo",
    method: "POST",
    target: "/api/echo",
    body: BOOK,
    status: 200,
    answer: BOOK,
  },
  {
    name: "zod body",
    method: "POST",
    target: "/api/books",
    body: BOOK,
    status: 200,
    answer: '{"title":"Emma"}',
  },
  {
    name: "wildcard",
    method: "GET",
    target: "/api/files/css/site/main.css",
    status: 200,
    answer: "css/site/main.css",
  },
  {
    name: "miss",
    method: "GET",
    target: "/api/nowhere/to/be/found",
    status: 404,
  },
  {
    name: "500 routes",
    method: "GET",
    target: "/api/shelf12/row3/book/7/pages",
    status: 200,
    answer: '{"row":"row3","book":"7"}',
  },
];

/**
 * 500 routes that require backtracking: `/api/shelf12/row3/…` matches static folders
 * first, but `row3` is the value of a parameter.
 */
export const SHELF_ROUTES: readonly string[] = Array.from(
  { length: 50 },
  (_, shelf) => [
    ...Array.from(
      { length: 9 },
      (_, row) => `shelf${shelf}/row${row}/book/[book]/cover`,
    ),
    `shelf${shelf}/[row]/book/[book]/pages`,
  ],
).flat();

/** A route in the notation `/api/:name` of other routers. */
export function withColons(route: string): string {
  return "/api/" + route.replaceAll(/\[(\w+)\]/g, ":$1");
}
