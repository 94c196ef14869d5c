import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { timingSafeEqual } from "hono/utils/buffer";

const TOKEN = "fake-super-secret-token"; // in your application, from the environment

const contract = {
  security: [{ "X-Token": [] }],
  response: { 401: Problem },
} satisfies FolderContract;

const check: Middleware = async (request, next) => {
  const token = request.headers.get("x-token") ?? "";
  // The time of `!==` would reveal how many characters are right.
  if (!await timingSafeEqual(token, TOKEN)) {
    throw new HttpError(401, "X-Token header invalid", {
      headers: { "www-authenticate": "X-Token" },
    });
  }
  return await next();
};

/** Requires the token of the header `X-Token`: `Depends(get_token_header)`. */
export const requireToken = Object.assign(check, {
  contracts: [contract] as const,
});
