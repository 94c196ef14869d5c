import { z } from "zod";

export const Book = z.object({
  title: z.string().min(1),
  author: z.string().min(1),
  cents: z.int().min(0),
  tags: z.array(z.string()),
});
