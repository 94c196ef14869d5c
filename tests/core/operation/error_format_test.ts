/** Error formats, for the errors that Bough can create (behaviour 8.9). */
import {
  type ErrorFormat,
  errorFormat,
  errorResponse,
  type FrameworkOptions,
  HttpError,
  type Plugin,
} from "@bough/framework";
import type { ProblemDocument } from "@bough/framework/client";
import { events, socket } from "@bough/framework/live";
import { Problem } from "@bough/framework/openapi";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";

const APPLICATION = errorFormat({
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
const FOLDER = errorFormat({
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

const FILES: Readonly<Record<string, TestModule>> = {
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
interface Row {
  readonly path: string;
  readonly init?: RequestInit;
  /** The status by default, and whether the request is invalid. */
  readonly status: number;
  readonly isInvalid?: boolean;
  /** The issues of an invalid request; otherwise, the detail is shown. */
  readonly issues?: readonly string[];
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
const ROWS: Readonly<Record<string, Row>> = {
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
    headers: { allow: "GET, HEAD, POST, PUT, PATCH, OPTIONS" },
  },
  "an unknown method of a route": {
    path: "/notes",
    init: { method: "PURGE" },
    status: 501,
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

/** The status, type and body of the response to a row. */
async function respond(
  { init, options, headers = {} }: Row,
  path: string,
  given: { errors?: ErrorFormat; lazy: boolean },
): Promise<[status: number, type: string | null, text: string]> {
  const application = TestApplication.of(FILES, {
    ...options,
    ...given,
    validateResponses: true,
  });
  const response = await application.fetch(path, init);
  for (const [header, value] of Object.entries(headers)) {
    assertEquals(response.headers.get(header), value);
  }
  const type = response.headers.get("content-type");
  return [response.status, type, await response.text()];
}

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`${name} has the format of its place (behaviour 8.9)`, async () => {
    using _ = new CapturedLog();
    const { path, status, isInvalid } = row;
    const place = (path === "/plugin" ? "" : "/api") + path;
    for (const lazy of [false, true]) {
      const [sent, type, text] = await respond(row, place, { lazy });
      assertEquals([sent, type], [status, "application/problem+json"]);
      const { title, detail }: ProblemDocument = JSON.parse(text);
      const body = { errors: { body: row.issues ?? [detail ?? title] } };
      assertEquals(
        await respond(row, place, { lazy, errors: APPLICATION }),
        [isInvalid ? 422 : status, "application/json", JSON.stringify(body)],
      );
      if (row.isOutside) continue;
      const extensions = status === 409 ? " by errors" : "";
      assertEquals(
        await respond(row, `/api/old${path}`, { lazy, errors: APPLICATION }),
        [
          status,
          "text/plain; charset=utf-8",
          `${status} ${row.init?.method ?? "GET"}${extensions}`,
        ],
      );
    }
  });
}

Deno.test("errorResponse() and validateResponses know the format of a route (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  const failing = (respond: (error: Error, request: Request) => unknown) => ({
    schema: { get: { response: { 404: Problem } } },
    GET: (request) => respond(new HttpError(404, "Not here"), request),
  } satisfies TestModule);
  const returned = failing(errorResponse);
  const application = TestApplication.of({
    "thrown/route.ts": failing((error) => {
      throw error;
    }),
    "returned/route.ts": returned,
    "old/middleware.ts": { errors: FOLDER },
    "old/returned/route.ts": returned,
    "old/problem/route.ts": failing(() =>
      Response.json({ type: "", title: "", status: 404 }, {
        status: 404,
        headers: { "content-type": "application/problem+json" },
      })
    ),
  }, {
    errors: APPLICATION,
    validateResponses: true,
    middleware: [
      (request, next) => next().catch((error) => errorResponse(error, request)),
    ],
  });
  const json = '{"errors":{"body":["Not here"]}}';
  for (
    const [path, text] of [
      ["/api/thrown", json],
      ["/api/returned", json],
      ["/api/old/returned", "404 GET"],
    ] as const
  ) {
    const response = await application.fetch(path);
    assertEquals([response.status, await response.text()], [404, text]);
  }
  assertEquals(log.lines, []);
  const response = await application.fetch("/api/old/problem");
  assertEquals([response.status, await response.text()], [500, "500 GET"]);
  assertMatch(
    log.lines.join(),
    /the content type is "application\/problem\+json" instead of "text\/plain/,
  );
});

Deno.test("if a format fails, Bough logs the error and responds with a problem document (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  for (
    const [format, reason] of [
      [() => {
        throw new Error("oops");
      }, /the error format failed: Error: oops/],
      [() => Promise.resolve({}), /format\(\) returned a promise/],
      [
        () => undefined,
        /format\(\) returned undefined, which "application\/json"/,
      ],
    ] as const
  ) {
    const errors = errorFormat({
      contentType: "application/json",
      schema: z.any(),
      invalid: 422,
      format,
    });
    const application = TestApplication.of(FILES, { errors });
    const response = await application.fetch("/api/notes");
    assertEquals(response.status, 422);
    const { status, title } = await response.json();
    assertEquals([status, title], [422, "Unprocessable Entity"]);
    assertMatch(log.lines.at(-1)!, reason);
  }
});

Deno.test("validateResponses checks the body that a format creates (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  const errors = errorFormat({
    contentType: "application/json",
    schema: z.object({ message: z.string() }),
    // deno-lint-ignore no-explicit-any
    format: ({ title }): any => ({ message: title, hash: "secret" }),
  });
  for (const validateResponses of [true, "warn", false] as const) {
    const application = TestApplication.of(FILES, {
      errors,
      validateResponses,
    });
    const response = await application.fetch("/api/nothing");
    assertEquals(response.status, validateResponses === true ? 500 : 404);
    const value = await response.json();
    assertEquals("hash" in value, validateResponses !== true);
  }
  const printed = log.lines.filter((line) => line.includes('"#/hash"'));
  assertEquals(printed.length, 2);
});

Deno.test("if the schema of a format throws, Bough logs the error and responds with a problem document (behaviour 8.9)", async () => {
  const fail = () => {
    throw new Error("secret");
  };
  const errors = errorFormat({
    contentType: "application/json",
    schema: z.string().refine(fail),
    format: ({ title }) => title,
  });
  for (const validateResponses of ["warn", true] as const) {
    using log = new CapturedLog();
    const application = TestApplication.of({
      "route.ts": { GET: () => new Response() },
    }, { errors, validateResponses });
    const response = await application.fetch("/api/nothing");
    assertEquals(response.status, 404);
    assertEquals((await response.json()).detail, "No route matches this path");
    assertMatch(log.lines.join("\n"), /the error format failed: Error: secret/);
  }
});

Deno.test("errorFormat() rejects invalid members", () => {
  const format = {
    contentType: "application/json",
    schema: z.string(),
    format: () => "",
  };
  for (
    const [change, message] of [
      [{ contentType: "image/png" }, "contentType must be a JSON or text type"],
      [{ contentType: "text/*" }, "contentType must be a JSON or text type"],
      [{ contentType: "application/*+json" }, "contentType must be"],
      [{ contentType: "text/plain\u2028" }, "contentType must be"],
      [{ contentType: undefined }, "contentType must be"],
      [{ schema: {} }, "schema must be a Standard Schema"],
      [{ invalid: 500 }, "invalid must be a status from 400 to 499, got 500"],
      [{ format: "text" }, "format must be a function"],
      [{ status: 422 }, 'option "status" is unknown'],
    ] as const
  ) {
    assertThrows(
      () => errorFormat({ ...format, ...change } as unknown as ErrorFormat),
      TypeError,
      `Cannot create an error format: ${message}`,
    );
  }
});

Deno.test("an error format in a wrong place prevents startup", async () => {
  for (
    const [files, message] of [
      [
        { "middleware.ts": { errors: { format() {} } } },
        "errors must be a result of errorFormat(), got an object",
      ],
      [
        { "route.ts": { errors: FOLDER, GET: () => new Response() } },
        'export "errors" has no effect in a route file; export it from the middleware file of a folder, or pass it in the option errors',
      ],
      [
        {
          "middleware.ts": {
            error: FOLDER,
            default: (_: unknown, next: () => unknown) => next(),
          },
        },
        'export "error" has no effect; name it "errors"',
      ],
    ] as const
  ) {
    const application = TestApplication.of(files);
    const { faults } = await application.app.inspect();
    assertEquals(faults.map(({ reason }) => reason), [message]);
  }
});
