import { resultWithin } from "../../core/common/deadline.ts";
import { isJson, mediaType } from "../../core/common/media_type.ts";
import { messageOf, quoted } from "../../core/common/values.ts";
import { HttpError } from "../../core/errors.ts";
import type { RequestHandler } from "../../core/request/application.ts";
import type { RequestEntry } from "./entry.ts";

/** Headers of the connection, and of the length, which secrets change. */
const OWN_HEADERS =
  /^(?:connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i;

/** A request to send to the application. */
export interface Outgoing {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  readonly headers: readonly (readonly string[])[];
  readonly body?: string | undefined;
}

/**
 * Returns the request that an entry recorded.
 *
 * @param values The values of the secrets, which the entry does not contain.
 * @throws {HttpError} If the request cannot be repeated, or if a value is missing.
 */
export function repeated(
  { id, method, url, request: { headers, body }, ...entry }: RequestEntry,
  values: Readonly<Record<string, string>>,
): Outgoing {
  const { unrepeatable, secrets } = entry;
  if (unrepeatable !== undefined) {
    const detail = `Cannot repeat request ${id}: ${unrepeatable}`;
    throw new HttpError(409, detail);
  }
  const outgoing = { method, url, headers, body: body?.text };
  const text = JSON.stringify(outgoing);
  const missing = secrets.filter((name) =>
    text.includes(`«${name}»`) && !Object.hasOwn(values, name)
  );
  if (missing.length === 0) return outgoing;
  const names = quoted(missing);
  throw new HttpError(
    400,
    `Cannot repeat request ${id}: the inspector keeps no secrets; pass the values of ${names} in "secrets"`,
  );
}

/** Replaces placeholders such as `«password»` with the values of secrets. */
export function withSecrets(
  { method, url, headers, body }: Outgoing,
  values: Readonly<Record<string, string>>,
): Outgoing {
  const fill = (text: string, escape = (value: string) => value) =>
    text.replaceAll(
      /«([^«»]+)»/g,
      (placeholder, name) =>
        Object.hasOwn(values, name) ? escape(values[name]!) : placeholder,
    );
  const [, value = ""] =
    headers.find(([name]) => name?.toLowerCase() === "content-type") ?? [];
  const type = mediaType(value);
  const escape = isJson(type)
    ? (value: string) => JSON.stringify(value).slice(1, -1)
    : type === "application/x-www-form-urlencoded"
    ? encodeURIComponent
    : undefined;
  return {
    method,
    url: fill(url, encodeURIComponent),
    headers: headers.map(([name = "", value = ""]) => [name, fill(value)]),
    body: body && fill(body, escape),
  };
}

/**
 * Sends a request to the handler of the server, as a client would, and waits for its
 * response.
 *
 * @param origin The origin of the server.
 * @throws {HttpError} If the parts do not form a request.
 */
export async function send(
  { method, url, headers, body }: Outgoing,
  { origin, handle, info, patience = 10_000 }: {
    readonly origin: string;
    readonly handle: RequestHandler;
    /** The connection of the sender. */
    readonly info: unknown;
    /** The longest wait for a response, and for the end of its body, in milliseconds. */
    readonly patience?: number;
  },
): Promise<Request> {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const kept = headers.filter(([name = ""]) => !OWN_HEADERS.test(name));
  if (bytes) kept.push(["content-length", `${bytes.length}`]);
  let request: Request;
  try {
    request = new Request(origin + url, {
      method,
      headers: kept as [string, string][],
      // `Request` adds a content type to a string, but not to bytes.
      ...(bytes && { body: bytes }),
    });
  } catch (error) {
    throw new HttpError(400, `Cannot send the request: ${messageOf(error)}`);
  }
  const exchange = async () => {
    const response = await handle(request, info);
    // A stream of events may never end.
    const signal = AbortSignal.timeout(patience);
    await response.body?.pipeTo(new WritableStream(), { signal });
  };
  await resultWithin(exchange().catch(() => {}), patience);
  return request;
}
