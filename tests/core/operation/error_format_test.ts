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
import { throwing } from "./support.ts";

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

/** A request that leads to an error, and its status by default. */
type Row = readonly [
  path: string,
  status: number,
  init?: RequestInit,
  more?: {
    /** The issues of an invalid request; otherwise, the detail is shown. */
    readonly issues?: readonly string[];
    readonly headers?: Readonly<Record<string, string>>;
    readonly options?: Partial<FrameworkOptions>;
  },
];

const post = (body: BodyInit, type = "application/json"): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": type },
});
const form: RequestInit = {
  method: "POST",
  body: new URLSearchParams({ title: "a" }),
  headers: { origin: "https://other.example" },
};
const endless: RequestInit = {
  get body() {
    return new ReadableStream({ start() {} });
  },
  method: "POST",
  headers: { "content-type": "application/json" },
};
const lastId = { method: "PUT", headers: { "last-event-id": "\xe9" } };
const allow = "GET, HEAD, POST, PUT, PATCH, OPTIONS";

/** The errors that Bough can create in the folder of a route. */
const ROUTED: Readonly<Record<string, Row>> = {
  "an invalid query": ["/notes", 400, {}, { issues: ["query#/fail"] }],
  "an invalid body": ["/notes", 400, post("{}"), { issues: ["body#/title"] }],
  "malformed JSON under a schema": ["/notes", 400, post("{"), {
    issues: ["body#"],
  }],
  "malformed JSON that a handler reads": ["/notes", 400, {
    ...post("{"),
    method: "PATCH",
  }],
  "a body of another type": ["/notes", 415, post("<a/>", "a/xml")],
  "a body that is too large": ["/notes", 413, post(" ".repeat(101))],
  "a body that takes too long": ["/notes", 408, endless, {
    options: { bodyTimeout: 20 },
  }],
  "a form of another site": ["/notes", 403, form],
  "an error with a status": ["/notes?fail=http", 409, {}, {
    headers: { "retry-after": "9" },
  }],
  "an unexpected error": ["/notes?fail=error", 500],
  "a malformed id of an event": ["/notes", 400, lastId],
  "a request that opens no socket": ["/socket", 426, {}, {
    headers: { upgrade: "websocket" },
  }],
  "an unsupported method": ["/notes", 405, { method: "DELETE" }, {
    headers: { allow },
  }],
  "an unknown method of a route": ["/notes", 501, { method: "PURGE" }],
};

/** The errors outside of each folder, which have the format of the application. */
const OUTSIDE: Readonly<Record<string, Row>> = {
  "an unknown method": ["/nothing", 501, { method: "PURGE" }],
  "a path without a route": ["/nothing", 404],
  "a malformed path": ["/%zz", 400],
  "an unknown host": ["/notes", 400, {}, {
    options: { allowedHosts: ["example.com"] },
  }],
  "an error of a plugin": ["/plugin", 418, {}, {
    options: { plugins: [PLUGIN] },
  }],
};

/** The status, type and body of the response to a row. */
async function respond(
  [path, , init, { options, headers = {} } = {}]: Row,
  folder: string,
  given: { errors?: ErrorFormat; lazy: boolean },
): Promise<[status: number, type: string | null, text: string]> {
  const application = TestApplication.of(FILES, {
    ...options,
    ...given,
    validateResponses: true,
  });
  const response = await application.fetch(folder + path, init);
  for (const [header, value] of Object.entries(headers)) {
    assertEquals(response.headers.get(header), value);
  }
  const type = response.headers.get("content-type");
  return [response.status, type, await response.text()];
}

for (const [name, row] of Object.entries({ ...ROUTED, ...OUTSIDE })) {
  Deno.test(`${name} has the format of its place (behaviour 8.9)`, async () => {
    using _ = new CapturedLog();
    const [path, status, init, more] = row;
    const folder = path === "/plugin" ? "" : "/api";
    const errors = APPLICATION;
    for (const lazy of [false, true]) {
      const [sent, type, text] = await respond(row, folder, { lazy });
      assertEquals([sent, type], [status, "application/problem+json"]);
      const { title, detail }: ProblemDocument = JSON.parse(text);
      const body = { errors: { body: more?.issues ?? [detail ?? title] } };
      assertEquals(
        await respond(row, folder, { lazy, errors }),
        [
          status === 400 ? 422 : status,
          "application/json",
          JSON.stringify(body),
        ],
      );
      if (name in OUTSIDE) continue;
      const members = status === 409 ? " by errors" : "";
      assertEquals(await respond(row, "/api/old", { lazy, errors }), [
        status,
        "text/plain; charset=utf-8",
        `${status} ${init?.method ?? "GET"}${members}`,
      ]);
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
  const problem = { status: 404, title: "", type: "" };
  const headers = { "content-type": "application/problem+json" };
  const application = TestApplication.of({
    "thrown/route.ts": failing((error) => Promise.reject(error)),
    "returned/route.ts": returned,
    "old/middleware.ts": { errors: FOLDER },
    "old/returned/route.ts": returned,
    "old/problem/route.ts": failing(() =>
      Response.json(problem, { status: 404, headers })
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
    const [path, status, text, logged] of [
      ["thrown", 404, json, 0],
      ["returned", 404, json, 0],
      ["old/returned", 404, "404 GET", 0],
      ["old/problem", 500, "500 GET", 1],
    ] as const
  ) {
    const response = await application.fetch(`/api/${path}`);
    assertEquals(
      [response.status, await response.text(), log.lines.length],
      [status, text, logged],
    );
  }
  assertMatch(
    log.lines.join(),
    /the content type is "application\/problem\+json" instead of "text\/plain/,
  );
});

/** A format that is to be changed. */
const FORMAT = {
  contentType: "application/json",
  schema: z.string() as z.ZodType,
  format: (): unknown => "",
};
const fail = () => {
  throw new Error("oops");
};

Deno.test("if a format fails, or its schema throws, Bough logs the error and responds with a problem document (behaviour 8.9)", async () => {
  const failed = /the error format failed: Error: oops/;
  const schema = z.string().refine(fail);
  for (
    const [change, validateResponses, reason] of [
      [{ format: fail }, false, failed],
      [{ schema }, "warn", failed],
      [{ schema }, true, failed],
      [
        { format: () => Promise.resolve({}) },
        false,
        /format\(\) returned a promise/,
      ],
      [
        { format: () => undefined },
        false,
        /format\(\) returned undefined, which "application\/json"/,
      ],
    ] as const
  ) {
    using log = new CapturedLog();
    const errors = errorFormat({ ...FORMAT, invalid: 422, ...change });
    const application = TestApplication.of(FILES, {
      errors,
      validateResponses,
    });
    const response = await application.fetch("/api/notes");
    const { status, title } = await response.json();
    assertEquals(
      [response.status, status, title],
      [422, 422, "Unprocessable Entity"],
    );
    assertMatch(log.lines.join("\n"), reason);
  }
});

const circular: Record<string, unknown> = {};
circular.self = circular;

/** Values that `JSON.stringify()` rejects. */
const VALUES: Readonly<Record<string, unknown>> = {
  "a bigint": 7n,
  "a cycle": circular,
  "a nested bigint": [{ id: 7n }],
  "a toJSON() that throws": { toJSON: fail },
};

const textFormat = (
  format: (extensions: Readonly<Record<string, unknown>>) => unknown,
) =>
  errorFormat({
    ...FORMAT,
    contentType: "text/plain",
    format: ({ extensions }) => format(extensions),
  });

/** The response to an error with such a value, and the log. */
async function seatsOf(left: unknown, options: Partial<FrameworkOptions> = {}) {
  using log = new CapturedLog();
  const headers = { "retry-after": "5" };
  const application = TestApplication.of({
    "seats/route.ts": throwing(() =>
      new HttpError(409, "Taken", { headers, left, code: "taken" })
    ),
  }, options);
  const response = await application.fetch("/api/seats");
  assertEquals(response.headers.get("retry-after"), "5");
  return [response.status, await response.text(), ...log.lines] as const;
}

for (const [what, value] of Object.entries(VALUES)) {
  Deno.test(`an HttpError with ${what} keeps its status, and its members are logged (behaviour 8.2, 8.9)`, async () => {
    const problem = { type: "about:blank", title: "Conflict", status: 409 };
    const json = errorFormat({
      ...FORMAT,
      schema: z.unknown() as z.ZodType,
      format: ({ extensions }) => ({ ...extensions }),
    });
    for (const validateResponses of [false, "warn", true] as const) {
      for (
        const [errors, line] of [
          [
            undefined,
            /^\[bough\] GET \/api\/seats.* failed: TypeError: Cannot send the members "left", "code" of an HttpError with status 409: JSON cannot represent them/,
          ],
          [json, /seats.*: the error format failed: /],
          [
            textFormat((extensions) => JSON.stringify(extensions)),
            /seats.*: the error format failed: /,
          ],
        ] as const
      ) {
        const options = { validateResponses, ...(errors && { errors }) };
        const [status, text, ...lines] = await seatsOf(value, options);
        assertEquals(
          [status, JSON.parse(text), lines.length],
          [409, { ...problem, detail: "Taken" }, 1],
        );
        assertMatch(lines[0]!, line);
      }
    }
  });
}

Deno.test("a format may write values that JSON cannot represent (behaviour 8.9)", async () => {
  const errors = textFormat(({ left }) => `${left} left`);
  assertEquals(await seatsOf(7n, { errors }), [409, "7 left"]);
});

Deno.test("validateResponses checks the body that a format creates (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  const errors = errorFormat({
    ...FORMAT,
    schema: z.object({ message: z.string() }) as z.ZodType,
    format: ({ title }) => ({ message: title, hash: "secret" }),
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

Deno.test("errorFormat() rejects invalid members", () => {
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
      () => errorFormat({ ...FORMAT, ...change } as unknown as ErrorFormat),
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
        { "middleware.ts": { error: FOLDER, default: () => new Response() } },
        'export "error" has no effect; name it "errors"',
      ],
    ] as const
  ) {
    const application = TestApplication.of(files);
    const { faults } = await application.app.inspect();
    assertEquals(faults.map(({ reason }) => reason), [message]);
  }
});
