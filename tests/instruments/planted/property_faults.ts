import type { PropertyName } from "@bough/framework/testing";
import type { PlantedFault } from "./fault.ts";

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

interface Fault extends PlantedFault {
  readonly property: PropertyName;
}

type Row = readonly [name: string, file: string, find: string, replace: string];

/** The faults by the property that each of them breaks. */
const BY_PROPERTY: Readonly<Partial<Record<PropertyName, readonly Row[]>>> = {
  declared: [
    // Status.
    [
      "an added book is a 200",
      BOOKS,
      "respond(schema.post, 201, book, {",
      "Response.json(book, {\n    status: 200,",
    ],
    [
      "an order is a 202",
      ORDERS,
      "respond(schema.post, 201, order, {",
      "Response.json(order, {\n    status: 202,",
    ],
    [
      "a removed book is a 200",
      BOOK,
      "respond(schema.delete, 204)",
      "Response.json({ removed: true })",
    ],
    [
      "a missing book is a 410",
      "store/books.ts",
      "HttpError(404, `There is no book ${id}`)",
      "HttpError(410, `There is no book ${id}`)",
    ],
    [
      "a missing author is a 400",
      "store/authors.ts",
      "HttpError(404",
      "HttpError(400",
    ],
    [
      "an order of an unknown book is a 404",
      "store/orders.ts",
      "HttpError(422",
      "HttpError(404",
    ],
    [
      "an order of too many copies is a 418",
      "store/orders.ts",
      "HttpError(409",
      "HttpError(418",
    ],
    [
      "a book that is in the shop already is a 422",
      "store/books.ts",
      'HttpError(409, `"${title}" by',
      'HttpError(422, `"${title}" by',
    ],
    // Shape.
    [
      "a book lacks its author",
      "store/books.ts",
      "authors.name AS author",
      "authors.name AS writer",
    ],
    [
      "the price of a book is a text",
      "store/books.ts",
      "AS author, cents, stock",
      "AS author, CAST(cents AS TEXT) AS cents, stock",
    ],
    [
      "an author lacks the books",
      "store/authors.ts",
      'return { ...author, books: books as unknown as AuthorWithBooks["books"] };',
      "return { ...author };",
    ],
    [
      "the books of an author lack their ids",
      "store/authors.ts",
      "SELECT id, title FROM books",
      "SELECT title FROM books",
    ],
    [
      "the reviews are no list",
      REVIEWS,
      "respond(schema.get, 200, reviewsOf(request.validated.params.bookId))",
      "Response.json({ reviews: reviewsOf(request.validated.params.bookId) })",
    ],
    [
      "the stars of a review are doubled",
      "store/reviews.ts",
      "SELECT id, stars, text FROM reviews WHERE book_id = ? AND id = ?",
      "SELECT id, stars * 2 AS stars, text FROM reviews WHERE book_id = ? AND id = ?",
    ],
    [
      "the items of an order lack their titles",
      "store/orders.ts",
      "SELECT book_id AS bookId, title, count",
      "SELECT book_id AS bookId, count",
    ],
    [
      "the process is dead",
      "api/health/live/route.ts",
      'respond(schema.get, 200, { status: "alive" })',
      'Response.json({ status: "dead" })',
    ],
    [
      "the covers are objects",
      "api/covers/route.ts",
      "respond(schema.get, 200, paths.sort())",
      "Response.json(paths.sort().map((path) => ({ path })))",
    ],
    // Media type and headers.
    [
      "a cover is sent without its media type",
      "api/covers/[...]/route.ts",
      "return await sendFile(request, join(FOLDER, ...segments));",
      "return new Response(await Deno.readFile(join(FOLDER, ...segments)));",
    ],
    [
      "a book is sent as a plain text",
      BOOK,
      "return respond(schema.get, 200, getBook(request.validated.params.bookId));",
      "return new Response(JSON.stringify(getBook(request.validated.params.bookId)));",
    ],
    [
      "an added book lacks its location",
      BOOKS,
      "headers: { location: `/api/books/${book.id}` },",
      "",
    ],
  ],
  failure: [
    // Failures, some at the edge of what a schema allows.
    [
      "a search with a percent sign fails",
      BOOKS,
      "findBooks(search, {",
      "findBooks(decodeURIComponent(search), {",
    ],
    [
      "a review of the greatest length fails",
      REVIEWS,
      "const review = addReview",
      'if (body.text.length > 400) throw new Error("too long");\n  const review = addReview',
    ],
    [
      "a change of nothing fails",
      BOOK,
      "return respond(schema.patch, 200, changeBook(params.bookId, body));",
      'if (Object.keys(body).length === 0) throw new Error("SQL: SET WHERE");\n  return respond(schema.patch, 200, changeBook(params.bookId, body));',
    ],
    [
      "an order that names a book twice fails",
      "store/orders.ts",
      "ON CONFLICT DO UPDATE SET count = count + excluded.count",
      "",
    ],
    [
      "an order of more than there is fails",
      "store/orders.ts",
      "WHERE id = ? AND stock >= ?",
      "WHERE id = ? AND ? > 0",
    ],
    [
      "the greatest stock fails",
      "api/(admin)/stock/[bookId]/route.ts",
      "const { params, body } = request.validated;",
      'const { params, body } = request.validated;\n  if (body.stock === 10_000) throw new Error("overflow");',
    ],
    [
      "the list of authors never comes",
      "api/authors/route.ts",
      "export function GET(): Response {",
      "export async function GET(): Promise<Response> {\n  await new Promise(() => {});",
    ],
  ],
  accepted: [
    [
      "a large page of the list is refused",
      BOOKS,
      "return respond(schema.get, 200, findBooks(",
      'if (limit > 100) return Response.json({ errors: [{ in: "query", pointer: "#/limit", detail: "too large" }] }, { status: 400 });\n  return respond(schema.get, 200, findBooks(',
    ],
    [
      "a free book is refused",
      BOOKS,
      "const book = addBook(request.validated.body);",
      "if (request.validated.body.cents === 0) return Response.json({ errors: [] }, { status: 400 });\n  const book = addBook(request.validated.body);",
    ],
  ],
  refused: [
    [
      "what does not fit is a 422",
      "api/books/middleware.ts",
      "",
      respondInstead(
        400,
        "new Response(await response.text(), { status: 422, headers: response.headers })",
      ),
    ],
    [
      "the refusal of an order does not name the place",
      "api/orders/middleware.ts",
      "export default [",
      respondFirst(
        400,
        'Response.json({ type: "about:blank", title: "Bad Request", status: 400 }, { status: 400, headers: { "content-type": "application/problem+json" } })',
      ),
    ],
    [
      "a review that is too large passes",
      "api/books/[bookId]/reviews/middleware.ts",
      "",
      respondInstead(
        413,
        'Response.json({ id: 1, stars: 1, text: "cut" }, { status: 201, headers: { location: "/api/books/1/reviews/1" } })',
      ),
    ],
    [
      "an order of a wrong content type is a 400",
      "api/orders/middleware.ts",
      "export default [",
      respondFirst(
        415,
        "new Response(await response.text(), { status: 400, headers: response.headers })",
      ),
    ],
  ],
  methods: [
    [
      "HEAD of the books is a 204",
      BOOKS,
      "/** `/api/books?search",
      "export function HEAD(): Response {\n  return new Response(null, { status: 204 });\n}\n\n/** `/api/books?search",
    ],
    [
      "OPTIONS of a review allows GET alone",
      REVIEW,
      "export function DELETE(",
      'export function OPTIONS(): Response {\n  return new Response(null, { status: 204, headers: { allow: "GET" } });\n}\n\nexport function DELETE(',
    ],
  ],
  security: [
    [
      "the guard is off",
      ADMIN,
      "honoMiddleware(bearerAuth({ token: ADMIN_TOKEN }))",
      "(_request: Request, next: () => Promise<Response>) => next()",
    ],
  ],
  state: [
    [
      "the location of a review leads nowhere",
      REVIEWS,
      "/api/books/${bookId}/reviews/${review.id}",
      "/api/books/${bookId}/reviews/${review.id + 1}",
    ],
    [
      "a removed review stays",
      "store/reviews.ts",
      "deleteReview().run(getReview(bookId, id).id);",
      "getReview(bookId, id);",
    ],
    [
      "a change of a book is told, and not made",
      BOOK,
      "return respond(schema.patch, 200, changeBook(params.bookId, body));",
      "const book = getBook(params.bookId);\n  if (false) changeBook(params.bookId, body);\n  return Response.json({ ...book, title: body.title ?? book.title, cents: body.cents ?? book.cents });",
    ],
    [
      "an added book is forgotten",
      "store/books.ts",
      "return getBook(Number(lastInsertRowid));",
      "const book = getBook(Number(lastInsertRowid));\n  deleteBook().run(book.id);\n  return book;",
    ],
  ],
};

/** The faults that the properties must find, all but two. */
export const FAULTS: readonly Fault[] = Object.entries(BY_PROPERTY)
  .flatMap(([property, rows]) =>
    rows.map(([name, file, find, replace]) => (
      { name, file, find, replace, property: property as PropertyName }
    ))
  );

/** A third of the undeclared responses, which one check finds, and all other faults. */
export const SAMPLE = FAULTS.filter(
  ({ property }, index) => property !== "declared" || index % 3 === 0,
);
