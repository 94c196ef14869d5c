/**
 * Returns `value` if it is a response that can be sent.
 *
 * It does not look for a body that is merely locked: touching `body` costs more
 * than all the rest of a request. `app.serve()` answers that case.
 *
 * @param author Who made it, for the message.
 * @throws {TypeError} If it is no `Response`, `Response.error()`, or one whose
 * body was read already.
 */
export function assertUsable(value: unknown, author = "A handler"): Response {
  if (!(value instanceof Response)) {
    throw new TypeError(
      `${author} must return a Response, but this one returned ${
        kindOf(value)
      }`,
    );
  }
  if (isUsed(value)) {
    throw new TypeError(
      `${author} returned a Response whose body was already used; return a new one, or its clone()`,
    );
  }
  if (value.type === "error") {
    throw new TypeError(
      `${author} returned Response.error(), which is no answer; return a Response with a status`,
    );
  }
  return value;
}

/**
 * Where Deno keeps the body of `new Response("text")` and of `Response.json()`,
 * until anything touches it. Even `bodyUsed` does, and what is sent then takes a
 * slower way: that alone costs a tenth of all requests a second
 * (`tests/bench/http/main.ts --cases=param`). A body that still lies there was
 * not used. Where no such place is known, `bodyUsed` is asked.
 */
const UNTOUCHED_BODY = Object.getOwnPropertySymbols(new Response("")).find(
  ({ description }) => description === "lazy static body",
);

function isUsed(response: Response): boolean {
  if (
    UNTOUCHED_BODY !== undefined &&
    Reflect.get(response, UNTOUCHED_BODY) != null
  ) return false;
  return response.bodyUsed;
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
