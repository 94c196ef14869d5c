import { content, type FrameworkRequest, respond } from "@bough/framework";
import { z } from "zod";
import { attachment } from "../../../../../attachment.ts";
import { id, type Item } from "../../../../../schemas.ts";
import { store } from "../../../../../store/database.ts";
import { listItems } from "../../../../../store/items.ts";
import { getReport } from "../../../../../store/reports.ts";
import { viewer } from "../../../../../store/users.ts";

export const schema = {
  get: {
    summary: "Export the items of a report",
    params: z.object({ reportId: id }),
    response: {
      200: {
        body: content("text/csv"),
        headers: z.object({ "content-disposition": z.string() }),
      },
    },
  },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId } = request.validated.params;
  const data = store.get(request);
  const { report } = getReport(data, viewer.get(request), reportId);
  const rows = listItems(data, report.id).map((item) => row(item));
  const csv = ["date,category,amount,note", ...rows, ""].join("\r\n");
  return respond(schema.get, 200, csv, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": attachment(`${report.title}.csv`),
    },
  });
}

function row({ date, category, cents, note }: Item): string {
  return [date, category, (cents / 100).toFixed(2), field(note ?? "")].join(
    ",",
  );
}

/** A quoted field. Spreadsheets would run text that begins like a formula. */
function field(text: string): string {
  const inert = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
