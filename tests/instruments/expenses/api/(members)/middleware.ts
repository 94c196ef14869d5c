import {
  type FolderContract,
  HttpError,
  type Middleware,
} from "@bough/framework";
import { endOn } from "@bough/framework/live";
import { Problem } from "@bough/framework/openapi";
import { store } from "../../store/database.ts";
import { findViewer, signalOf, viewer } from "../../store/users.ts";

export const contract = {
  security: [{ bearer: [] }],
  access: "owner",
  response: { 401: Problem },
} satisfies FolderContract;

/** Requires the token of a session that has not ended. */
const authenticate: Middleware = (request, next) => {
  const header = request.headers.get("authorization") ?? "";
  const token = /^bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const found = findViewer(store.get(request), token);
  if (found === undefined) {
    throw new HttpError(401, "Log in first", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  viewer.set(request, found);
  endOn(request, new Date(found.expiresAt));
  endOn(request, signalOf(store.get(request), token));
  return next();
};

export default authenticate;
