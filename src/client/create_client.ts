import { mergeHeaders, removeTrailingSlash } from "openapi-fetch";
import {
  checkOptions,
  FUNCTION,
  HEADERS,
  type Members,
} from "../core/common/forms.ts";
import { METHODS } from "../core/methods.ts";
import { fillPath, WILDCARD } from "../shared/fill_path.ts";
import type { Primitive, RetryOption, SignalOption } from "./call_types.ts";
import type { Client } from "./client.ts";
import { readEvents } from "./events.ts";
import type { MethodOption, StreamOptions } from "./live_types.ts";
import { readResponse } from "./read_response.ts";
import { sendPatiently } from "./retry.ts";
import { openSocket, type SocketCall, type SocketClass } from "./socket.ts";

/** The options of a call, without the types of its route. */
interface Sent extends RetryOption, SignalOption {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, Primitive | undefined>>;
  readonly body?: unknown;
  readonly type?: string;
}

/** Options of {@linkcode createClient}. */
export interface ClientOptions {
  /**
   * The URL of the API with its prefix, such as `https://shop.example/api`, without a
   * query or fragment. A path is relative to the origin of the page, or to
   * `http://localhost` outside of a page.
   *
   * @default {"/api"}
   */
  readonly baseUrl?: string;
  /**
   * Sends a request. With `app.fetch`, a test does not need a port.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /**
   * Headers of every request, such as `authorization`. Sockets do not send these
   * headers.
   */
  readonly headers?: HeadersInit;
  /**
   * Opens a socket.
   *
   * @default {globalThis.WebSocket}
   */
  readonly WebSocket?: SocketClass;
}

/**
 * Creates a client of an application.
 *
 * A call sends its body as JSON, as a form if one of the members is a `Blob`, or
 * unchanged if the body is a `Blob`. The option `type` sends another media type that
 * `content()` declares, such as `text/csv`. A call rejects if `fetch` rejects; a response
 * with an error status is a result.
 *
 * @typeParam Routes The map of the routes: `Routes` of the file that `bough types`
 * writes, or the `typeof` of a manifest.
 * @typeParam Errors The error format of the application, such as `typeof errors`. The
 * map of the routes contains the formats of folders. The format determines the type of
 * errors that no schema declares.
 * @param options The URL of the API, and the functions that send requests and open
 * sockets.
 * @returns The client. Its calls throw a {@linkcode TypeError} if a path cannot contain
 * a value.
 * @throws {TypeError} If an option is unknown or invalid. A `baseUrl` must begin with a
 * scheme or a slash, and have no query or fragment.
 *
 * @example A test without a port
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { createClient } from "@bough/framework/client";
 * import { assertEquals } from "@std/assert";
 *
 * const manifest = {
 *   "users/[id]/route.ts": { GET: () => Response.json({ name: "Ada" }) },
 * };
 * const { fetch } = new Framework({ manifest });
 * const api = createClient<typeof manifest>({ fetch });
 *
 * const { status, data } = await api.GET("/users/[id]", { params: { id: "7" } });
 * assertEquals(status, 200);
 * assertEquals(data, { name: "Ada" });
 * ```
 *
 * @example Events
 * ```ts
 * import { Framework, type FrameworkRequest } from "@bough/framework";
 * import { createClient } from "@bough/framework/client";
 * import { events } from "@bough/framework/live";
 * import { assertEquals } from "@std/assert";
 * import { z } from "zod";
 *
 * const schema = { get: { events: { step: z.int(), done: z.null() } } };
 * const manifest = {
 *   "progress/route.ts": {
 *     schema,
 *     GET: (request: FrameworkRequest<typeof schema.get>) =>
 *       events(request, async function* () {
 *         yield { event: "step", data: await Promise.resolve(1) };
 *         yield { event: "done", data: null };
 *       }),
 *   },
 * };
 * const { fetch } = new Framework({ manifest });
 * const api = createClient<typeof manifest>({ fetch });
 *
 * for await (const event of api.events("/progress")) {
 *   if (event.event === "done") break;
 *   assertEquals(event.data, 1);
 * }
 * ```
 */
export function createClient<Routes, Errors = undefined>(
  options: ClientOptions = {},
): Client<Routes, Errors> {
  checkOptions("create the client", options, OPTIONS);
  const { fetch: send = globalThis.fetch } = options;
  const baseUrl = resolveBaseUrl(options.baseUrl ?? "/api");

  function urlOf(
    method: string,
    path: string,
    { params = {}, query = {} }: Pick<Sent, "params" | "query">,
  ): string {
    const search = new URLSearchParams();
    for (const [name, value] of membersOf(query)) {
      search.append(name, textOf(value));
    }
    return baseUrl + pathnameOf(method, path, params) +
      (String(search) && `?${search}`);
  }

  async function respond(
    method: string,
    path: string,
    sent: Sent = {},
  ): Promise<Response> {
    const url = urlOf(method, path, sent);
    const body = sent.body === undefined ? null : bodyOf(sent.body, sent.type);
    // `Request` itself sets the content type of a form, with the boundary.
    const type = typeof body === "string"
      ? { "content-type": sent.type ?? "application/json" }
      : undefined;
    const headers = mergeHeaders(
      type,
      new Headers(options.headers),
      sent.headers,
    );
    const { signal = null, retryFor = 0 } = sent;
    const attempt = async () => {
      const request = new Request(url, { method, headers, body, signal });
      if (body instanceof Blob || body instanceof FormData) {
        sentBodies.set(request, body);
      }
      return await send(request);
    };
    return await sendPatiently(attempt, { method, headers, signal, retryFor });
  }

  const calls = Object.fromEntries(
    METHODS.map((method) => [
      method,
      async (path: string, options?: Sent) =>
        readResponse(await respond(method, path, options), method),
    ]),
  );

  function events(
    path: string,
    { method = "GET", ...sent }: Sent & StreamOptions & MethodOption<string> =
      {},
  ): ReturnType<typeof readEvents> {
    return readEvents({
      ...sent,
      method,
      path,
      connect: (headers, signal) =>
        respond(method, path, {
          ...sent,
          headers: { ...sent.headers, ...headers },
          signal,
        }),
    });
  }

  function socket(
    path: string,
    sent: Pick<Sent, "params" | "query"> & Partial<SocketCall> = {},
  ): ReturnType<typeof openSocket> {
    return openSocket({
      ...sent,
      url: urlOf("GET", path, sent).replace(/^http/, "ws"),
      path,
      WebSocket: options.WebSocket ?? globalThis.WebSocket,
    });
  }

  return { ...calls, events, socket } as unknown as Client<Routes, Errors>;
}

/** @throws {TypeError} If `baseUrl` is not a URL or a path, or has a query. */
function resolveBaseUrl(baseUrl: string): string {
  const found = `Cannot create the client: the baseUrl "${baseUrl}"`;
  if (/[?#]/.test(baseUrl)) {
    throw new TypeError(
      `${found} has a query or a fragment; pass a query to each call`,
    );
  }
  const origin = globalThis.location?.origin ?? "http://localhost";
  // `URL` would read "localhost:" as a scheme, and "shop.example" as a path.
  const url = /^(?:https?:\/)?\//i.test(baseUrl)
    ? URL.parse(baseUrl, origin)
    : null;
  if (url !== null) return removeTrailingSlash(url.href);
  throw new TypeError(
    `${found} must be a URL or a path, such as "https://shop.example/api" or "/api"`,
  );
}

const OPTIONS: Members<keyof ClientOptions> = {
  baseUrl: {
    accepts: (value) => typeof value === "string",
    expected: 'must be a string, such as "https://shop.example/api"',
  },
  fetch: FUNCTION,
  headers: HEADERS,
  WebSocket: FUNCTION,
};

/** The forms and files of requests, which `XMLHttpRequest` sends without a copy. */
export const sentBodies = new WeakMap<Request, Blob | FormData>();

/**
 * Returns the path of a URL, with the values of its parameters.
 *
 * @throws {TypeError} If a value is missing, or would lead to another route, such as an
 * empty string, `.` or `..`.
 */
function pathnameOf(
  method: string,
  path: string,
  params: Readonly<Record<string, unknown>>,
): string {
  return fillPath(path, (name) => {
    // Read only own properties, since all objects inherit "constructor".
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const rest = value as readonly unknown[] | undefined;
    const values = name === WILDCARD && rest?.length ? [rest].flat() : [value];
    return values.map((value) => {
      const segment = String(value ?? "");
      if (segment !== "" && segment !== "." && segment !== "..") return segment;
      throw new TypeError(
        `Cannot call ${method} "${path}": the value of "${name}" is ${
          value === undefined
            ? "missing"
            : `"${segment}", which a path cannot contain`
        }`,
      );
    });
  });
}

/**
 * Returns the members as pairs. Repeats the name for each item of an array, and omits
 * `undefined`, and `null`, which only JSON can express.
 */
function membersOf(value: object): (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([name, values]) =>
    [values].flat().filter((each) => each !== undefined && each !== null)
      .map((each) => [name, each] as const)
  );
}

/**
 * Writes a value of a query or a form. Objects are written as JSON, and a `Date` as in
 * JSON, since its own string has no milliseconds.
 */
function textOf(value: unknown): string {
  if (typeof value !== "object") return String(value);
  const json = JSON.stringify(value);
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/**
 * Writes a body by its media type. Without a type, writes the body as JSON, or as a form
 * if a member or an item of a member is a `Blob`. A body that is a `Blob` is unchanged.
 */
function bodyOf(
  body: unknown,
  type?: string,
): FormData | URLSearchParams | Blob | string {
  if (body instanceof Blob) return body;
  if (type?.startsWith("text/")) return String(body);
  const members = typeof body === "object" && body !== null
    ? membersOf(body)
    : [];
  if (type === "application/x-www-form-urlencoded") {
    return new URLSearchParams(
      members.map(([name, value]) => [name, textOf(value)]),
    );
  }
  const isForm = type === undefined
    ? members.some(([, value]) => value instanceof Blob)
    : type === "multipart/form-data";
  if (!isForm) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of members) {
    if (!(value instanceof Blob)) form.append(name, textOf(value));
  }
  // A server that streams files reads the other fields first.
  for (const [name, value] of members) {
    if (value instanceof Blob) form.append(name, value);
  }
  return form;
}
