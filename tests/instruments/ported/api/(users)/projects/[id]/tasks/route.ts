import type { FrameworkRequest } from "../../../../../../../../mod.ts";
import {
  NewTask,
  pageOf,
  store,
  type Task,
  TaskQuery,
  tasksOf,
} from "../../../../../model.ts";
import { checkAssignee, findProject } from "../../../../access.ts";

export const schema = { get: { query: TaskQuery }, post: { body: NewTask } };

type Path = "/projects/[id]/tasks";

export function GET(
  request: FrameworkRequest<typeof schema.get, Path>,
): Response {
  const { query } = request.validated;
  const page = pageOf(tasksOf(findProject(request.params), query), query);
  const headers = { "x-total-count": String(page.total) };
  return Response.json(page, { headers });
}

export function POST(
  request: FrameworkRequest<typeof schema.post, Path>,
): Response {
  const project = findProject(request.params);
  const input = request.validated.body;
  checkAssignee(input.assigneeId);
  const task: Task = {
    id: store.nextId(),
    projectId: project.id,
    status: "open",
    ...input,
  };
  store.tasks.push(task);
  const headers = { location: `/tasks/${task.id}` };
  return Response.json(task, { status: 201, headers });
}
