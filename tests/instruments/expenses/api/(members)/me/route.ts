import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { User, UserChanges } from "../../../schemas.ts";
import { store } from "../../../store/database.ts";
import { changeUser, getUser, viewer } from "../../../store/users.ts";

export const schema = {
  get: { summary: "Read your account", response: User },
  patch: {
    summary: "Change your account",
    body: UserChanges,
    response: { 200: User, 409: Problem },
  },
} satisfies RouteSchema;

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const user = getUser(store.get(request), viewer.get(request).id);
  return respond(schema.get, 200, user);
}

export function PATCH(
  request: FrameworkRequest<typeof schema.patch>,
): Response {
  const { body } = request.validated;
  const { id } = viewer.get(request);
  return respond(schema.patch, 200, changeUser(store.get(request), id, body));
}
