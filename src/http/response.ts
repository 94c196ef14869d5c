/**
 * Returns `value` if it is a response that can be sent. What `Deno.serve` would
 * find only then is found here, where its route is known.
 *
 * @param author Who made it, for the message.
 * @throws {TypeError} If it is no `Response`, `Response.error()`, or one whose
 * body was read, sent or locked before.
 */
export function assertUsable(value: unknown, author = "A handler"): Response {
  if (!(value instanceof Response)) {
    throw new TypeError(
      `${author} must return a Response, but this one returned ${
        kindOf(value)
      }`,
    );
  }
  if (isUnusable(value)) {
    throw new TypeError(
      `${author} returned a Response whose body was ${
        value.bodyUsed ? "already used" : "locked"
      }; return a new one, or its clone()`,
    );
  }
  if (value.type === "error") {
    throw new TypeError(
      `${author} returned Response.error(), which is no answer; return a Response with a status`,
    );
  }
  return value;
}

/** Where Deno notes that a body was sent in a fast way, which leaves no other trace. */
const SENT = ownSymbol("serve fast consumed");
/** Where Deno keeps the rest of a response, its body in `body`. */
const INNER = ownSymbol("response");

function ownSymbol(name: string): symbol {
  const symbols = Object.getOwnPropertySymbols(new Response(""));
  return symbols.find(({ description }) => description === name) ??
    Symbol(name);
}

/**
 * Whether the body of a response was read, sent or locked. To ask `bodyUsed` or
 * `body` makes Deno give up its fast ways to send a text or bytes: that alone costs
 * a tenth of all requests a second (`tests/bench/http/main.ts --cases=param`). So
 * Deno's own members are asked, as long as they are what they are known to be.
 */
const isUnusable = knowsMembers() ? isUnusableByMembers : isUnusableByStandard;

function isUnusableByMembers(response: Response): boolean {
  const { [SENT]: sent, [INNER]: inner } = response as unknown as Record<
    symbol,
    { readonly body?: { unusable(): boolean } | null } | boolean
  >;
  return sent === true ||
    (typeof inner === "object" && (inner.body?.unusable() ?? false));
}

function isUnusableByStandard({ bodyUsed, body }: Response): boolean {
  return bodyUsed || (body?.locked ?? false);
}

function knowsMembers(): boolean {
  const locked = new Response(new ReadableStream());
  locked.body!.getReader();
  try {
    return isUnusableByMembers(locked) &&
      !isUnusableByMembers(new Response(""));
  } catch {
    return false;
  }
}

/** Frees what a response holds that is not sent, such as a connection of `fetch()`. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {
    // Somebody reads it, who will come to its end.
  });
}

/**
 * The answer to `HEAD`: that to `GET` without its body (RFC 9110, 9.3.2). A
 * server does this itself; in process nobody else would.
 */
export async function withoutBody(answer: Response): Promise<Response> {
  if (answer.body === null) return answer;
  const { status, statusText, headers } = answer;
  await answer.body.cancel();
  return new Response(null, { status, statusText, headers });
}

/** What a value is called in a message: `a string`, `an object of class Object`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof value === "object" && name !== undefined
    ? `an object of class ${name}`
    : `a ${typeof value}`;
}
