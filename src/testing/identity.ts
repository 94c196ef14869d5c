import { HEADERS } from "../core/common/forms.ts";
import { isObject } from "../core/common/values.ts";
import type { Strings } from "./plan.ts";

/** Sends requests to the tested application, for a log-in. */
export interface LogInApplication {
  /** Responds to a request; any origin reaches the application. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The headers of an identity, and the id that names the user in resources. */
export interface IdentifiedHeaders {
  /** Headers of requests by name. */
  readonly headers: Strings;
  /** The id of the user, which rules of `access` compare; by default, the identity's name. */
  readonly id: string | number;
}

/** Logs in through the application, and returns the headers of an identity. */
export type LogIn = (
  app: LogInApplication,
) => Strings | IdentifiedHeaders | Promise<Strings | IdentifiedHeaders>;

/** Headers of requests by name, with or without an id, or a function that logs in. */
export type Credentials = Strings | IdentifiedHeaders | LogIn;

/** The name of the identity whose credentials must be rejected. */
export const EXPIRED = "expired";

/** The statuses with which a guard rejects a user. */
export const REJECTED: readonly number[] = [401, 403];

/** A user in whose name requests are sent. */
export class Identity {
  readonly name: string;
  readonly #credentials: Credentials;
  #isLoggedIn = false;
  /** The secrets of all log-ins, which reports must not contain. */
  readonly secrets: Set<string> = new Set();
  /** The headers by lowercase name; empty before the first log-in. */
  headers: Strings = {};
  /** The id of the user; the name if the credentials contain no id. */
  id: string | number;

  constructor(name: string, credentials: Credentials) {
    this.name = name;
    this.id = name;
    this.#credentials = credentials;
    if (typeof credentials !== "function") this.#use(credentials);
  }

  #use(given: Strings | IdentifiedHeaders): void {
    const { headers, id } = isIdentified(given)
      ? given
      : { headers: given, id: this.name };
    this.headers = headers;
    this.id = id;
    for (const secret of secretsOf(headers)) this.secrets.add(secret);
  }

  /**
   * Logs in, unless this has happened since the last reset.
   *
   * @throws {Error} If the function fails, or does not return headers.
   */
  async logIn(app: LogInApplication): Promise<void> {
    if (this.#isLoggedIn || typeof this.#credentials !== "function") return;
    const doing = `log in as "${this.name}"`;
    let given: unknown;
    try {
      given = await this.#credentials(app);
    } catch (cause) {
      const { message = cause } = cause as Partial<Error> ?? {};
      throw new Error(
        `Cannot ${doing}: ${message}; correct the function "${this.name}" of the option "as"`,
        { cause },
      );
    }
    this.#use(checkedCredentials(given, `Cannot ${doing}: the result`));
    this.#isLoggedIn = true;
  }

  /** Requires another log-in, since a reset deletes sessions. */
  logOut(): void {
    this.#isLoggedIn = false;
  }
}

function isIdentified(value: unknown): value is IdentifiedHeaders {
  return isObject(value) && isObject(value.headers);
}

/**
 * Returns headers by lowercase name, and the id, if there is one.
 *
 * @param where The beginning of an error message.
 * @throws {TypeError} If the value is not an object of headers, or its id is invalid.
 */
export function checkedCredentials(
  value: unknown,
  where: string,
): Strings | IdentifiedHeaders {
  if (!isIdentified(value)) return checkedHeaders(value, where);
  const { headers, id } = value;
  if (id === "" || typeof id !== "string" && typeof id !== "number") {
    throw new TypeError(`${where}.id must be a string or a number`);
  }
  return { headers: checkedHeaders(headers, `${where}.headers`), id };
}

function checkedHeaders(value: unknown, where: string): Strings {
  const wrong = `${where} ${HEADERS.expected}`;
  if (!isObject(value)) throw new TypeError(wrong);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      try {
        if (typeof text !== "string") throw new TypeError();
        new Headers([[name, text]]);
      } catch {
        // Deno's error shows the value, which may be a secret.
        throw new TypeError(
          `${wrong}; the name or the value of "${name}" is invalid`,
        );
      }
      return [name.toLowerCase(), text];
    }),
  );
}

/** The minimum length of a value to mask, since a value such as `1` may occur anywhere. */
const SECRET = 6;

/** The secrets in headers: their values, tokens after a scheme, and values of cookies. */
function secretsOf(headers: Strings): string[] {
  return Object.values(headers).flatMap((value) => [
    value,
    value.split(/\s+/).at(-1)!,
    ...[...value.matchAll(/=([^;\s]+)/g)].map(([, secret]) => secret!),
  ]).filter((value) => value.length >= SECRET);
}

/** Masks secrets, such as a token in a log entry. */
export function masked(text: string, secrets: Iterable<string>): string {
  return [...secrets].sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, "***"), text);
}
