import { HttpError, type Middleware } from "@bough/framework";

/** Reads each body before the library does, and adds a header to its response. */
const inspect: Middleware = async (request, next) => {
  // The copy leaves the body to the handler.
  const { length } = await request.clone().text();
  if (length > 10_000) throw new HttpError(413);
  const response = await next();
  response.headers.set("x-length", `${length}`);
  return response;
};

export default inspect;
