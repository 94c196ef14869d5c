/** Trusts every body: the theoretical limit. */
import { Book } from "./book.ts";
import { serveByHand } from "./by_hand.ts";

serveByHand({
  async echo(request) {
    return Response.json(await request.json());
  },
  async book(request) {
    const result = Book.safeParse(await request.json());
    return result.success
      ? Response.json({ title: result.data.title })
      : Response.json(result.error, { status: 400 });
  },
});
