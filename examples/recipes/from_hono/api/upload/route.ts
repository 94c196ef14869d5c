import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";

export const config = { bodyLimit: 5 * 1024 * 1024 }; // bodyLimit({ maxSize })

export const schema = {
  post: {
    body: z.object({ file: z.file() }),
    response: {
      200: z.object({ name: z.string(), size: z.int(), type: z.string() }),
    },
  },
} satisfies RouteSchema;

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { name, size, type } = request.validated.body.file;
  return respond(schema.post, 200, { name, size, type });
}
