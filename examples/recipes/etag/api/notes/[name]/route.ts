import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import { z } from "zod";
import { makeNote, notes } from "../../../notes.ts";
import { assertUnchanged, isKnown } from "../../../preconditions.ts";

export const schema = {
  put: { body: z.object({ text: z.string() }) },
} satisfies RouteSchema;

/** Sends a note, or a 304 to who has it. */
export function GET(request: FrameworkRequest<"/notes/[name]">): Response {
  const note = notes.get(request.params.name);
  if (note === undefined) throw new HttpError(404);
  const headers = { "etag": note.tag, "cache-control": "private, no-cache" };
  if (isKnown(request, note.tag)) {
    return new Response(null, { status: 304, headers });
  }
  return Response.json({ text: note.text }, { headers });
}

/** Creates or replaces a note. */
export async function PUT(
  request: FrameworkRequest<typeof schema.put, "/notes/[name]">,
): Promise<Response> {
  const { name } = request.params;
  const note = await makeNote(request.validated.body.text);
  // Do not await anything between this check and the change. With a database, use
  // one statement for both: UPDATE … WHERE name = ? AND tag = ?
  const current = notes.get(name);
  assertUnchanged(request, current?.tag);
  notes.set(name, note);
  return new Response(null, {
    status: current === undefined ? 201 : 204,
    headers: { etag: note.tag },
  });
}

/** Removes a note. */
export function DELETE(request: FrameworkRequest<"/notes/[name]">): Response {
  const { name } = request.params;
  const current = notes.get(name);
  if (current === undefined) throw new HttpError(404);
  assertUnchanged(request, current.tag);
  notes.delete(name);
  return new Response(null, { status: 204 });
}
