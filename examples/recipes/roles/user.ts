import { HttpError, RequestState } from "@bough/framework";
import { sign, verify } from "hono/jwt";
import { z } from "zod";

/** The scopes of each role. Routes name scopes, so a new role changes no route. */
const SCOPES = { author: ["write"], moderator: ["write", "moderate"] };

/** Fixed: a token cannot choose the algorithm that verifies it. */
const ALGORITHM = "HS256";
const SECONDS = 60 * 60;

/** `verify()` checks `exp` only if the token has it. */
const Claims = z.object({
  sub: z.string().min(1),
  scope: z.string(), // RFC 8693, 4.2: separated by spaces
  exp: z.int(),
});

/** A user who has signed in. */
export interface User {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** The user, if the request has a token. */
export const user = new RequestState<User>("user");

let secret: string | undefined;

/** Sets the secret that signs tokens; RFC 7518, 3.2 requires 32 bytes. */
export function setSecret(value: string): void {
  if (value.length < 32) {
    throw new Error("Set JWT_SECRET to at least 32 random characters");
  }
  secret = value;
}

/** Creates a token for a user who has signed in. */
export function createToken(
  name: string,
  role: keyof typeof SCOPES,
  { seconds = SECONDS } = {},
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  const claims = { sub: name, scope: SCOPES[role].join(" "), exp };
  return sign(claims, secretKey(), ALGORITHM);
}

/**
 * Returns the user of a token.
 *
 * @throws {HttpError} 401 if the token is invalid or has expired.
 */
export async function verifyToken(token: string): Promise<User> {
  const key = secretKey();
  try {
    const claims = Claims.parse(await verify(token, key, ALGORITHM));
    return { name: claims.sub, scopes: claims.scope.split(" ") };
  } catch (cause) {
    throw new HttpError(401, "The token is invalid or has expired", {
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
      cause,
    });
  }
}

function secretKey(): string {
  if (secret === undefined) throw new Error("Call setSecret() at the start");
  return secret;
}
