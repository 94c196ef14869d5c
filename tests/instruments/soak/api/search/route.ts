import type { FrameworkRequest } from "@bough/framework";
import { z } from "zod";

export const schema = {
  get: {
    query: z.object({
      text: z.string().min(2),
      page: z.coerce.number().int().min(1).default(1),
      tag: z.array(z.string()).optional(),
    }),
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return Response.json(request.validated.query);
}
