import { HttpError, type Middleware } from "../../../../../mod.ts";
import { store } from "../../model.ts";
import { currentUser } from "../access.ts";

const authenticate: Middleware = (request, next) => {
  const header = request.headers.get("authorization");
  const [, token] = header?.match(/^Bearer (\S+)$/i) ?? [];
  const user = store.tokens.get(token ?? "");
  if (user === undefined) {
    throw new HttpError(401, token ? "Invalid token" : "Log in first", {
      headers: { "www-authenticate": 'Bearer realm="tracker"' },
    });
  }
  currentUser.set(request, user);
  return next();
};

export default authenticate;
