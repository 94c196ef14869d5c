import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";

export const schema = {
  post: {
    body: z.object({ file: z.file().max(100_000) }),
    response: { 200: z.object({ filename: z.string(), size: z.int() }) },
  },
} satisfies RouteSchema;

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { name, size } = request.validated.body.file;
  return respond(schema.post, 200, { filename: name, size });
}
