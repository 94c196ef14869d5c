import { HttpError } from "@bough/framework";
import type { Position } from "../pages.ts";
import type {
  Decision,
  NewReport,
  Report,
  ReportChanges,
  Status,
  Submission,
} from "../schemas.ts";
import { now, type Store } from "./database.ts";
import type { Viewer } from "./users.ts";

const REPORT = `
  reports.id, title, purpose, currency, status, created_at AS createdAt,
  decided_by AS decidedBy,
  (SELECT coalesce(sum(cents), 0) FROM items WHERE report = reports.id) AS cents`;

/** A report with its version and its owner, which responses do not contain. */
export interface StoredReport {
  readonly report: Report;
  readonly version: number;
  readonly owner: number;
}

/** A report of a user; 404 if there is none, or if it belongs to another user. */
export function getReport(
  store: Store,
  user: Pick<Viewer, "id">,
  id: number,
): StoredReport {
  const found = findReport(store, id);
  if (found === undefined || found.owner !== user.id) throw missing(id);
  return found;
}

/** A report that a user may discuss; administrators may discuss all reports. */
export function getVisibleReport(
  store: Store,
  user: Viewer,
  id: number,
): StoredReport {
  const found = findReport(store, id);
  if (found !== undefined && user.role === "admin") return found;
  return getReport(store, user, id);
}

/** A report of a user that can still be changed; 409 if it was submitted. */
export function getDraft(store: Store, user: Viewer, id: number): StoredReport {
  const found = getReport(store, user, id);
  const { status } = found.report;
  if (status !== "draft" && status !== "rejected") {
    throw new HttpError(409, `Report ${id} is ${status}`, { state: status });
  }
  return found;
}

/** A report of any user, for administrators and events. */
export function findReport(store: Store, id: number): StoredReport | undefined {
  const row = store.get<Report & { version: number; owner: number }>(
    `SELECT ${REPORT}, version, owner FROM reports WHERE id = :id`,
    { id },
  );
  if (row === undefined) return undefined;
  const { version, owner, ...report } = row;
  return { report, version, owner };
}

/** Lists the reports of a user, the newest first. */
export function listReports(
  store: Store,
  user: Viewer,
  { status, position: [at, id], limit }: {
    status: Status | undefined;
    position: Position;
    limit: number;
  },
): Report[] {
  return store.all(
    `SELECT ${REPORT} FROM reports
     WHERE owner = :owner AND (:status IS NULL OR status = :status)
       AND (created_at, reports.id) < (:at, :id)
     ORDER BY created_at DESC, reports.id DESC LIMIT :limit`,
    { owner: user.id, status: status ?? null, at, id, limit },
  );
}

/** Lists the submitted reports of all users, the newest first. */
export function listSubmissions(
  store: Store,
  [at, id]: Position,
  limit: number,
): Submission[] {
  return store.all(
    `SELECT ${REPORT}, (SELECT name FROM users WHERE users.id = owner) AS owner
     FROM reports
     WHERE status = 'submitted' AND (created_at, reports.id) < (:at, :id)
     ORDER BY created_at DESC, reports.id DESC LIMIT :limit`,
    { at, id, limit },
  );
}

/** Adds a report. */
export function addReport(
  store: Store,
  user: Viewer,
  { title, purpose, currency }: NewReport,
): StoredReport {
  const { id } = store.run(
    `INSERT INTO reports (created_at, owner, title, purpose, currency)
     VALUES (:at, :owner, :title, :purpose, :currency)`,
    { at: now(), owner: user.id, title, purpose, currency },
  );
  announce(store, user.id, id);
  return getReport(store, user, id);
}

/** Changes a draft. */
export function changeReport(
  store: Store,
  user: Viewer,
  { report }: StoredReport,
  changes: ReportChanges,
): StoredReport {
  const { id, title, purpose } = { ...report, ...changes };
  store.run(
    "UPDATE reports SET title = :title, purpose = :purpose WHERE id = :id",
    { id, title, purpose },
  );
  touch(store, id);
  return getReport(store, user, id);
}

/** Removes a draft with its items, receipts and messages. */
export function removeReport(
  store: Store,
  { report, owner }: StoredReport,
): void {
  store.run("DELETE FROM reports WHERE id = :id", { id: report.id });
  for (const socket of store.rooms.get(report.id) ?? []) {
    socket.close(1000, "The report was removed");
  }
  announce(store, owner, report.id);
}

/** Submits a draft for approval; 409 if it has no items. */
export function submitReport(store: Store, { report }: StoredReport): void {
  if (report.cents === 0) {
    throw new HttpError(409, `Report ${report.id} has no items`, {
      state: report.status,
    });
  }
  setStatus(store, report.id, "submitted", null);
}

/** Decides on a submitted report of another user; `undefined` if that is impossible. */
export function decide(
  store: Store,
  admin: Viewer,
  id: number,
  decision: Decision,
): Report | undefined {
  const found = findReport(store, id);
  if (found?.report.status !== "submitted" || found.owner === admin.id) {
    return undefined;
  }
  setStatus(store, id, decision, admin.id);
  return findReport(store, id)?.report;
}

/** Sets the status of a report. */
export function setStatus(
  store: Store,
  id: number,
  status: Status,
  decidedBy: number | null,
): void {
  store.run(
    "UPDATE reports SET status = :status, decided_by = :decidedBy WHERE id = :id",
    { id, status, decidedBy },
  );
  touch(store, id);
}

/** Gives a report that has changed a new version. */
export function touch(store: Store, id: number): void {
  const changed = store.get<{ owner: number }>(
    "UPDATE reports SET version = version + 1 WHERE id = :id RETURNING owner",
    { id },
  );
  announce(store, changed!.owner, id);
}

function announce(store: Store, owner: number, report: number): void {
  store.run("DELETE FROM changes WHERE report = :report", { report });
  store.run("INSERT INTO changes (owner, report) VALUES (:owner, :report)", {
    owner,
    report,
  });
  for (const wake of store.sleepers) wake();
}

function missing(id: number): HttpError {
  return new HttpError(404, `There is no report ${id}`);
}
