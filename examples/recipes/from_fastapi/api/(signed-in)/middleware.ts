import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { currentUser, getCurrentUser } from "../../users.ts";

export const contract = {
  security: [{ OAuth2PasswordBearer: [] }],
  response: { 401: Problem, 403: Problem },
} satisfies FolderContract;

/** `Depends(get_current_active_user)`, for all routes of this group. */
const requireUser: Middleware = async (request, next) => {
  const user = await getCurrentUser(request);
  if (user.disabled) throw new HttpError(403, "Inactive user");
  currentUser.set(request, user);
  return await next();
};

export default requireUser;
