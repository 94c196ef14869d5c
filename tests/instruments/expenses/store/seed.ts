import { TOKENS } from "../identities.ts";
import type { NewItem } from "../schemas.ts";
import { Store } from "./database.ts";
import { addItem } from "./items.ts";
import { addReceipt } from "./receipts.ts";
import { addReport, getReport, setStatus, submitReport } from "./reports.ts";
import { addUser, type Viewer } from "./users.ts";

const MINUTE = 60 * 1_000;
const TITLES = ["Fair in Leipzig", "Books", "Team dinner", "Visit to Oslo"];
const ITEMS: NewItem[] = [
  { date: "2026-02-27", category: "travel", cents: 8_950, note: "Train" },
  { date: "2026-02-28", category: "meals", cents: 2_340, note: null },
];

/** Creates a store with an administrator, two users, and their reports. */
export function createStore(): Store {
  const store = new Store();
  const admin = addViewer(store, "admin");
  store.run("UPDATE users SET role = 'admin' WHERE id = :id", { id: admin.id });
  const users = [addViewer(store, "alice"), addViewer(store, "bob")];
  for (const title of TITLES) {
    for (const user of users) addFilled(store, user, admin, title);
  }
  store.run("UPDATE reports SET created_at = '2026-03-01T09:00:00.000Z'");
  store.run(
    `INSERT INTO payments (created_at, report, cents)
     SELECT created_at, id, 1000 FROM reports WHERE status = 'approved'`,
  );
  addSession(store, TOKENS.expired, users[0]!.id, -MINUTE);
  return store;
}

/** Adds a report with items and a receipt, in the state that its title implies. */
function addFilled(
  store: Store,
  user: Viewer,
  admin: Viewer,
  title: string,
): void {
  const purpose = `For ${user.name}`;
  const added = addReport(store, user, { title, purpose, currency: "EUR" });
  const { id } = added.report;
  for (const item of ITEMS) addItem(store, id, item);
  const content = new TextEncoder().encode("%PDF-1.7");
  const type = "application/pdf";
  addReceipt(store, id, { name: "ticket.pdf", type }, content);
  if (title === "Books") submitReport(store, getReport(store, user, id));
  if (title === "Team dinner") setStatus(store, id, "approved", admin.id);
}

function addViewer(store: Store, name: keyof typeof TOKENS): Viewer {
  const email = `${name}@example.com`;
  const user = addUser(store, { name, email, password: `${name}-password` });
  return {
    ...user,
    token: TOKENS[name],
    expiresAt: addSession(store, TOKENS[name], user.id, 24 * 60 * MINUTE),
  };
}

function addSession(
  store: Store,
  token: string,
  user: number,
  milliseconds: number,
): string {
  const expiresAt = new Date(Date.now() + milliseconds).toISOString();
  store.run("INSERT INTO sessions VALUES (:token, :user, :expiresAt)", {
    token,
    user,
    expiresAt,
  });
  return expiresAt;
}
