import {
  type ErrorFormat,
  errorFormat,
  errorResponse,
  HttpError,
} from "@bough/framework";
import {
  type ClientErrorStatus,
  createClient,
  type ProblemDocument,
  type ServerErrorStatus,
} from "@bough/framework/client";
import {
  createDocument,
  type DocumentedResponse,
  Problem,
  type Reference,
} from "@bough/framework/openapi";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { APPLICATION, FILES, FOLDER, type Row, ROWS } from "./error_rows.ts";

/** The map of the routes, for the client. */
interface Routes {
  "notes/route.ts": { GET(): Response };
  "old/middleware.ts": { errors: ErrorFormat<z.ZodString> };
  "old/notes/route.ts": { GET(): Response };
}

/** Whether a result is an error, for the compiler. */
function isError<Result extends { readonly status: number }>(
  result: Result,
): result is Extract<
  Result,
  { readonly status: ClientErrorStatus | ServerErrorStatus }
> {
  return result.status >= 400;
}

/** The response of an application to a row, and its description in the document. */
async function seen(
  { init, options, headers = {} }: Row,
  path: string,
  { errors, lazy }: { errors?: ErrorFormat; lazy: boolean },
): Promise<{
  response: Response;
  status: number;
  type: string | null;
  text: string;
  documented: Readonly<Record<string, string | undefined>>;
}> {
  const application = TestApplication.of(FILES, {
    ...options,
    lazy,
    ...(errors && { errors }),
    validateResponses: true,
  });
  const response = await application.fetch(path, init);
  for (const [header, value] of Object.entries(headers)) {
    assertEquals(response.headers.get(header), value);
  }
  const info = { title: "Test", version: "1" };
  const { document } = createDocument(await application.app.routes(), { info });
  const { pathname } = new URL(path, "http://localhost");
  const method = (init?.method ?? "GET").toLowerCase();
  const { status } = response;
  const named: DocumentedResponse | Reference =
    document.paths[pathname]?.[method]?.responses[status] ??
      { description: "" };
  const { content = {} } = "$ref" in named
    ? document.components.responses[named.$ref.split("/").at(-1)!]!
    : named;
  const documented = Object.entries(content).map(([type, { schema }]) => {
    const { $ref } = schema as { $ref: string };
    const json = document.components.schemas[$ref.split("/").at(-1)!];
    return [type, JSON.stringify(json)];
  });
  return {
    response: response.clone(),
    status,
    type: response.headers.get("content-type"),
    text: await response.text(),
    documented: Object.fromEntries(documented),
  };
}

/** The schema of a format as a document has it. */
function jsonSchema(schema: z.ZodType): string {
  const { $schema: _, ...json } = z.toJSONSchema(schema);
  return JSON.stringify(json);
}

for (const [name, row] of Object.entries(ROWS)) {
  for (const lazy of [false, true]) {
    const way = lazy ? ", lazily" : "";
    Deno.test(`${name} has the format of its place${way} (behaviour 8.9)`, async () => {
      using _ = new CapturedLog();
      const { path, status, isInvalid } = row;
      const place = (path === "/plugin" ? "" : "/api") + path;
      const isDocumented = !row.isOutside && !row.isUndocumented;

      const byDefault = await seen(row, place, { lazy });
      const problem: ProblemDocument = JSON.parse(byDefault.text);
      assertEquals(
        [byDefault.status, byDefault.type],
        [status, "application/problem+json"],
      );
      const plain = await createClient<Routes>({
        fetch: () => byDefault.response,
      }).GET("/notes");
      assertType<IsExact<typeof plain.data, unknown>>(true);
      assertType<IsExact<typeof plain.problem, ProblemDocument | undefined>>(
        true,
      );
      assertEquals(plain.problem, problem);

      const errors = APPLICATION;
      const inFormat = await seen(row, place, { lazy, errors });
      const body = {
        errors: { body: row.issues ?? [problem.detail ?? problem.title] },
      };
      assertEquals(
        [inFormat.status, inFormat.type, inFormat.text],
        [isInvalid ? 422 : status, "application/json", JSON.stringify(body)],
      );
      const typed = await createClient<Routes, typeof errors>({
        fetch: () => inFormat.response,
      }).GET("/notes");
      assert(isError(typed));
      assertType<
        IsExact<typeof typed.data, { errors: { body: string[] } }>
      >(true);
      assertEquals(typed.data, body);

      if (isDocumented) {
        assertEquals(Object.keys(byDefault.documented), [byDefault.type]);
        assertEquals(inFormat.documented, {
          "application/json": jsonSchema(errors.schema),
        });
      } else if (!row.isOutside) {
        assertEquals([byDefault.documented, inFormat.documented], [{}, {}]);
      }
      if (row.isOutside) return;

      const folder = await seen(row, `/api/old${path}`, { lazy, errors });
      const extensions = status === 409 ? " by errors" : "";
      const text = `${status} ${row.init?.method ?? "GET"}${extensions}`;
      assertEquals(
        [folder.status, folder.type, folder.text],
        [status, "text/plain; charset=utf-8", text],
      );
      const old = await createClient<Routes, typeof errors>({
        fetch: () => folder.response,
      }).GET("/old/notes");
      assert(isError(old));
      assertType<IsExact<typeof old.data, string>>(true);
      assertEquals(old.data, text);
      assertEquals(
        folder.documented,
        isDocumented ? { "text/plain": jsonSchema(z.string()) } : {},
      );
    });
  }
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
