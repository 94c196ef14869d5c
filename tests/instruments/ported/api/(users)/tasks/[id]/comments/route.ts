import type { FrameworkRequest } from "../../../../../../../../mod.ts";
import { NewComment, store } from "../../../../../model.ts";
import { currentUser, findTask } from "../../../../access.ts";

export const schema = { post: { body: NewComment } };

type Path = "/tasks/[id]/comments";

export function GET(request: FrameworkRequest<Path>): Response {
  const { id } = findTask(request.params);
  return Response.json(store.comments.filter(({ taskId }) => taskId === id));
}

export function POST(
  request: FrameworkRequest<typeof schema.post, Path>,
): Response {
  const comment = {
    id: store.nextId(),
    taskId: findTask(request.params).id,
    authorId: currentUser.get(request).id,
    ...request.validated.body,
    createdAt: new Date().toISOString(),
  };
  store.comments.push(comment);
  return Response.json(comment, { status: 201 });
}
