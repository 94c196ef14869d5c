import type { FrameworkRequest } from "../../../../../../../../mod.ts";
import { tasksOf, toCsv } from "../../../../../model.ts";
import { findProject } from "../../../../access.ts";

export function GET(
  request: FrameworkRequest<"/projects/[id]/tasks.csv">,
): Response {
  const project = findProject(request.params);
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename=${project.key}-tasks.csv`,
  };
  return new Response(toCsv(tasksOf(project)), { headers });
}
