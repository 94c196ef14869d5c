import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { TOKEN } from "../registry.ts";

export const contract = {
  security: [{ bearer: [] }],
  response: { 401: Problem },
} satisfies FolderContract;

/** Everyone reads; only the owner of the token writes. */
const authenticate: Middleware = (request, next) => {
  if (request.security?.length === 0) return next();
  if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
    throw new HttpError(401, "Log in first", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  return next();
};

export default authenticate;
