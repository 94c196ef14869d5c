import { HttpError, type Middleware } from "@bough/framework";
import { endOn } from "@bough/framework/live";
import { PlannedError } from "./planned_error.ts";

/** How many streams and sockets of the application are open, as its handlers see it. */
export const open = { streams: 0, sockets: 0 };

/** The token that holds for 20 ms. */
export const BRIEF = "brief";

/**
 * Lets in who shows a token: in the URL, since sockets of browsers send no headers, or
 * as other clients do. Fails after the handler if the request says so.
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
