import { HttpError } from "@bough/framework";
import type { Receipt } from "../schemas.ts";
import type { Store } from "./database.ts";
import { touch } from "./reports.ts";

const RECEIPT = "id, name, type, length(content) AS bytes";

/** Lists the receipts of a report, the oldest first. */
export function listReceipts(store: Store, report: number): Receipt[] {
  return store.all(
    `SELECT ${RECEIPT} FROM receipts WHERE report = :report ORDER BY id`,
    { report },
  );
}

/** A receipt of a report with its content; 404 if there is none. */
export function getReceipt(
  store: Store,
  report: number,
  id: number,
): Receipt & { content: Uint8Array<ArrayBuffer> } {
  const receipt = store.get<Receipt & { content: Uint8Array<ArrayBuffer> }>(
    `SELECT ${RECEIPT}, content FROM receipts
     WHERE id = :id AND report = :report`,
    { id, report },
  );
  if (receipt !== undefined) return receipt;
  throw new HttpError(404, `There is no receipt ${id}`);
}

/** Adds a receipt to a report. */
export function addReceipt(
  store: Store,
  report: number,
  file: Pick<File, "name" | "type">,
  content: Uint8Array<ArrayBuffer>,
): Receipt {
  const name = safeName(file.name);
  const { id } = store.run(
    `INSERT INTO receipts (report, name, type, content)
     VALUES (:report, :name, :type, :content)`,
    { report, name, type: file.type, content },
  );
  touch(store, report);
  return { id, name, type: file.type, bytes: content.length };
}

/** Removes a receipt; 404 if there is none. */
export function removeReceipt(store: Store, report: number, id: number): void {
  getReceipt(store, report, id);
  store.run("DELETE FROM receipts WHERE id = :id", { id });
  touch(store, report);
}

/** The name without its folders and control characters, of at most 100 characters. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!.toWellFormed();
  const safe = [...last.replaceAll(/\p{Cc}/gu, "")].slice(0, 100).join("");
  return safe.trim() || "receipt";
}
