import { HttpError, type Middleware, RequestState } from "@bough/framework";
import { verify } from "hono/jwt";
import { current } from "../../services.ts";

/** The id of the user who sends the request. */
export const userId = new RequestState<number>("user id");

const authenticate: Middleware = async (request, next) => {
  const { secret } = current.get(request).options;
  const header = request.headers.get("authorization") ?? "";
  const { id } = await verify(header.slice("Bearer ".length), secret, "HS256")
    .catch(() => {
      throw new HttpError(401, "Show the token of the mail");
    });
  userId.set(request, Number(id));
  return next();
};

export default authenticate;
