import { DatabaseSync } from "node:sqlite";
import { sendMail } from "./mail.ts";

let database: DatabaseSync;
let last: Promise<void> = Promise.resolve();

/** Opens the file with the mails to send. */
export function openMails(path: string): DatabaseSync {
  database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE IF NOT EXISTS mails (
      id INTEGER PRIMARY KEY,
      recipient TEXT NOT NULL,
      text TEXT NOT NULL
    )
  `);
  return database;
}

/** Stores a mail, in the same transaction as the order if the order is in the database. */
export function storeMail(recipient: string, text: string): void {
  database.prepare("INSERT INTO mails (recipient, text) VALUES (?, ?)")
    .run(recipient, text);
}

/** Sends the stored mails in turn. A mail that fails stays stored, with all later mails. */
export function sendMails(): Promise<void> {
  return last = last.then(sendAll, sendAll);
}

async function sendAll(): Promise<void> {
  const mails = database.prepare("SELECT * FROM mails ORDER BY id").all();
  for (const { id, recipient, text } of mails) {
    await sendMail(String(recipient), String(text));
    database.prepare("DELETE FROM mails WHERE id = ?").run(id!);
  }
}
