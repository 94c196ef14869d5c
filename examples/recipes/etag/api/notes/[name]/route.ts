import {
  type FrameworkRequest,
  HttpError,
  type RouteSchema,
} from "@bough/framework";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { makeNote, notes } from "../../../notes.ts";

const Note = z.object({ text: z.string() });

export const schema = {
  get: { response: { 200: Note, 404: Problem } },
  put: { body: Note, response: { 201: {}, 204: {} } },
  delete: { response: { 204: {}, 404: Problem } },
} satisfies RouteSchema;

/** Declares the headers and statuses of versions; a change must name a version. */
export const middleware = [preconditions({ required: true })];

/** Sends a note, or 304 if the client has it. */
export function GET(request: FrameworkRequest<"/notes/[name]">): Response {
  const note = notes.get(request.params.name);
  if (note === undefined) throw new HttpError(404);
  const headers = { "etag": note.tag, "cache-control": "private, no-cache" };
  return notModified(request, note.tag, headers) ??
    Response.json({ text: note.text }, { headers });
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
  assertMatch(request, current?.tag);
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
  assertMatch(request, current.tag);
  notes.delete(name);
  return new Response(null, { status: 204 });
}
