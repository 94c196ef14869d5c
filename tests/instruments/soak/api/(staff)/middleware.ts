import { HttpError, type Middleware } from "@bough/framework";

const authenticate: Middleware = async (request, next) => {
  if (request.headers.get("authorization") !== "Bearer s3cret") {
    throw new HttpError(401, "Show a token", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  const response = await next();
  response.headers.set("x-checked", "yes");
  return response;
};

export default authenticate;
