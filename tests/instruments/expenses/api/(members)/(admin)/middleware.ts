import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { viewer } from "../../../store/users.ts";

export const contract = {
  access: ["admin"],
  response: { 403: Problem },
} satisfies FolderContract;

/** Requires an administrator. */
const requireAdmin: Middleware = (request, next) => {
  if (viewer.get(request).role !== "admin") {
    throw new HttpError(403, "Only administrators may do this");
  }
  return next();
};

export default requireAdmin;
