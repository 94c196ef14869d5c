import { Problem } from "@bough/framework/openapi";
import { z } from "zod";
import { type Modules, Store } from "./support.ts";

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly n?: number;
}

const text = z.string().min(1).max(5);

/** The parts of an application with notes, which a test replaces to plant a fault. */
const PARTS = {
  nextId: (_notes: Store<Note>): string => crypto.randomUUID(),
  body: z.object({ text, n: z.int() }) as z.ZodType<Omit<Note, "id">>,
  /** The value that a `POST` stores; `undefined` if it stores nothing. */
  created: (note: Note): Note | undefined => note,
  /** The value that a `PATCH` stores; `undefined` if it deletes the note. */
  changed: (note: Note): Note | undefined => note,
  deletes: true,
  /** The status of a deletion; `undefined` without `DELETE`. */
  deleted: 204 as number | undefined,
  located: (_note: Note): Record<string, string> => ({}),
  response: (note: Note): object => note,
  status: 201,
  read: (note: Note): Response => Response.json(note),
};

export type Parts = Partial<typeof PARTS> & {
  readonly notes?: Store<Note>;
};

export function notesWith(parts: Parts = {}): Modules {
  const { notes, ...part } = {
    ...PARTS,
    notes: new Store<Note>(),
    ...parts,
  };
  const set = (id: string, note: Note | undefined) =>
    note === undefined ? notes.delete(id) : notes.set(id, note);
  const response = { 404: Problem };
  return {
    "notes/route.ts": {
      schema: { post: { body: part.body } },
      POST: ({ validated: { body } }) => {
        const note: Note = { id: part.nextId(notes), ...body };
        set(note.id, part.created(note));
        return Response.json(part.response(note), {
          status: part.status,
          headers: part.located(note),
        });
      },
    },
    "notes/[id]/route.ts": {
      schema: {
        get: { response },
        patch: { body: z.object({ text }), response },
        ...(part.deleted && { delete: { response } }),
      },
      GET: ({ params }) => part.read(notes.find(params.id)),
      PATCH: ({ params, validated: { body } }) => {
        const note = { ...notes.find(params.id), ...body };
        set(note.id, part.changed(note));
        return Response.json(note);
      },
      ...(part.deleted && {
        DELETE: ({ params }) => {
          const { id } = notes.find(params.id);
          if (part.deletes) notes.delete(id);
          return new Response(null, { status: part.deleted! });
        },
      }),
    },
  };
}
