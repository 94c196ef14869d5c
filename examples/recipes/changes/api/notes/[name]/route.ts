import {
  content,
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  assertMatch,
  notModified,
  preconditions,
} from "@bough/framework/protect";
import { z } from "zod";
import { mergePatch } from "../../../merge_patch.ts";
import { Note, NotePatch } from "../../../note.ts";
import {
  findNote,
  removeNote,
  saveNote,
  type Version,
} from "../../../notes.ts";

const headers = z.object({ etag: z.string() });

export const schema = {
  get: { response: { 200: { body: Note, headers }, 404: Problem } },
  put: { body: Note, response: { 201: { headers }, 204: { headers } } },
  patch: {
    body: content("application/merge-patch+json", NotePatch),
    response: { 200: { body: Note, headers }, 404: Problem, 422: Problem },
  },
  delete: { response: { 204: {}, 404: Problem } },
} satisfies RouteSchema;

/** Declares the headers and statuses of versions; a change must name a version. */
export const middleware = [preconditions({ required: true })];

/** Sends a note, or 304 if the client has it. */
export function GET(request: FrameworkRequest<"/notes/[name]">): Response {
  const { note, tag } = existing(request.params.name);
  const headers = { etag: tag, "cache-control": "private, no-cache" };
  return notModified(request, tag, headers) ??
    respond(schema.get, 200, note, { headers });
}

/** Creates or replaces a note. */
export function PUT(
  request: FrameworkRequest<typeof schema.put, "/notes/[name]">,
): Response {
  const { params: { name }, validated: { body } } = request;
  const current = findNote(name);
  assertMatch(request, current?.tag);
  const headers = { etag: saveNote(name, body, current?.tag) };
  return respond(schema.put, current ? 204 : 201, { headers });
}

/** Changes the members that the body names. */
export function PATCH(
  request: FrameworkRequest<typeof schema.patch, "/notes/[name]">,
): Response {
  const { params: { name }, validated: { body } } = request;
  const { note, tag } = existing(name);
  assertMatch(request, tag);
  const merged = Note.safeParse(mergePatch(note, body));
  if (!merged.success) {
    const { issues } = merged.error;
    throw new HttpError(422, "The note would be invalid", { errors: issues });
  }
  const headers = { etag: saveNote(name, merged.data, tag) };
  return respond(schema.patch, 200, merged.data, { headers });
}

/** Removes a note. */
export function DELETE(request: FrameworkRequest<"/notes/[name]">): Response {
  const { name } = request.params;
  const { tag } = existing(name);
  assertMatch(request, tag);
  removeNote(name, tag);
  return respond(schema.delete, 204);
}

function existing(name: string): Version {
  const version = findNote(name);
  if (version === undefined) throw new HttpError(404);
  return version;
}
