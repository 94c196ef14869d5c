import type { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** The cost of scrypt that OWASP recommends for 16 MiB of memory. Tests reduce it. */
export const cost = { N: 2 ** 14, r: 8, p: 5 };

interface User {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

const users = new Map<string, User>();
/** Replaces an unknown user, so that checking the password takes the same time. */
const NOBODY: User = { salt: randomBytes(16), hash: randomBytes(32) };

/** Adds a user, and stores only a hash of the password. */
export async function addUser(name: string, password: string): Promise<void> {
  const salt = randomBytes(16);
  users.set(name, { salt, hash: await derive(password, salt) });
}

/** Whether a user with this name and password exists. */
export async function isUser(name: string, password: string): Promise<boolean> {
  const { salt, hash } = users.get(name) ?? NOBODY;
  return timingSafeEqual(await derive(password, salt), hash);
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
