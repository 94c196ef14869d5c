import { HttpError, type Middleware } from "@bough/framework";
import { findSession, session } from "../../sessions.ts";

/** Requires a session for every route of this group. */
const requireSession: Middleware = async (request, next) => {
  const found = findSession(request);
  if (found === undefined) {
    throw new HttpError(401, "Sign in first", {
      // A 401 has to name a scheme (RFC 9110, 15.5.2); browsers ignore this scheme.
      headers: { "www-authenticate": "Session" },
    });
  }
  session.set(request, found);
  const response = await next();
  response.headers.set("cache-control", "no-store"); // the response is for one user
  return response;
};

export default requireSession;
