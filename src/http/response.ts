/**
 * Returns `value` if it is a response that can be sent.
 *
 * It does not look for a body that is merely locked: touching `body` costs more
 * than all the rest of a request. `app.serve()` answers that case.
 *
 * @throws {TypeError} If it is no `Response`, `Response.error()`, or one whose
 * body was read already.
 */
export function assertUsable(value: unknown): Response {
  if (!(value instanceof Response)) {
    throw new TypeError(
      `A handler must return a Response, but this one returned ${
        kindOf(value)
      }`,
    );
  }
  if (value.bodyUsed) {
    throw new TypeError(
      "A handler returned a Response whose body was already used; return a new one, or its clone()",
    );
  }
  if (value.type === "error") {
    throw new TypeError(
      "A handler returned Response.error(), which is no answer; return a Response with a status",
    );
  }
  return value;
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

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof value === "object" && name !== undefined
    ? `an object of class ${name}`
    : `a ${typeof value}`;
}
