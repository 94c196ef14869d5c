import { type FrameworkRequest, respond } from "@bough/framework";
import { store } from "../../../../store/database.ts";
import { logOut, viewer } from "../../../../store/users.ts";

export const schema = {
  delete: { summary: "Log out", response: { 204: {} } },
};

export function DELETE(
  request: FrameworkRequest<typeof schema.delete>,
): Response {
  logOut(store.get(request), viewer.get(request).token);
  return respond(schema.delete, 204);
}
