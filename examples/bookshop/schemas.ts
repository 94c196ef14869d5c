import { z } from "zod";

/** An id in a path: digits, as a number. */
export const id = z.string().regex(/^[1-9]\d{0,14}$/, "must be a whole number")
  .transform(Number);

/** A price in cents. */
export const cents = z.int().min(0).max(1_000_000);

/** A text that says something. */
export const text = z.string().trim().min(1).max(500);
