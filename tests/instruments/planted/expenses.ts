import type { FaultsByKind } from "./fault.ts";

const REPORTS = "store/reports.ts";
const REPORT_ROUTES = "api/(members)/reports/[reportId]";

/** Faults of the service for expense reports. */
export const EXPENSES_FAULTS: FaultsByKind = {
  identity: [
    {
      name: "a 403 reveals that another user has a report",
      file: REPORTS,
      find:
        `  if (found === undefined || found.owner !== user.id) throw missing(id);
`,
      replace: `  if (found === undefined) throw missing(id);
  if (found.owner !== user.id) {
    throw new HttpError(403, \`Report \${id} is not yours\`);
  }
`,
    },
    {
      name: "an item of any user can be reached through an own report",
      file: "store/items.ts",
      find: `WHERE id = :id AND report = :report\`,
    { id, report },`,
      replace: `WHERE id = :id\`,
    { id },`,
    },
    {
      name: "users can change the items of other users",
      file: `${REPORT_ROUTES}/items/[itemId]/route.ts`,
      find: `  const { report } = getDraft(data, viewer.get(request), reportId);
  const item = changeItem(data, report.id, itemId, body);`,
      replace: `  const item = changeItem(data, reportId, itemId, body);`,
    },
    {
      name: "users can remove the receipts of other users",
      file: `${REPORT_ROUTES}/receipts/[receiptId]/route.ts`,
      find: `  const { report } = getDraft(data, viewer.get(request), reportId);
  removeReceipt(data, report.id, receiptId);`,
      replace: `  removeReceipt(data, reportId, receiptId);`,
    },
    {
      name: "the CSV of a report is exported with the rights of its owner",
      file: `${REPORT_ROUTES}/csv/route.ts`,
      find:
        `  const { report } = getReport(data, viewer.get(request), reportId);`,
      replace:
        `  const { owner = viewer.get(request).id } = data.get<{ owner?: number }>(
    "SELECT owner FROM reports WHERE id = :reportId",
    { reportId },
  ) ?? {};
  const { report } = getReport(data, { id: owner }, reportId);`,
    },
    {
      name: "the second page of the reports lists those of other users",
      file: REPORTS,
      find: `AND (:status IS NULL OR status = :status)
       AND (created_at, reports.id) < (:at, :id)`,
      replace: `AND (:status IS NULL OR status = :status)
       AND created_at < :at OR created_at = :at AND reports.id < :id`,
    },
    {
      name: "the guard of the administrators is inverted",
      file: "api/(members)/(admin)/middleware.ts",
      find: `  if (viewer.get(request).role !== "admin") {`,
      replace: `  const isMember = viewer.get(request).role === "member";
  if (!isMember) {`,
    },
    {
      name: "users can give themselves the role of an administrator",
      file: "schemas.ts",
      find: `  iban: iban.nullable().exactOptional(),
`,
      replace: `  iban: iban.nullable().exactOptional(),
  role: User.shape.role.exactOptional(),
`,
    },
    {
      name: "a session counts until the end of the day on which it expires",
      file: "store/users.ts",
      find: `WHERE token = :token AND expires_at > :now\`,
    { token, now: now() },`,
      replace: `WHERE token = :token AND expires_at > datetime('now')\`,
    { token },`,
    },
    {
      name: "users can read the payments of other users",
      file: "store/payments.ts",
      find: `WHERE payments.id = :id AND owner = :owner\`,
    { id, owner: user.id },`,
      replace: `WHERE payments.id = :id\`,
    { id },`,
    },
    {
      name: "every user can join the chat about a submitted report",
      file: REPORTS,
      find: `  if (found !== undefined && user.role === "admin") return found;`,
      replace: `  const isAdmin = user.role === "admin";
  if (found !== undefined && (isAdmin || found.report.status === "submitted")) {
    return found;
  }`,
    },
  ],
  live: [
    {
      name: "the stream has the changes of all users",
      file: "store/changes.ts",
      find:
        `       WHERE owner = :owner AND revision > :seen ORDER BY revision LIMIT 1\`,
      { owner, seen },`,
      replace: `       WHERE revision > :seen ORDER BY revision LIMIT 1\`,
      { seen },`,
    },
    {
      name:
        "the id of an event is that of the report, so streams resume wrongly",
      file: "api/(members)/reports/events/route.ts",
      find: `{ event: "changed", id: revision, data: report }`,
      replace: `{ event: "changed", id: report.id, data: report }`,
    },
    {
      name: "an event has the amount with a fraction",
      file: "store/changes.ts",
      find:
        `      yield { revision: seen, id, report: findReport(store, id)?.report };`,
      replace: `      const report = findReport(store, id)?.report;
      if (report !== undefined) report.cents /= 100;
      yield { revision: seen, id, report };`,
    },
    {
      name: "the time of a chat message is not that of ISO 8601",
      file: "store/chat.ts",
      find: `  const at = now();`,
      replace: `  const at = now().replace("T", " ").slice(0, 19);`,
    },
    {
      name: "the chat of a member who tries to decide fails",
      file: `${REPORT_ROUTES}/chat/route.ts`,
      find: `        const detail = "Only administrators may decide";
        socket.send({ type: "error", detail });`,
      replace: `        throw new Error("Only administrators may decide");`,
    },
  ],
  other: [
    {
      name: "a PATCH without a purpose removes the purpose of a report",
      file: "schemas.ts",
      find: `  purpose: note.nullable().exactOptional(),`,
      replace: `  purpose: note.nullable().default(null),`,
    },
    {
      name: "a report with chat messages cannot be removed",
      file: "store/database.ts",
      find: `    report INTEGER NOT NULL REFERENCES reports ON DELETE CASCADE,
    author`,
      replace: `    report INTEGER NOT NULL REFERENCES reports,
    author`,
    },
    {
      name: "the title of a report is in a header with all its characters",
      file: "attachment.ts",
      find: `  const ascii = name.replaceAll(/[^ !#-$&-[\\]-~]/gu, "_");`,
      replace: `  const ascii = name.replaceAll(/["\\\\%]/g, "_");`,
    },
    {
      name: "the limit of an upload counts the form around the largest receipt",
      file: `${REPORT_ROUTES}/receipts/route.ts`,
      find: `const params = z.object({ reportId: id });
`,
      replace: `const params = z.object({ reportId: id });

export const config = { bodyLimit: MAX_RECEIPT };
`,
    },
    {
      name: "a cursor skips a row between two pages",
      file: "pages.ts",
      find: `  const { createdAt, id } = items.at(-1)!;`,
      replace: `  const { createdAt, id } = rows.at(-1)!;`,
    },
    {
      name: "the link to the next page drops the filter",
      file: "pages.ts",
      find: `  const query = new URL(request.url).searchParams;
  query.set("after", next);`,
      replace:
        `  const query = new URLSearchParams({ after: next, limit: String(limit) });`,
    },
    {
      name: "the ETag of a report stays when an item is removed",
      file: "store/items.ts",
      find: `  store.run("DELETE FROM items WHERE id = :id", { id });
  touch(store, report);`,
      replace: `  store.run("DELETE FROM items WHERE id = :id", { id });`,
    },
    {
      name: "If-Match accepts neither * nor a list",
      file: "preconditions.ts",
      find: `  if (condition !== null && !ifMatch(condition, tag)) {`,
      replace: `  if (condition !== null && condition !== tag) {`,
    },
    {
      name: "the second of two requests with one key at once fails",
      file: "store/payments.ts",
      find: `  store.run(
    "INSERT INTO idempotency_keys (user, key, request) VALUES (:user, :key, :request)",
    { ...id, request },
  );
  try {
    const paid = pay(store, user, payment);
    await transfer();`,
      replace: `  await transfer();
  store.run(
    "INSERT INTO idempotency_keys (user, key, request) VALUES (:user, :key, :request)",
    { ...id, request },
  );
  try {
    const paid = pay(store, user, payment);`,
    },
    {
      name: "the submission of an empty report has an undeclared status",
      file: REPORTS,
      find:
        `    throw new HttpError(409, \`Report \${report.id} has no items\`, {`,
      replace:
        `    throw new HttpError(422, \`Report \${report.id} has no items\`, {`,
    },
  ],
};
