/** The rights of users on projects and tasks. */
import { HttpError, RequestState } from "../../../../mod.ts";
import { type Project, store, type Task, type User } from "../model.ts";

export const currentUser = new RequestState<User>("current user");

export function findProject({ id }: { id: string }): Project {
  const project = store.projects.find((project) => project.id === Number(id));
  if (!project) throw new HttpError(404, `Project ${id} not found`);
  return project;
}

export function findTask({ id }: { id: string }): Task {
  const task = store.tasks.find((task) => task.id === Number(id));
  if (!task) throw new HttpError(404, `Task ${id} not found`);
  return task;
}

export function requireOwner(projectId: number, user: User): void {
  const project = store.projects.find(({ id }) => id === projectId);
  if (project?.ownerId !== user.id && user.role !== "admin") {
    throw new HttpError(403, "Only the owner of the project may do this");
  }
}

export function checkAssignee(id: number | null | undefined): void {
  if (id && !store.users.some((user) => user.id === id)) {
    throw new HttpError(400, `assigneeId: User ${id} does not exist`);
  }
}
