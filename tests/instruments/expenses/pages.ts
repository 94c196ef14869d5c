/** Pages of lists: cursors, and the header `Link`. */
import { z } from "zod";

const ALPHABET = { alphabet: "base64url", omitPadding: true } as const;

/** The position behind the last row of a page: its time, and its id. */
export type Position = readonly [at: string, id: number];
const Position = z.tuple([z.iso.datetime(), z.int().min(1)]);

const cursor = z.string().max(200).transform((text, context) => {
  try {
    const bytes = Uint8Array.fromBase64(text, ALPHABET);
    return Position.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    context.addIssue("must be the cursor of a page");
    return z.NEVER;
  }
});

/** The query parameters of a page. */
export const Page = z.strictObject({
  after: cursor.optional(),
  limit: z.string().regex(/^\d{1,3}$/).transform(Number)
    .pipe(z.int().min(1).max(100)).default(20),
});

/** The position before the newest row. */
export const NEWEST: Position = ["9999-12-31T23:59:59.999Z", 1];

/** The response with a page: `next` is the cursor of the next page. */
export function pageOf<Schema extends z.ZodType>(item: Schema) {
  return {
    body: z.strictObject({
      items: z.array(item),
      next: z.string().nullable(),
    }),
    headers: z.object({ link: z.string().optional() }),
  };
}

/**
 * Makes a page of rows.
 *
 * @param rows The rows behind the cursor, one more than the page holds, if there is one.
 */
export function toPage<Row extends { id: number; createdAt: string }>(
  request: Request,
  rows: readonly Row[],
  limit: number,
): { page: { items: Row[]; next: string | null }; headers: { link?: string } } {
  const items = rows.slice(0, limit);
  if (rows.length <= limit) return { page: { items, next: null }, headers: {} };
  const { createdAt, id } = items.at(-1)!;
  const position: Position = [createdAt, id];
  const next = new TextEncoder().encode(JSON.stringify(position))
    .toBase64(ALPHABET);
  const query = new URL(request.url).searchParams;
  query.set("after", next);
  return {
    page: { items, next },
    headers: { link: `<?${query}>; rel="next"` },
  };
}
