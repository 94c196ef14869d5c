import { eTag } from "@std/http/etag";

/** A note, and the tag of this version of it. */
export interface Note {
  readonly text: string;
  readonly tag: string;
}

/** Yours are in a database, with the tag in a column. */
export const notes = new Map<string, Note>();

/** Makes a version of a note. Its tag is a hash of all that `GET` sends. */
export async function makeNote(text: string): Promise<Note> {
  return { text, tag: await eTag(JSON.stringify({ text })) };
}
