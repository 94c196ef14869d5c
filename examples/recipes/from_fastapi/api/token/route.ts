import {
  content,
  type FrameworkRequest,
  HttpError,
  respond,
  type RouteSchema,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import { memoryStore, rateLimit } from "@bough/framework/protect";
import { z } from "zod";
import { authenticateUser, createAccessToken } from "../../users.ts";

/** `OAuth2PasswordRequestForm` (RFC 6749, 4.3). */
const Form = z.object({
  grant_type: z.literal("password").optional(),
  username: z.string().max(100),
  password: z.string().max(1_000),
});

export const schema = {
  post: {
    body: content("application/x-www-form-urlencoded", Form),
    response: {
      200: z.object({ access_token: z.string(), token_type: z.string() }),
      401: Problem,
    },
  },
} satisfies RouteSchema;

/** Against guessing passwords, whose check costs half a second of a core. */
export const middleware = [
  rateLimit({ limit: 10, per: 60_000, store: memoryStore() }),
];

export async function POST(
  request: FrameworkRequest<typeof schema.post>,
): Promise<Response> {
  const { username, password } = request.validated.body;
  if (!await authenticateUser(username, password)) {
    throw new HttpError(401, "Incorrect username or password", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  const access_token = await createAccessToken(username);
  return respond(schema.post, 200, { access_token, token_type: "bearer" });
}
