import type { PropertyName } from "@bough/framework/testing";

/** A fault to plant in a copy of the bookshop. */
export interface PlantedFault {
  /** The fault, as a fragment of a sentence. */
  readonly name: string;
  /** The property that it breaks. */
  readonly property: PropertyName;
  /** The file, from the folder of the bookshop. */
  readonly file: string;
  /** The original text; `""` for a new file. */
  readonly find: string;
  /** The text with the fault. */
  readonly replace: string;
}

const BOOKS = "api/books/route.ts";
const BOOK = "api/books/[bookId]/route.ts";
const REVIEWS = "api/books/[bookId]/reviews/route.ts";
const REVIEW = "api/books/[bookId]/reviews/[reviewId]/route.ts";
const ORDERS = "api/orders/route.ts";
const ADMIN = "api/(admin)/middleware.ts";

/** A middleware file that changes responses with a status. */
function respondInstead(status: number, response: string): string {
  return `import { errorResponse, type Middleware } from "@bough/framework";
const replace: Middleware = async (request, next) => {
  const response = await next().catch((error) => errorResponse(error, request));
  return response.status === ${status} ? ${response} : response;
};
export default replace;
`;
}

/** Adds the middleware to the beginning of an existing list. */
function respondFirst(status: number, response: string): string {
  return respondInstead(status, response)
    .replace("export default replace;\n", "export default [\n  replace,");
}

/** The faults that the properties must find, all but two. */
export const FAULTS: readonly PlantedFault[] = [
  // Status.
  {
    name: "an added book is a 200",
    property: "declared",
    file: BOOKS,
    find: "respond(schema.post, 201, book, {",
    replace: "Response.json(book, {\n    status: 200,",
  },
  {
    name: "an order is a 202",
    property: "declared",
    file: ORDERS,
    find: "respond(schema.post, 201, order, {",
    replace: "Response.json(order, {\n    status: 202,",
  },
  {
    name: "a removed book is a 200",
    property: "declared",
    file: BOOK,
    find: "respond(schema.delete, 204)",
    replace: "Response.json({ removed: true })",
  },
  {
    name: "a missing book is a 410",
    property: "declared",
    file: "store/books.ts",
    find: "HttpError(404, `There is no book ${id}`)",
    replace: "HttpError(410, `There is no book ${id}`)",
  },
  {
    name: "a missing author is a 400",
    property: "declared",
    file: "store/authors.ts",
    find: "HttpError(404",
    replace: "HttpError(400",
  },
  {
    name: "an order of an unknown book is a 404",
    property: "declared",
    file: "store/orders.ts",
    find: "HttpError(422",
    replace: "HttpError(404",
  },
  {
    name: "an order of too many copies is a 418",
    property: "declared",
    file: "store/orders.ts",
    find: "HttpError(409",
    replace: "HttpError(418",
  },
  {
    name: "a book that is in the shop already is a 422",
    property: "declared",
    file: "store/books.ts",
    find: 'HttpError(409, `"${title}" by',
    replace: 'HttpError(422, `"${title}" by',
  },
  // Shape.
  {
    name: "a book lacks its author",
    property: "declared",
    file: "store/books.ts",
    find: "authors.name AS author",
    replace: "authors.name AS writer",
  },
  {
    name: "the price of a book is a text",
    property: "declared",
    file: "store/books.ts",
    find: "AS author, cents, stock",
    replace: "AS author, CAST(cents AS TEXT) AS cents, stock",
  },
  {
    name: "an author lacks the books",
    property: "declared",
    file: "store/authors.ts",
    find:
      'return { ...author, books: books as unknown as AuthorWithBooks["books"] };',
    replace: "return { ...author };",
  },
  {
    name: "the books of an author lack their ids",
    property: "declared",
    file: "store/authors.ts",
    find: "SELECT id, title FROM books",
    replace: "SELECT title FROM books",
  },
  {
    name: "the reviews are no list",
    property: "declared",
    file: REVIEWS,
    find:
      "respond(schema.get, 200, reviewsOf(request.validated.params.bookId))",
    replace:
      "Response.json({ reviews: reviewsOf(request.validated.params.bookId) })",
  },
  {
    name: "the stars of a review are doubled",
    property: "declared",
    file: "store/reviews.ts",
    find: "SELECT id, stars, text FROM reviews WHERE book_id = ? AND id = ?",
    replace:
      "SELECT id, stars * 2 AS stars, text FROM reviews WHERE book_id = ? AND id = ?",
  },
  {
    name: "the items of an order lack their titles",
    property: "declared",
    file: "store/orders.ts",
    find: "SELECT book_id AS bookId, title, count",
    replace: "SELECT book_id AS bookId, count",
  },
  {
    name: "the process is dead",
    property: "declared",
    file: "api/health/live/route.ts",
    find: 'respond(schema.get, 200, { status: "alive" })',
    replace: 'Response.json({ status: "dead" })',
  },
  {
    name: "the covers are objects",
    property: "declared",
    file: "api/covers/route.ts",
    find: "respond(schema.get, 200, paths.sort())",
    replace: "Response.json(paths.sort().map((path) => ({ path })))",
  },
  // Media type and headers.
  {
    name: "a cover is sent without its media type",
    property: "declared",
    file: "api/covers/[...]/route.ts",
    find: "return serveFile(request, path, { fileInfo });",
    replace: "return new Response(await Deno.readFile(path));",
  },
  {
    name: "a book is sent as a plain text",
    property: "declared",
    file: BOOK,
    find:
      "return respond(schema.get, 200, getBook(request.validated.params.bookId));",
    replace:
      "return new Response(JSON.stringify(getBook(request.validated.params.bookId)));",
  },
  {
    name: "an added book lacks its location",
    property: "declared",
    file: BOOKS,
    find: "headers: { location: `/api/books/${book.id}` },",
    replace: "",
  },
  // Failures, some at the edge of what a schema allows.
  {
    name: "a search with a percent sign fails",
    property: "failure",
    file: BOOKS,
    find: "findBooks(search, {",
    replace: "findBooks(decodeURIComponent(search), {",
  },
  {
    name: "a review of the greatest length fails",
    property: "failure",
    file: REVIEWS,
    find: "const review = addReview",
    replace:
      'if (body.text.length > 400) throw new Error("too long");\n  const review = addReview',
  },
  {
    name: "a change of nothing fails",
    property: "failure",
    file: BOOK,
    find: "return respond(schema.patch, 200, changeBook(params.bookId, body));",
    replace:
      'if (Object.keys(body).length === 0) throw new Error("SQL: SET WHERE");\n  return respond(schema.patch, 200, changeBook(params.bookId, body));',
  },
  {
    name: "an order that names a book twice fails",
    property: "failure",
    file: "store/orders.ts",
    find: "ON CONFLICT DO UPDATE SET count = count + excluded.count",
    replace: "",
  },
  {
    name: "an order of more than there is fails",
    property: "failure",
    file: "store/orders.ts",
    find: "WHERE id = ? AND stock >= ?",
    replace: "WHERE id = ? AND ? > 0",
  },
  {
    name: "the greatest stock fails",
    property: "failure",
    file: "api/(admin)/stock/[bookId]/route.ts",
    find: "const { params, body } = request.validated;",
    replace:
      'const { params, body } = request.validated;\n  if (body.stock === 10_000) throw new Error("overflow");',
  },
  {
    name: "the list of authors never comes",
    property: "failure",
    file: "api/authors/route.ts",
    find: "export function GET(): Response {",
    replace:
      "export async function GET(): Promise<Response> {\n  await new Promise(() => {});",
  },
  // What the schema says of requests.
  {
    name: "a large page of the list is refused",
    property: "accepted",
    file: BOOKS,
    find: "return respond(schema.get, 200, findBooks(",
    replace:
      'if (limit > 100) return Response.json({ errors: [{ in: "query", pointer: "#/limit", detail: "too large" }] }, { status: 400 });\n  return respond(schema.get, 200, findBooks(',
  },
  {
    name: "a free book is refused",
    property: "accepted",
    file: BOOKS,
    find: "const book = addBook(request.validated.body);",
    replace:
      "if (request.validated.body.cents === 0) return Response.json({ errors: [] }, { status: 400 });\n  const book = addBook(request.validated.body);",
  },
  {
    name: "what does not fit is a 422",
    property: "refused",
    file: "api/books/middleware.ts",
    find: "",
    replace: respondInstead(
      400,
      "new Response(await response.text(), { status: 422, headers: response.headers })",
    ),
  },
  {
    name: "the refusal of an order does not name the place",
    property: "refused",
    file: "api/orders/middleware.ts",
    find: "export default [",
    replace: respondFirst(
      400,
      'Response.json({ type: "about:blank", title: "Bad Request", status: 400 }, { status: 400, headers: { "content-type": "application/problem+json" } })',
    ),
  },
  {
    name: "a review that is too large passes",
    property: "refused",
    file: "api/books/[bookId]/reviews/middleware.ts",
    find: "",
    replace: respondInstead(
      413,
      'Response.json({ id: 1, stars: 1, text: "cut" }, { status: 201, headers: { location: "/api/books/1/reviews/1" } })',
    ),
  },
  {
    name: "an order of a wrong content type is a 400",
    property: "refused",
    file: "api/orders/middleware.ts",
    find: "export default [",
    replace: respondFirst(
      415,
      "new Response(await response.text(), { status: 400, headers: response.headers })",
    ),
  },
  // Methods.
  {
    name: "HEAD of the books is a 204",
    property: "methods",
    file: BOOKS,
    find: "/** `/api/books?search",
    replace:
      "export function HEAD(): Response {\n  return new Response(null, { status: 204 });\n}\n\n/** `/api/books?search",
  },
  {
    name: "OPTIONS of a review allows GET alone",
    property: "methods",
    file: REVIEW,
    find: "export function DELETE(",
    replace:
      'export function OPTIONS(): Response {\n  return new Response(null, { status: 204, headers: { allow: "GET" } });\n}\n\nexport function DELETE(',
  },
  // Guards.
  {
    name: "the guard is off",
    property: "security",
    file: ADMIN,
    find: "honoMiddleware(bearerAuth({ token: ADMIN_TOKEN }))",
    replace: "(_request: Request, next: () => Promise<Response>) => next()",
  },
  // State.
  {
    name: "the location of a review leads nowhere",
    property: "state",
    file: REVIEWS,
    find: "/api/books/${bookId}/reviews/${review.id}",
    replace: "/api/books/${bookId}/reviews/${review.id + 1}",
  },
  {
    name: "a removed review stays",
    property: "state",
    file: "store/reviews.ts",
    find: "deleteReview().run(getReview(bookId, id).id);",
    replace: "getReview(bookId, id);",
  },
  {
    name: "a change of a book is told, and not made",
    property: "state",
    file: BOOK,
    find: "return respond(schema.patch, 200, changeBook(params.bookId, body));",
    replace:
      "const book = getBook(params.bookId);\n  if (false) changeBook(params.bookId, body);\n  return Response.json({ ...book, title: body.title ?? book.title, cents: body.cents ?? book.cents });",
  },
  {
    name: "an added book is forgotten",
    property: "state",
    file: "store/books.ts",
    find: "return getBook(Number(lastInsertRowid));",
    replace:
      "const book = getBook(Number(lastInsertRowid));\n  deleteBook().run(book.id);\n  return book;",
  },
];

/** A third of the undeclared responses, which one check finds, and all other faults. */
export const SAMPLE: readonly PlantedFault[] = FAULTS.filter(
  ({ property }, index) => property !== "declared" || index % 3 === 0,
);
