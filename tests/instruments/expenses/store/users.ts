import { HttpError, RequestState } from "@bough/framework";
import { Buffer } from "node:buffer";
import { pbkdf2Sync, timingSafeEqual } from "node:crypto";
import type { Position } from "../pages.ts";
import type { User, UserChanges } from "../schemas.ts";
import { now, type Store } from "./database.ts";

/** Few, so that tests are fast; a real service uses 600,000. */
const ROUNDS = 100;
const SESSION = 8 * 60 * 60 * 1_000;
const NOBODY = hash("", crypto.randomUUID());
const USER = "id, name, email, role, iban";

/** The user of a request, and the token and the end of the session. */
export interface Viewer extends User {
  readonly token: string;
  readonly expiresAt: string;
}

/** The viewer of a request. */
export const viewer = new RequestState<Viewer>("viewer");

/** Adds a user; 409 if the email address is in use. */
export function addUser(
  store: Store,
  { name, email, password }: Record<"name" | "email" | "password", string>,
): User {
  const salt = crypto.randomUUID();
  const values = { name, email, password: hash(password, salt), at: now() };
  const { id } = unlessTaken(() =>
    store.run(
      `INSERT INTO users (name, email, password, created_at)
       VALUES (:name, :email, :password, :at)`,
      values,
    )
  );
  return getUser(store, id);
}

/** A user; 404 if there is none. */
export function getUser(store: Store, id: number): User {
  const user = store.get<User>(`SELECT ${USER} FROM users WHERE id = :id`, {
    id,
  });
  if (user === undefined) throw new HttpError(404, `There is no user ${id}`);
  return user;
}

/** Lists users, the newest first. */
export function listUsers(
  store: Store,
  [at, id]: Position,
  limit: number,
): (User & { createdAt: string })[] {
  return store.all(
    `SELECT ${USER}, created_at AS createdAt FROM users
     WHERE (created_at, id) < (:at, :id)
     ORDER BY created_at DESC, id DESC LIMIT :limit`,
    { at, id, limit },
  );
}

/** Changes a user; 409 if the email address is in use. */
export function changeUser(
  store: Store,
  id: number,
  changes: UserChanges,
): User {
  const columns = Object.keys(changes).map((name) => `${name} = :${name}`);
  if (columns.length > 0) {
    unlessTaken(() =>
      store.run(`UPDATE users SET ${columns.join(", ")} WHERE id = :id`, {
        ...changes,
        id,
      })
    );
  }
  return getUser(store, id);
}

/** Starts a session; 401 if the email address or the password is wrong. */
export function logIn(
  store: Store,
  email: string,
  password: string,
): { token: string; expiresAt: string; user: User } {
  const found = store.get<{ id: number; password: string }>(
    "SELECT id, password FROM users WHERE email = :email",
    { email },
  );
  // An unknown address takes as long as a known one.
  const stored = found?.password ?? NOBODY;
  const [salt] = stored.split(":");
  const isRight = timingSafeEqual(
    Buffer.from(hash(password, salt!)),
    Buffer.from(stored),
  );
  if (found === undefined || !isRight) {
    throw new HttpError(401, "The email address or the password is wrong", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const expiresAt = new Date(Date.now() + SESSION).toISOString();
  store.run("INSERT INTO sessions VALUES (:token, :user, :expiresAt)", {
    token,
    user: found.id,
    expiresAt,
  });
  return { token, expiresAt, user: getUser(store, found.id) };
}

/** The user of a token, if the session has not ended. */
export function findViewer(store: Store, token: string): Viewer | undefined {
  return store.get<Viewer>(
    `SELECT ${USER}, token, expires_at AS expiresAt
     FROM sessions JOIN users ON users.id = user
     WHERE token = :token AND expires_at > :now`,
    { token, now: now() },
  );
}

/** Ends a session, and its streams and sockets. */
export function logOut(store: Store, token: string): void {
  store.run("DELETE FROM sessions WHERE token = :token", { token });
  store.sessions.get(token)?.abort();
  store.sessions.delete(token);
}

/** The signal that aborts when a session ends before its time. */
export function signalOf(store: Store, token: string): AbortSignal {
  return store.sessions.getOrInsertComputed(token, () => new AbortController())
    .signal;
}

function hash(password: string, salt: string): string {
  const key = pbkdf2Sync(password.normalize(), salt, ROUNDS, 32, "sha256");
  return `${salt}:${key.toString("hex")}`;
}

function unlessTaken<Result>(change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (!String(error).includes("UNIQUE")) throw error;
    throw new HttpError(409, "The email address is in use", { cause: error });
  }
}
