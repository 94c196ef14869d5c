/** The table of the errors that Bough can create. */
import {
  errorFormat,
  type FrameworkOptions,
  HttpError,
  type Plugin,
} from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { z } from "zod";
import type { TestModule } from "../../support/application.ts";

export const APPLICATION = errorFormat({
  contentType: "application/json",
  schema: z.object({ errors: z.object({ body: z.array(z.string()) }) }),
  invalid: 422,
  format: ({ title, detail, issues }) => ({
    errors: {
      body: issues.length > 0
        ? issues.map(({ in: part, pointer }) => part + pointer)
        : [detail ?? title],
    },
  }),
});

/** The format of a folder, which also shows extension members and the request. */
export const FOLDER = errorFormat({
  contentType: "text/plain; charset=utf-8",
  schema: z.string(),
  format: ({ status, extensions }, request) =>
    [status, request.method, ...Object.keys(extensions)].join(" "),
});

const ROUTE: TestModule = {
  config: { bodyLimit: 100 },
  schema: {
    get: { query: z.object({ fail: z.enum(["error", "http"]) }) },
    post: { body: z.object({ title: z.string() }) },
    put: { events: {} },
    patch: {},
  },
  GET({ validated }) {
    if (validated.query.fail === "http") {
      throw new HttpError(409, "Taken", {
        by: "Ada",
        errors: ["own"],
        headers: { "retry-after": "9" },
      });
    }
    throw new Error("secret");
  },
  POST: () => new Response("posted"),
  PUT: (request) => events(request, async function* () {}),
  PATCH: (request) => request.json().then(() => new Response()),
};

const SOCKET: TestModule = {
  schema: { get: { socket: {} } },
  GET: (request) => socket(request, {}),
};

export const FILES: Readonly<Record<string, TestModule>> = {
  "notes/route.ts": ROUTE,
  "socket/route.ts": SOCKET,
  "old/middleware.ts": { errors: FOLDER },
  "old/notes/route.ts": ROUTE,
  "old/socket/route.ts": SOCKET,
};

const PLUGIN: Plugin = {
  name: "failing",
  routes: () => [{
    path: "/plugin",
    handlers: {
      GET: () => {
        throw new HttpError(418, "Teapot");
      },
    },
  }],
};

/** An error, and the request that leads to it. */
export interface Row {
  readonly path: string;
  readonly init?: RequestInit;
  /** The status by default, and whether the request is invalid. */
  readonly status: number;
  readonly isInvalid?: boolean;
  /** The issues of an invalid request; otherwise, the detail is shown. */
  readonly issues?: readonly string[];
  /** Whether the document omits it, since it is not an error of one operation. */
  readonly isUndocumented?: boolean;
  /** Whether no folder has the path, so that the format of the application counts. */
  readonly isOutside?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Partial<FrameworkOptions>;
}

const json = (body: BodyInit): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/json" },
});

/** The errors that Bough can create. */
export const ROWS: Readonly<Record<string, Row>> = {
  "an invalid query": {
    path: "/notes",
    status: 400,
    isInvalid: true,
    issues: ["query#/fail"],
  },
  "an invalid body": {
    path: "/notes",
    init: json("{}"),
    status: 400,
    isInvalid: true,
    issues: ["body#/title"],
  },
  "malformed JSON under a schema": {
    path: "/notes",
    init: json("{"),
    status: 400,
    isInvalid: true,
    issues: ["body#"],
  },
  "malformed JSON that a handler reads": {
    path: "/notes",
    init: { ...json("{"), method: "PATCH" },
    status: 400,
    isInvalid: true,
  },
  "a body of another type": {
    path: "/notes",
    init: {
      method: "POST",
      body: "<a/>",
      headers: { "content-type": "a/xml" },
    },
    status: 415,
  },
  "a body that is too large": {
    path: "/notes",
    init: json(" ".repeat(101)),
    status: 413,
  },
  "a body that takes too long": {
    path: "/notes",
    get init() {
      return json(new ReadableStream({ start() {} }));
    },
    status: 408,
    options: { bodyTimeout: 20 },
  },
  "a form of another site": {
    path: "/notes",
    init: {
      method: "POST",
      body: new URLSearchParams({ title: "a" }),
      headers: { origin: "https://other.example" },
    },
    status: 403,
  },
  "an error with a status": {
    path: "/notes?fail=http",
    status: 409,
    isUndocumented: true,
    headers: { "retry-after": "9" },
  },
  "an unexpected error": { path: "/notes?fail=error", status: 500 },
  "a malformed id of an event": {
    path: "/notes",
    init: { method: "PUT", headers: { "last-event-id": "\xe9" } },
    status: 400,
    isInvalid: true,
  },
  "a request that opens no socket": {
    path: "/socket",
    status: 426,
    headers: { upgrade: "websocket" },
  },
  "an unsupported method": {
    path: "/notes",
    init: { method: "DELETE" },
    status: 405,
    isUndocumented: true,
    headers: { allow: "GET, HEAD, POST, PUT, PATCH, OPTIONS" },
  },
  "an unknown method of a route": {
    path: "/notes",
    init: { method: "PURGE" },
    status: 501,
    isUndocumented: true,
  },
  "an unknown method": {
    path: "/nothing",
    init: { method: "PURGE" },
    status: 501,
    isOutside: true,
  },
  "a path without a route": { path: "/nothing", status: 404, isOutside: true },
  "a malformed path": {
    path: "/%zz",
    status: 400,
    isInvalid: true,
    isOutside: true,
  },
  "an unknown host": {
    path: "/notes",
    status: 400,
    isInvalid: true,
    isOutside: true,
    options: { allowedHosts: ["example.com"] },
  },
  "an error of a plugin": {
    path: "/plugin",
    status: 418,
    isOutside: true,
    options: { plugins: [PLUGIN] },
  },
};
