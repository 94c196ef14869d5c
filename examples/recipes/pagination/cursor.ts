import { z } from "zod";
import type { Cursor } from "./books.ts";

const ALPHABET = { alphabet: "base64url", omitPadding: true } as const;
const START: Cursor = ["", 0];
const Position = z.tuple([z.string(), z.int()]);

/** Encodes a cursor as a string, which clients return unchanged. */
export function encodeCursor(cursor: Cursor): string {
  return new TextEncoder().encode(JSON.stringify(cursor)).toBase64(ALPHABET);
}

/** The schema of a cursor in a query. */
export const cursor = z.string().max(1_000).transform((text, context) => {
  try {
    const bytes = Uint8Array.fromBase64(text, ALPHABET);
    return Position.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    context.addIssue("must be the cursor of a page");
    return z.NEVER;
  }
}).default([...START]);
