import { type FrameworkRequest, HttpError } from "../../../../../../../mod.ts";
import { ProjectChanges, store, tasksOf } from "../../../../model.ts";
import { currentUser, findProject, requireOwner } from "../../../access.ts";

export const schema = { patch: { body: ProjectChanges } };

type Path = "/projects/[id]";

export function GET(request: FrameworkRequest<Path>): Response {
  return Response.json(findProject(request.params));
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch, Path>,
): Response {
  const project = findProject(request.params);
  requireOwner(project.id, currentUser.get(request));
  return Response.json(Object.assign(project, request.validated.body));
}

export function DELETE(request: FrameworkRequest<Path>): Response {
  const project = findProject(request.params);
  requireOwner(project.id, currentUser.get(request));
  if (tasksOf(project).some(({ status }) => status !== "done")) {
    throw new HttpError(409, "The project has unfinished tasks");
  }
  for (const { id } of tasksOf(project)) store.deleteTask(id);
  store.projects = store.projects.filter((other) => other !== project);
  return new Response(null, { status: 204 });
}
