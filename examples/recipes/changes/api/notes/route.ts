import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { Note } from "../../note.ts";
import { saveNote } from "../../notes.ts";

const headers = z.object({ etag: z.string(), location: z.string() });

export const schema = {
  post: { body: Note, response: { 201: { body: Note, headers } } },
} satisfies RouteSchema;

/** Creates a note; its first tag allows a change without a `GET`. */
export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { body } = request.validated;
  const name = crypto.randomUUID();
  const headers = { etag: saveNote(name, body), location: `notes/${name}` };
  return respond(schema.post, 201, body, { headers });
}
