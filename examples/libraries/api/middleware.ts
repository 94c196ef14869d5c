import type { Middleware } from "@bough/framework";

/** Reads each body before the library does, and adds a header to each response. */
const measure: Middleware = async (request, next) => {
  const { length } = await request.text(); // the library gets the body, too
  const response = await next();
  response.headers.set("x-body-length", `${length}`);
  return response;
};

export default measure;
