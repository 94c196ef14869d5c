/** An application with notes, whose parts a test replaces to plant a fault. */
import {
  HttpError,
  type MethodSchema,
  type StandardSchemaV1,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { type Handler, type Modules, Store } from "../support.ts";

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
  readonly #notes = new Store<Note>();
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
    const next = () => String(++this.#last);
    /** Handles a request for a note, if its user may reach the note. */
    const at = (
      may: (access: Access) => boolean,
      respond: (access: Access, body: Body, raw: Body) => Response,
      refuse: (access: Access, body: Body) => Response = part.refuse,
    ): Handler =>
    async (request) => {
      const { params: { id = "" }, validated: { body } } = request;
      const raw = await rawOf(request);
      const note = notes.get(id);
      if (note === undefined) return part.missing(id, request);
      const access = { request, user: userOf(request), note, notes };
      return may(access) ? respond(access, body, raw) : refuse(access, body);
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
          post: { access: "shared", body: part.body, response: { 201: Note } },
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
            id: next(),
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
        GET: at(part.mayRead, ({ note }) => Response.json(note)),
        PATCH: at(part.mayChange, ({ note }, body, raw) => {
          part.set(note, body, raw);
          return Response.json(note);
        }, part.refuseChange),
        DELETE: at(part.mayRemove, ({ note }) => notes.remove(note.id)),
      },
      "notes/[id]/files/route.ts": {
        schema: {
          get: part.files,
          post: { ...part.addFile, body: z.object({ name: z.string() }) },
        },
        GET: at(part.mayFile, ({ note }) => Response.json(note.files ?? [])),
        POST: at(part.mayFile, ({ note }) => {
          const fileId = next();
          note.files = [...note.files ?? [], fileId];
          return Response.json({ fileId }, { status: 201 });
        }),
      },
      "notes/[id]/files/[fileId]/route.ts": {
        schema: { get: part.open },
        GET: at(part.mayEnter, (access) => {
          const fileId = access.request.url.split("/").at(-1)!;
          if (part.mayOpen(access, fileId)) return Response.json({ fileId });
          throw new HttpError(404, `There is no file ${fileId}`);
        }),
      },
      "stats/route.ts": {
        schema: { get: part.stats },
        GET: (request) => {
          if (!part.mayStats(userOf(request))) {
            throw new HttpError(403, "Only for the admin");
          }
          return Response.json({ notes: notes.size });
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
