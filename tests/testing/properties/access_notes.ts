/** An application with notes, whose parts a test replaces to plant a fault. */
import {
  content,
  HttpError,
  type MethodSchema,
  type StandardSchemaV1,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import type { Modules } from "../support.ts";

export interface Note {
  readonly id: string;
  text: string;
  role: string;
  isRead: boolean;
  edited: boolean;
  owner: string;
  files?: readonly string[];
}

/** A request whose user sees or changes a note. */
export interface Access {
  readonly request: Request;
  readonly user: string;
  readonly note: Note;
  readonly notes: Map<string, Note>;
}

// deno-lint-ignore no-explicit-any
export type Body = any;

export const Note = z.object({
  id: z.string(),
  text: z.string(),
  role: z.enum(["member", "admin"]),
  isRead: z.boolean(),
  edited: z.boolean(),
  owner: z.string(),
});
const File = z.object({ fileId: z.string() });

export const isOwner = ({ user, note }: Access): boolean => note.owner === user;

export const missing = (id: string): Response => {
  throw new HttpError(404, `There is no note ${id}`);
};

export const DECLARED = {
  read: { access: "owner", response: { 200: Note, 404: Problem } },
  change: { access: "owner", response: { 200: Note, 404: Problem } },
  remove: { access: ["owner", "admin"], response: { 204: {}, 404: Problem } },
  list: { access: "owner" },
  files: {
    access: "owner",
    response: { 200: z.array(z.string()), 404: Problem },
  },
  addFile: { access: "owner", response: { 201: File, 404: Problem } },
  open: { access: "owner", response: { 200: File, 404: Problem } },
  csv: {
    access: "owner",
    response: { 200: content("text/csv"), 404: Problem },
  },
  stats: {
    access: ["admin"],
    response: { 200: z.object({ notes: z.int() }), 403: Problem },
  },
} satisfies Record<string, MethodSchema>;

export const MAY = {
  mayRead: isOwner,
  mayChange: isOwner,
  mayRemove: (access: Access) => isOwner(access) || access.user === "admin",
  mayList: isOwner,
  mayFile: isOwner,
  mayEnter: isOwner,
  mayOpen: ({ note }: Access, fileId: string) =>
    note.files?.includes(fileId) ?? false,
  mayCsv: isOwner,
  mayStats: (user: string): boolean => user === "admin",
};

/** The parts of an application with notes, which a test replaces to plant a fault. */
export const PARTS = {
  ...(DECLARED as Record<keyof typeof DECLARED, MethodSchema>),
  ...MAY,
  body: z.object({ text: z.string() }) as StandardSchemaV1,
  /** Responds if there is no note. */
  missing: (id: string, _request: Request): Response => missing(id),
  /** Responds to users who may not reach a note. */
  refuse: ({ note }: Access): Response => missing(note.id),
  refuseChange: ({ note }: Access, _body: Body): Response => missing(note.id),
  set: (note: Note, body: Body, _raw: Body): void => {
    note.text = body.text;
  },
  add: (note: Note, _raw: Body): Note => note,
};

export type Parts = Partial<typeof PARTS>;

/** An application with notes; the test resets its state, as that of a database. */
export class NotesApplication {
  readonly #notes = new Map<string, Note>();
  #last = 0;
  readonly modules: Modules;

  constructor(parts: Parts = {}) {
    this.modules = this.#modulesOf({ ...PARTS, ...parts });
  }

  readonly reset = (): void => {
    this.#last = 0;
    this.#notes.clear();
  };

  #modulesOf(part: typeof PARTS): Modules {
    const notes = this.#notes;
    /** Calls back with the note of a request, if its user may reach the note. */
    const withNote = (
      request: Request & { readonly params: Record<string, string> },
      may: (access: Access) => boolean,
      { respond, refuse = part.refuse }: {
        readonly respond: (access: Access) => Response;
        readonly refuse?: (access: Access) => Response;
      },
    ): Response => {
      const id = request.params.id!;
      const note = notes.get(id);
      if (note === undefined) return part.missing(id, request);
      const access = { request, user: userOf(request), note, notes };
      return may(access) ? respond(access) : refuse(access);
    };
    return {
      "middleware.ts": {
        contract: { security: [{ bearer: [] }], response: { 401: Problem } },
        default: (request, next) => {
          const token = request.headers.get("authorization") ?? "";
          if (/^Bearer (?:alice|bob|admin)$/.test(token)) return next();
          throw new HttpError(401, "Show a token");
        },
      },
      "notes/route.ts": {
        schema: {
          get: { response: z.array(Note), ...part.list },
          post: {
            access: "shared",
            body: part.body,
            response: { 201: Note },
          },
        },
        GET: (request) => {
          const user = userOf(request);
          return Response.json(
            [...notes.values()].filter((note) =>
              part.mayList({ request, user, note, notes })
            ),
          );
        },
        POST: async (request) => {
          const note = part.add({
            id: String(++this.#last),
            text: request.validated.body.text,
            role: "member",
            isRead: false,
            edited: false,
            owner: userOf(request),
          }, await rawOf(request));
          notes.set(note.id, note);
          return Response.json(note, { status: 201 });
        },
      },
      "notes/[id]/route.ts": {
        schema: {
          get: part.read,
          patch: { ...part.change, body: part.body },
          delete: part.remove,
        },
        GET: (request) =>
          withNote(request, part.mayRead, {
            respond: ({ note }) => Response.json(note),
          }),
        PATCH: async (request) => {
          const { body } = request.validated;
          const raw = await rawOf(request);
          return withNote(request, part.mayChange, {
            respond: ({ note }) => {
              part.set(note, body, raw);
              return Response.json(note);
            },
            refuse: (access) => part.refuseChange(access, body),
          });
        },
        DELETE: (request) =>
          withNote(request, part.mayRemove, {
            respond: ({ note }) => {
              notes.delete(note.id);
              return new Response(null, { status: 204 });
            },
          }),
      },
      "notes/[id]/files/route.ts": {
        schema: {
          get: part.files,
          post: { ...part.addFile, body: z.object({ name: z.string() }) },
        },
        GET: (request) =>
          withNote(request, part.mayFile, {
            respond: ({ note }) => Response.json(note.files ?? []),
          }),
        POST: (request) =>
          withNote(request, part.mayFile, {
            respond: ({ note }) => {
              const fileId = String(++this.#last);
              note.files = [...note.files ?? [], fileId];
              return Response.json({ fileId }, { status: 201 });
            },
          }),
      },
      "notes/[id]/files/[fileId]/route.ts": {
        schema: { get: part.open },
        GET: (request) =>
          withNote(request, part.mayEnter, {
            respond: (access) => {
              const { fileId } = request.params;
              if (part.mayOpen(access, fileId!)) {
                return Response.json({ fileId });
              }
              throw new HttpError(404, `There is no file ${fileId}`);
            },
          }),
      },
      "notes/[id]/csv/route.ts": {
        schema: { get: part.csv },
        GET: (request) =>
          withNote(request, part.mayCsv, {
            respond: ({ note }) =>
              new Response("id\n" + note.id, {
                headers: { "content-type": "text/csv" },
              }),
          }),
      },
      "stats/route.ts": {
        schema: { get: part.stats },
        GET: (request) => {
          if (part.mayStats(userOf(request))) {
            return Response.json({ notes: notes.size });
          }
          throw new HttpError(403, "Only for the admin");
        },
      },
    };
  }
}

function userOf(request: Request): string {
  return request.headers.get("authorization")!.slice("Bearer ".length);
}

/** The body as it was sent, including members that its schema drops. */
export async function rawOf(request: Request): Promise<Body> {
  return await request.clone().json().catch(() => ({}));
}
