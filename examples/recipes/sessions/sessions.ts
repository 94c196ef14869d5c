import { RequestState } from "@bough/framework";
import { getCookies, setCookie } from "@std/http/cookie";

/** Browsers take this prefix only with Secure, with Path=/ and without Domain. */
const COOKIE = "__Host-session";
const SECONDS = 8 * 60 * 60;

/** The user of a session, and its expiry. */
export interface Session {
  readonly user: string;
  readonly ends: number;
}

/** Sessions by id, the oldest first. A database would keep them after a restart. */
const sessions = new Map<string, Session>();

/** The session of a request, for the handlers behind the middleware. */
export const session = new RequestState<Session>("session");

/** Gives the session that a request's cookie names, if it has not ended. */
export function findSession(request: Request): Session | undefined {
  removeEnded();
  return sessions.get(idOf(request));
}

/**
 * Starts a session and sets its cookie. Replaces the id of the request with a new
 * id: otherwise, an attacker who planted or saw the old id would be signed in, too.
 */
export function startSession(
  request: Request,
  headers: Headers,
  user: string,
): void {
  sessions.delete(idOf(request));
  const id = crypto.getRandomValues(new Uint8Array(32)).toHex();
  sessions.set(id, { user, ends: Date.now() + SECONDS * 1000 });
  setSessionCookie(headers, id, SECONDS);
}

/** Ends the session of a request, here and in the browser. */
export function endSession(request: Request, headers: Headers): void {
  sessions.delete(idOf(request));
  setSessionCookie(headers, "", 0);
}

function idOf(request: Request): string {
  return getCookies(request.headers)[COOKIE] ?? "";
}

function setSessionCookie(
  headers: Headers,
  value: string,
  maxAge: number,
): void {
  setCookie(headers, {
    name: COOKIE,
    value,
    maxAge,
    path: "/",
    secure: true,
    httpOnly: true, // scripts of pages cannot read it
    sameSite: "Lax", // from other sites, only links send it
  });
}

function removeEnded(): void {
  for (const [id, { ends }] of sessions) {
    if (ends > Date.now()) break; // all have the same length
    sessions.delete(id);
  }
}
