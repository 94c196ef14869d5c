/** Hashes of passwords, and tokens: JWT, signed with HMAC. */
import { sign, verify } from "hono/jwt";
import { Buffer } from "node:buffer";
import { pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Database } from "./store/database.ts";
import { findUser, type User } from "./store/users.ts";

const LIFETIME = 30 * 24 * 60 * 60; // seconds
const derive = promisify(pbkdf2);

/** A user for the client, with a new token. */
export async function withToken(
  db: Database,
  { id, email, username, bio, image }: User,
) {
  const exp = Math.floor(Date.now() / 1000) + LIFETIME;
  const token = await sign({ id, exp }, db.tokenKey, "HS256");
  return { user: { email, token, username, bio, image } };
}

/** The user of a token; `undefined` if the token is invalid or expired. */
export async function userOfToken(db: Database, token: string) {
  try {
    const { id } = await verify(token, db.tokenKey, "HS256");
    return findUser(db, { id: Number(id) });
  } catch {
    return undefined;
  }
}

/** Hashes a password with PBKDF2, with the rounds and the salt of a hash. */
export async function hashPassword(
  db: Database,
  password: string,
  from = `${db.passwordRounds}:${crypto.randomUUID()}`,
): Promise<string> {
  const [rounds, salt] = from.split(":");
  const hash = await derive(password, salt!, Number(rounds), 32, "sha256");
  return `${rounds}:${salt}:${hash.toString("hex")}`;
}

/** Whether a user has a password; takes the same time without a user. */
export async function isPassword(
  db: Database,
  user: User | undefined,
  password: string,
): Promise<boolean> {
  const hash = await hashPassword(db, password, user?.password);
  return user !== undefined &&
    timingSafeEqual(Buffer.from(hash), Buffer.from(user.password));
}
