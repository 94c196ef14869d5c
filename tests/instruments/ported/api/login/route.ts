import { type FrameworkRequest, HttpError } from "../../../../../mod.ts";
import { Credentials, store } from "../../model.ts";

export const schema = { post: { body: Credentials } };

export function POST(request: FrameworkRequest<typeof schema.post>): Response {
  const { email, password } = request.validated.body;
  const failed = store.failedLogins.get(email) ?? 0;
  if (failed >= 3) {
    throw new HttpError(429, "Too many failed logins, try again later", {
      headers: { "retry-after": "60" },
    });
  }
  const user = store.users.find((user) => user.email === email);
  if (user?.password !== password) {
    store.failedLogins.set(email, failed + 1);
    throw new HttpError(401, "Wrong email or password");
  }
  const token = crypto.randomUUID();
  store.tokens.set(token, user);
  return Response.json({ token });
}
