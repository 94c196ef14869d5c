import { HttpError, type Middleware } from "@bough/framework";
import { endOn } from "@bough/framework/live";
import { PlannedError } from "./planned_error.ts";

/** The open streams and sockets, counted by the handlers. */
export const open = { streams: 0, sockets: 0 };

/** A token that expires after 20 ms. */
export const BRIEF = "brief";

/**
 * Requires a token, in the header or in the URL, since sockets of browsers send no
 * headers. With `fail=after`, it throws after the handler.
 */
export const guard: Middleware = async (request, next) => {
  const { searchParams } = new URL(request.url);
  const token = searchParams.get("token") ??
    request.headers.get("authorization");
  if (token === null) throw new HttpError(401, "Show a token");
  if (token === BRIEF) endOn(request, new Date(Date.now() + 20));
  const response = await next();
  if (searchParams.get("fail") === "after") throw new PlannedError();
  return response;
};
