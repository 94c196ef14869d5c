import {
  type FrameworkRequest,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { currentUser, User } from "../../../../users.ts";

export const schema = { get: { response: User } } satisfies RouteSchema;

/** Sends the user without the password, which the schema does not name. */
export function GET(request: FrameworkRequest): Response {
  return respond(schema.get, 200, currentUser.get(request));
}
