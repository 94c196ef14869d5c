import {
  type ErrorFormat,
  errorFormat,
  type FrameworkOptions,
  HttpError,
  type Plugin,
} from "@bough/framework";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../support/application.ts";

const PACKAGE = new URL("../../mod.ts", import.meta.url).href;
const LIVE = new URL("../../src/live/mod.ts", import.meta.url).href;
const ZOD = `import { z } from "npm:zod@^4.1.13";`;

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
const FOLDER = `
  import { errorFormat } from ${JSON.stringify(PACKAGE)};
  ${ZOD}
  export const errors = errorFormat({
    contentType: "text/plain; charset=utf-8",
    schema: z.string(),
    format: ({ status, extensions }, request) =>
      [status, request.method, ...Object.keys(extensions)].join(" "),
  });`;

const ROUTE = `
  import { HttpError } from ${JSON.stringify(PACKAGE)};
  import { events, socket } from ${JSON.stringify(LIVE)};
  ${ZOD}
  export const config = { bodyLimit: 100 };
  export const schema = {
    get: { query: z.object({ fail: z.enum(["error", "http"]) }) },
    post: { body: z.object({ title: z.string() }) },
    put: { events: {} },
    patch: {},
  };
  export function GET(request) {
    if (request.validated.query.fail === "http") {
      throw new HttpError(409, "Taken", {
        by: "Ada", errors: ["own"], headers: { "retry-after": "9" },
      });
    }
    throw new Error("secret");
  }
  export const POST = () => new Response("posted");
  export const PUT = (request) => events(request, async function* () {});
  export const PATCH = (request) => request.json().then(() => new Response());
`;

const SOCKET = `
  import { socket } from ${JSON.stringify(LIVE)};
  export const schema = { get: { socket: {} } };
  export const GET = (request) => socket(request, {});
`;

const FILES = {
  "notes/route.js": ROUTE,
  "socket/route.js": SOCKET,
  "old/middleware.js": FOLDER,
  "old/notes/route.js": ROUTE,
  "old/socket/route.js": SOCKET,
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

interface Row {
  readonly path: string;
  readonly init?: RequestInit;
  /** The status by default, and whether the request is invalid. */
  readonly status: number;
  readonly isInvalid?: boolean;
  /** The issues of an invalid request; otherwise, the detail is shown. */
  readonly issues?: readonly string[];
  /** Whether no folder has the path, so that the application's format holds. */
  readonly isOutside?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Partial<FrameworkOptions>;
}

const json = (body: BodyInit): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/json" },
});

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
  "an unexpected error": {
    path: "/notes?fail=error",
    status: 500,
  },
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
  "a path without a route": {
    path: "/nothing",
    status: 404,
    isOutside: true,
  },
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

for (const [name, row] of Object.entries(ROWS)) {
  for (const lazy of [false, true]) {
    const way = lazy ? ", lazily" : "";
    Deno.test(`${name} has the format of its place${way} (behaviour 8.9)`, async () => {
      using _ = new CapturedLog();
      const { options, path, status, isInvalid } = row;
      const prefix = path === "/plugin" ? "" : "/api";
      const respond = async (errors: ErrorFormat | undefined, path: string) => {
        await using application = await TestApplication.create(FILES, {
          ...options,
          lazy,
          ...(errors && { errors }),
          validateResponses: true,
        });
        const response = await application.fetch(path, row.init);
        for (const [header, value] of Object.entries(row.headers ?? {})) {
          assertEquals(response.headers.get(header), value);
        }
        const type = response.headers.get("content-type");
        return { status: response.status, type, text: await response.text() };
      };

      const byDefault = await respond(undefined, prefix + path);
      const { detail, title } = JSON.parse(byDefault.text);
      assertEquals(byDefault, {
        status,
        type: "application/problem+json",
        text: byDefault.text,
      });
      assertEquals(await respond(APPLICATION, prefix + path), {
        status: isInvalid ? 422 : status,
        type: "application/json",
        text: JSON.stringify({
          errors: { body: row.issues ?? [detail ?? title] },
        }),
      });
      if (row.isOutside) return;
      const extensions = status === 409 ? " by errors" : "";
      assertEquals(await respond(APPLICATION, `/api/old${path}`), {
        status,
        type: "text/plain; charset=utf-8",
        text: `${status} ${row.init?.method ?? "GET"}${extensions}`,
      });
    });
  }
}

Deno.test("a format that fails is logged, and the response is a problem document (behaviour 8.9)", async () => {
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
    await using application = await TestApplication.create(FILES, { errors });
    const response = await application.fetch("/api/notes");
    assertEquals(response.status, 422);
    const { status, title } = await response.json();
    assertEquals([status, title], [422, "Unprocessable Entity"]);
    assertMatch(log.lines.at(-1)!, reason);
  }
});

Deno.test("validateResponses checks what a format makes (behaviour 8.9)", async () => {
  using log = new CapturedLog();
  const errors = errorFormat({
    contentType: "application/json",
    schema: z.object({ message: z.string() }),
    // deno-lint-ignore no-explicit-any
    format: ({ title }): any => ({ message: title, hash: "secret" }),
  });
  for (const validateResponses of [true, "warn", false] as const) {
    await using application = await TestApplication.create(FILES, {
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

Deno.test("errorFormat() checks its members", () => {
  const format = {
    contentType: "application/json",
    schema: z.string(),
    format: () => "",
  };
  for (
    const [change, message] of [
      [{ contentType: "image/png" }, "contentType must be a JSON or text type"],
      [{ contentType: undefined }, "contentType must be"],
      [{ schema: {} }, "schema must be a schema of the body"],
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
        { "middleware.js": "export const errors = { format() {} };" },
        'export "errors" must be a result of errorFormat()',
      ],
      [
        { "route.js": `${FOLDER} export const GET = () => new Response();` },
        'export "errors" has no effect in a route file; export it from the middleware file of a folder, or pass it in the option errors',
      ],
      [
        {
          "middleware.js": FOLDER.replace("errors =", "error =") +
            "export default (request, next) => next();",
        },
        'export "error" has no effect; name it "errors"',
      ],
    ] as const
  ) {
    await using application = await TestApplication.create(files);
    const { faults } = await application.app.inspect();
    assertEquals(faults.map(({ reason }) => reason), [message]);
  }
});
