import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { Todo, todos } from "../../model.ts";

export const schema = {
  get: { response: z.object({ todos: z.array(Todo) }) },
  post: { body: Todo, response: { 201: z.object({ message: z.string() }) } },
} satisfies RouteSchema;

export const GET = () => respond(schema.get, 200, { todos });

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  todos.push(request.validated.body); // from JSON or a form
  return respond(schema.post, 201, { message: "created!" });
}
