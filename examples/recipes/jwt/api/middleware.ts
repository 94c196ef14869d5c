import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { user, verifyToken } from "../user.ts";

export const contract = {
  security: [{ bearer: [] }], // unless a method declares its own
  response: { 401: Problem },
} satisfies FolderContract;

/** Identifies the user; an invalid token is an error even if none is required. */
const identify: Middleware = async (request, next) => {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const token = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    user.set(request, await verifyToken(token));
  } else if (!request.security?.some((way) => Object.keys(way).length === 0)) {
    throw new HttpError(401, "Sign in first", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  return await next();
};

export default identify;
