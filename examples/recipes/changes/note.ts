import { z } from "zod";

const text = z.string().min(1).max(1000);
const due = z.iso.date();
const place = { city: z.string().max(100), room: z.string().max(20) };

/** A note, as it is stored and sent. */
export const Note = z.object({
  text,
  due: due.optional(),
  tags: z.array(z.string().max(20)).max(10).optional(),
  place: z.object(place).partial({ room: true }).optional(),
});

/** A change: every member may be absent, and `null` removes an optional member. */
export const NotePatch = z.object({
  text,
  due: due.nullable(),
  tags: Note.shape.tags.unwrap().nullable(),
  place: z.object({ ...place, room: place.room.nullable() }).partial()
    .nullable(),
}).partial();

export type Note = z.infer<typeof Note>;
