import type { FrameworkRequest } from "../../../../../../../mod.ts";
import { store, TaskChanges } from "../../../../model.ts";
import {
  checkAssignee,
  currentUser,
  findTask,
  requireOwner,
} from "../../../access.ts";

export const schema = { patch: { body: TaskChanges } };

type Path = "/tasks/[id]";

export function GET(request: FrameworkRequest<Path>): Response {
  return Response.json(findTask(request.params));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch, Path>,
): Response {
  const task = findTask(request.params);
  const user = currentUser.get(request);
  if (task.assigneeId !== user.id) requireOwner(task.projectId, user);
  const changes = request.validated.body;
  checkAssignee(changes.assigneeId);
  return Response.json(Object.assign(task, changes));
}

export function DELETE(request: FrameworkRequest<Path>): Response {
  const task = findTask(request.params);
  requireOwner(task.projectId, currentUser.get(request));
  store.deleteTask(task.id);
  return new Response(null, { status: 204 });
}
