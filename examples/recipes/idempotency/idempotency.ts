import { HttpError, type Middleware } from "@bough/framework";

const HOURS_24 = 24 * 60 * 60 * 1000;
const MAX_ENTRIES = 10_000;

/** A request with a key, and its response as soon as there is one. */
interface Entry {
  readonly ends: number;
  /** A hash of the path and the body. */
  readonly request: string;
  response?: {
    status: number;
    headers: Headers;
    body: Uint8Array<ArrayBuffer>;
  };
}

/**
 * By client and key, the oldest first. They end with the process: with several
 * processes, or money, they are rows of a database with a unique key.
 */
const entries = new Map<string, Entry>();

/**
 * Runs only one POST for each key, as the draft "The Idempotency-Key HTTP Header
 * Field" of the IETF describes. A repeated request gets the first response. Run
 * this middleware after authentication, so that strangers cannot fill the memory.
 */
export const requireIdempotencyKey: Middleware = async (request, next) => {
  if (request.method !== "POST") return next();
  const key = request.headers.get("idempotency-key") ?? "";
  if (!/^"?[\w.:-]{8,100}"?$/.test(key)) {
    throw new HttpError(400, "Send an Idempotency-Key, such as a UUID");
  }
  const client = request.headers.get("authorization") ?? "";
  const { pathname } = new URL(request.url);
  // The id includes the client, so that clients cannot read each other's responses.
  const id = await hash(client, key.replaceAll('"', ""));
  const sent = await hash(pathname, await request.bytes());
  const earlier = find(id);
  if (earlier !== undefined) return replay(earlier, sent);
  if (entries.size >= MAX_ENTRIES) {
    throw new HttpError(503, undefined, { headers: { "retry-after": "60" } });
  }
  const entry: Entry = { ends: Date.now() + HOURS_24, request: sent };
  entries.set(id, entry);
  try {
    const response = await next();
    if (response.status < 500) {
      const { status, headers } = response;
      const body = await response.clone().bytes();
      entry.response = { status, headers: new Headers(headers), body };
    }
    return response;
  } finally {
    // A request that was rejected or that failed had no effect, so it may be repeated.
    if (entry.response === undefined) entries.delete(id);
  }
};

function replay({ request, response }: Entry, sent: string): Response {
  if (request !== sent) {
    throw new HttpError(422, "The key belongs to another request");
  }
  if (response === undefined) {
    throw new HttpError(409, "The first request with the key still runs", {
      headers: { "retry-after": "1" },
    });
  }
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.set("idempotency-replayed", "true");
  return new Response(response.body.length > 0 ? response.body : null, {
    status,
    headers,
  });
}

function find(id: string): Entry | undefined {
  for (const [oldest, { ends }] of entries) {
    if (ends > Date.now()) break;
    entries.delete(oldest);
  }
  return entries.get(id);
}

async function hash(...parts: (string | BufferSource)[]): Promise<string> {
  const lines = parts.flatMap((part) => [part, "\n"]);
  const bytes = await new Blob(lines as BlobPart[]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
