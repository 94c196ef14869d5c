import { z } from "zod";

/** The body of the validated case. */
export const Book = z.object({
  title: z.string().min(1),
  author: z.string().min(1),
  cents: z.int().min(0),
  tags: z.array(z.string()),
});

/** The headers of the cases with headers; every client sends them. */
export const Addressed = z.object({ host: z.string().min(1) });
