import { HttpError } from "@bough/framework";
import { DatabaseSync } from "node:sqlite";
import type { Note } from "./note.ts";

/** A note, and the tag of its version. */
export interface Version {
  readonly note: Note;
  readonly tag: string;
}

const database = new DatabaseSync(":memory:"); // or the path of a file
database.exec(`CREATE TABLE IF NOT EXISTS notes
  (name TEXT PRIMARY KEY, note TEXT NOT NULL, tag TEXT NOT NULL)`);

const select = database.prepare("SELECT note, tag FROM notes WHERE name = ?");
const insert = database.prepare(`INSERT INTO notes (note, tag, name)
  VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`);
const update = database.prepare(`UPDATE notes SET note = ?, tag = ?
  WHERE name = ? AND tag = ?`);
const remove = database.prepare("DELETE FROM notes WHERE name = ? AND tag = ?");

/** Returns the current version of a note. */
export function findNote(name: string): Version | undefined {
  const row = select.get(name);
  return row && { note: JSON.parse(String(row.note)), tag: String(row.tag) };
}

/**
 * Writes a note if its version is still `tag`, or if it is still missing.
 *
 * @returns The tag of the new version.
 * @throws {HttpError} 412 if another request has changed the note meanwhile.
 */
export function saveNote(name: string, note: Note, tag?: string): string {
  const next = `"${crypto.randomUUID()}"`; // never used for another version
  const values = [JSON.stringify(note), next, name];
  const { changes } = tag === undefined
    ? insert.run(...values) // does nothing if the note exists
    : update.run(...values, tag); // WHERE name = ? AND tag = ?
  if (changes === 0) throw new HttpError(412);
  return next;
}

/** @throws {HttpError} 412 if another request has changed the note meanwhile. */
export function removeNote(name: string, tag: string): void {
  if (remove.run(name, tag).changes === 0) throw new HttpError(412);
}

/** Removes all notes, for tests. */
export function clearNotes(): void {
  database.exec("DELETE FROM notes");
}
