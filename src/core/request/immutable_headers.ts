const REFUSAL =
  "The headers of a request, and of a response of fetch(), cannot be changed; pass values to handlers with a RequestState, and set headers of responses in middleware";

function refuse(): never {
  throw new TypeError(REFUSAL);
}

/** Headers that cannot be changed. */
const LOCKED: Headers = Object.create(Headers.prototype, {
  append: { value: refuse },
  delete: { value: refuse },
  set: { value: refuse },
});

/**
 * The key of the member that shows whether Deno's headers are immutable. To read
 * `request.headers` takes microseconds, and to lock them again would, too.
 */
const GUARD = Object.getOwnPropertySymbols(new Request("http://localhost"))
  .find(({ description }) => description === "headers guard") ?? Symbol();

/**
 * Makes the headers of a request immutable, as those of a server's requests are, so that
 * a test without a server finds code that changes them.
 *
 * @returns A function that gives the caller its headers back; `undefined` if the request
 * came from a server.
 */
export function lockHeaders(request: Request): (() => void) | undefined {
  const members = request as unknown as Readonly<Record<symbol, unknown>>;
  if (members[GUARD] === "immutable") return undefined;
  const { headers } = request;
  const prototype = Object.getPrototypeOf(headers);
  Object.setPrototypeOf(headers, LOCKED);
  return () => void Object.setPrototypeOf(headers, prototype);
}

/** Turns Deno's error for a change of immutable headers into one with a remedy. */
export function refusedChange(error: unknown): TypeError | undefined {
  return error instanceof TypeError &&
      /^Cannot change headers?: headers are immutable$/.test(error.message)
    ? new TypeError(REFUSAL, { cause: error })
    : undefined;
}
