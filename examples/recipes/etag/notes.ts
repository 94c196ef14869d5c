import { eTag } from "@std/http/etag";

/** A version of a note, and its tag. */
export interface Note {
  readonly text: string;
  readonly tag: string;
}

/** In your application, a database with the tag in a column. */
export const notes = new Map<string, Note>();

/** Creates a version of a note. Its tag is a hash of the body of `GET`. */
export async function makeNote(text: string): Promise<Note> {
  return { text, tag: await eTag(JSON.stringify({ text })) };
}
