import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";

export const schema = {
  get: {
    query: z.object({ name: z.string() }),
    response: z.object({ message: z.string() }),
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { name } = request.validated.query;
  return respond(schema.get, 200, { message: `Hello! ${name}` });
}
