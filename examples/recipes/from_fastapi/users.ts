import { HttpError, RequestState } from "@bough/framework";
import type { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { sign, verify } from "hono/jwt";
import { z } from "zod";

const ALGORITHM = "HS256";
const TOKEN_MINUTES = 30;

/** The cost of scrypt that OWASP recommends for 16 MiB of memory. Tests reduce it. */
export const cost = { N: 2 ** 14, r: 8, p: 5 };

export const User = z.object({
  username: z.string(),
  email: z.email().optional(),
  full_name: z.string().optional(),
  disabled: z.boolean(),
}).meta({ id: "User" });

interface Password {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** A user as it is stored. */
export type StoredUser = z.infer<typeof User> & { readonly password: Password };

/** The user of a request, which a guard sets. */
export const currentUser = new RequestState<StoredUser>("current user");

/** In your application, a table. */
const users = new Map<string, StoredUser>();
/** Replaces an unknown user, so that checking the password takes the same time. */
const NOBODY: Password = { salt: randomBytes(16), hash: randomBytes(32) };
const Claims = z.object({ sub: z.string(), exp: z.int() });

let secret: string | undefined;

/** Sets the secret that signs tokens; RFC 7518, 3.2 requires 32 bytes. */
export function setSecret(value: string): void {
  if (value.length < 32) {
    throw new Error("Set JWT_SECRET to at least 32 random characters");
  }
  secret = value;
}

/** Adds a user, and stores only a hash of the password. */
export async function addUser(
  user: z.infer<typeof User>,
  password: string,
): Promise<void> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt);
  users.set(user.username, { ...user, password: { salt, hash } });
}

/** The user with this name and password, if there is one. */
export async function authenticateUser(
  username: string,
  password: string,
): Promise<StoredUser | undefined> {
  const user = users.get(username);
  const { salt, hash } = user?.password ?? NOBODY;
  return timingSafeEqual(await derive(password, salt), hash) ? user : undefined;
}

/** Creates a token for a user who has signed in. */
export function createAccessToken(sub: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + TOKEN_MINUTES * 60;
  return sign({ sub, exp }, secretKey(), ALGORITHM);
}

/**
 * Returns the user of a request's token.
 *
 * @throws {HttpError} 401 if the token is missing, invalid or has expired.
 */
export async function getCurrentUser(request: Request): Promise<StoredUser> {
  const header = request.headers.get("authorization") ?? "";
  const [, token] = /^bearer +(\S+)$/i.exec(header) ?? [];
  const key = secretKey();
  const payload = token && await verify(token, key, ALGORITHM).catch(() => {});
  const user = users.get(Claims.safeParse(payload).data?.sub ?? "");
  if (user === undefined) {
    throw new HttpError(401, "Could not validate credentials", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  return user;
}

function secretKey(): string {
  if (secret === undefined) throw new Error("Call setSecret() at the start");
  return secret;
}

function derive(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(
      password.normalize(),
      salt,
      32,
      cost,
      (error, key) => error ? reject(error) : resolve(key),
    )
  );
}
