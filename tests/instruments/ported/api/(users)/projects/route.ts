import { type FrameworkRequest, HttpError } from "../../../../../../mod.ts";
import { NewProject, pageOf, Paging, store } from "../../../model.ts";
import { currentUser } from "../../access.ts";

export const schema = { get: { query: Paging }, post: { body: NewProject } };

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const page = pageOf(store.projects, request.validated.query);
  const headers = { "x-total-count": String(page.total) };
  return Response.json(page, { headers });
}

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const input = request.validated.body;
  if (store.projects.some(({ key }) => key === input.key)) {
    throw new HttpError(409, `Key ${input.key} is taken`);
  }
  const ownerId = currentUser.get(request).id;
  const project = { id: store.nextId(), ...input, ownerId };
  store.projects.push(project);
  const headers = { location: `/projects/${project.id}` };
  return Response.json(project, { status: 201, headers });
}
