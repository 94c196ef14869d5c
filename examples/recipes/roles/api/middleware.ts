import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { user, verifyToken } from "../user.ts";

export const contract = {
  security: [{ bearer: [] }], // unless a method declares its own
  response: { 401: Problem, 403: Problem },
} satisfies FolderContract;

/** Identifies the user; rejects an invalid token even if no token is required. */
const authorize: Middleware = async (request, next) => {
  const ways = request.security ?? contract.security;
  const header = request.headers.get("authorization");
  if (header === null) {
    const isOptional = ways.some((way) => Object.keys(way).length === 0);
    if (ways.length === 0 || isOptional) return await next();
    throw new HttpError(401, "Sign in first", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  const current = await verifyToken(/^bearer +(\S+)$/i.exec(header)?.[1] ?? "");
  user.set(request, current);
  const scopes = ways.flatMap(({ bearer = [] }) => bearer);
  if (!scopes.every((scope) => current.scopes.includes(scope))) {
    const challenge = `error="insufficient_scope", scope="${scopes.join(" ")}"`;
    throw new HttpError(403, "The token lacks a scope", {
      headers: { "www-authenticate": `Bearer ${challenge}` }, // RFC 6750, 3.1
    });
  }
  return await next();
};

export default authorize;
