import type { Decision, Status } from "../schemas.ts";
import { now, type Store } from "./database.ts";
import type { Viewer } from "./users.ts";

/** A message of a chat. */
export interface ChatMessage {
  readonly id: number;
  readonly from: string;
  readonly text: string;
  readonly at: string;
}

/** A message that the server sends. */
export type ChatSent =
  | { type: "welcome"; status: Status; messages: ChatMessage[] }
  | { type: "message"; message: ChatMessage }
  | { type: "decided"; decision: Decision; by: string }
  | { type: "error"; detail: string };

/** Adds a message to the chat about a report. */
export function addMessage(
  store: Store,
  report: number,
  author: Viewer,
  text: string,
): ChatMessage {
  const at = now();
  const { id } = store.run(
    `INSERT INTO messages (created_at, report, author, text)
     VALUES (:at, :report, :author, :text)`,
    { at, report, author: author.id, text },
  );
  return { id, from: author.name, text, at };
}

/** The last 20 messages about a report, the oldest first. */
export function listMessages(store: Store, report: number): ChatMessage[] {
  return store.all<ChatMessage>(
    `SELECT messages.id, name AS "from", text, messages.created_at AS at
     FROM messages JOIN users ON users.id = author
     WHERE report = :report ORDER BY messages.id DESC LIMIT 20`,
    { report },
  ).reverse();
}

/** Sends a message to every client in the chat about a report. */
export function broadcast(store: Store, report: number, sent: ChatSent): void {
  for (const socket of store.rooms.get(report) ?? []) socket.send(sent);
}
