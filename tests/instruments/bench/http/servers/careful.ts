/** Checks the type and the length of a body before reading it. */
import { Book } from "./book.ts";
import { serveByHand } from "./by_hand.ts";

const BODY_LIMIT = 1_048_576;

serveByHand({
  async echo(request) {
    const refusal = refuse(request.headers);
    if (refusal !== undefined) return refusal;
    return Response.json(await request.json());
  },
  async book(request) {
    const refusal = refuse(request.headers);
    if (refusal !== undefined) return refusal;
    const result = Book.safeParse(await request.json());
    return result.success
      ? Response.json({ title: result.data.title })
      : Response.json(result.error, { status: 400 });
  },
});

function refuse(headers: Headers): Response | undefined {
  const type = headers.get("content-type");
  if (type !== "application/json" && !type?.startsWith("application/json;")) {
    return new Response("Unsupported Media Type", { status: 415 });
  }
  const length = headers.get("content-length");
  if (length === null) return new Response("Length Required", { status: 411 });
  return Number(length) > BODY_LIMIT
    ? new Response("Content Too Large", { status: 413 })
    : undefined;
}
