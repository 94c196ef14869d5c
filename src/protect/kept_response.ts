import { HttpError } from "../core/errors.ts";
import { copyResponse, isStreamed } from "../core/common/response.ts";
import type { Outcome } from "./store.ts";

/** Headers of one connection, one client or one time, which are not repeated. */
const UNREPEATED =
  /^(?:connection|date|keep-alive|proxy-.*|ratelimit.*|server-timing|set-cookie|te|trailer|transfer-encoding|upgrade)$/;

/**
 * Returns the response to send, and the values to store, the best first: the response,
 * then only its status. For a stream or a large response, there is only the second.
 */
export async function keep(
  response: Response,
  maxBytes: number,
): Promise<
  { readonly response: Response; readonly values: Outcome["value"][] }
> {
  const { status, headers } = response;
  const values = [lineOf({ status })];
  if (isStreamed(response)) return { response, values };
  const body = await response.bytes();
  const kept = [...headers].filter(([name]) => !UNREPEATED.test(name));
  const line = lineOf({ status, headers: kept });
  const size = line.length + body.length;
  if (size <= maxBytes) {
    const value = new Uint8Array(size);
    value.set(line);
    value.set(body, line.length);
    values.unshift(value);
  }
  return {
    response: copyResponse(response, body.length > 0 ? body : null),
    values,
  };
}

function lineOf(head: object): Outcome["value"] {
  return new TextEncoder().encode(`${JSON.stringify(head)}\n`);
}

/**
 * Repeats a response that was kept.
 *
 * @throws {HttpError} With 409, if only the status was kept.
 * @throws {Error} If the value is corrupt.
 */
export function repeat(value: Outcome["value"]): Response {
  const kept = read(value);
  if (kept instanceof Response) return kept;
  throw new HttpError(
    409,
    `The first request with this key had status ${kept}; its response was too large to keep, or a stream`,
  );
}

/** The response in a value, or only its status. */
function read(value: Outcome["value"]): Response | number {
  try {
    const end = value.indexOf("\n".charCodeAt(0));
    const head = new TextDecoder().decode(value.subarray(0, end));
    const { status, headers } = JSON.parse(head);
    if (headers === undefined && status > 0) return status;
    if (!(status >= 200)) throw new RangeError(`The status is ${status}`);
    const body = value.subarray(end + 1);
    const init = { status, headers };
    const response = new Response(body.length > 0 ? body : null, init);
    response.headers.set("idempotency-replayed", "true");
    return response;
  } catch (cause) {
    const message = "Cannot repeat a response: the stored value is corrupt";
    throw new Error(message, { cause });
  }
}
