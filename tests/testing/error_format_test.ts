import {
  type ErrorFormat,
  errorFormat,
  HttpError,
  type StandardSchemaV1,
} from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  assertDeclared,
  checkContracts,
  type CheckOptions,
  ContractError,
  failureText,
} from "@bough/framework/testing";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  TestServer,
} from "../support/application.ts";
import { checkFast, found, type Modules, passesFast } from "./support.ts";

const ERRORS = errorFormat({
  contentType: "application/json",
  schema: z.object({ errors: z.object({ body: z.array(z.string()) }) }),
  invalid: 422,
  format: ({ title, detail }) => ({ errors: { body: [detail ?? title] } }),
});

const NOTES: TestModule = {
  config: { bodyLimit: 1000 },
  schema: {
    get: { query: z.object({ page: z.coerce.number().int().min(1) }) },
    post: {
      headers: z.object({ "x-kind": z.enum(["a", "b"]) }),
      body: z.object({
        title: z.string().max(20),
        stars: z.int().min(1).max(5),
      }),
      response: { 201: {}, 404: Problem },
    },
  },
  GET: () => new Response(),
  POST: ({ validated }) => {
    if (validated.body.stars > 4) throw new HttpError(404, "No such star");
    return new Response(null, { status: 201 });
  },
};

/** A note with another schema of its title, or further schemas. */
function noteOf(
  title: StandardSchemaV1,
  { PUT = () => new Response(), ...schemas }: {
    readonly PUT?: () => Response;
    readonly headers?: StandardSchemaV1;
  } = {},
): TestModule {
  const params = z.object({ id: z.coerce.number().int().max(1000) });
  const body = z.object({ title: title as z.ZodType });
  return { schema: { put: { params, body, ...schemas } }, PUT };
}

const ITEM = "notes/[id]/route.ts";

const FILES: Modules = {
  "notes/route.ts": NOTES,
  [ITEM]: noteOf(z.string()),
  "old/middleware.ts": {
    errors: errorFormat({
      contentType: "text/plain; charset=utf-8",
      schema: z.string(),
      format: ({ title }) => title,
    }),
  },
  "old/notes/route.ts": NOTES,
};

async function failures(
  files: Modules = {},
  { errors = ERRORS, ...options }: CheckOptions & {
    readonly errors?: ErrorFormat;
  } = {},
): Promise<string[]> {
  const report = await checkFast(
    () => TestApplication.of({ ...FILES, ...files }, { errors }).app,
    { seed: 3, runs: 60, ...options },
  );
  return [...found(report), ...report.failures.map(({ seen }) => seen)];
}

Deno.test("an application with an error format keeps its contract", async () => {
  assertEquals(await failures(), []);
});

Deno.test("a 422 to valid input is found, even in the error format", async () => {
  const throwing = noteOf(z.string(), {
    PUT: () => {
      throw new HttpError(422, "Taken");
    },
  });
  assertEquals(await failures({ [ITEM]: throwing }), [
    "declared PUT /api/notes/[id]",
    "a 422",
  ]);
});

Deno.test("errors of Bough that do not fit their format are found", async () => {
  const errors = errorFormat({
    ...ERRORS,
    // deno-lint-ignore no-explicit-any
    format: (error, request): any => ({
      ...ERRORS.format(error, request) as object,
      ...(error.issues.length > 0 && { issues: error.issues }),
    }),
  });
  using _ = new CapturedLog();
  const seen =
    'a 422 that does not match the error format: at "#/issues" is undeclared; declare it, or do not send it';
  assertEquals(
    await failures({}, { errors, properties: ["refused", "methods"] }),
    [
      "refused PUT /api/notes/[id]",
      "refused GET /api/notes",
      "refused POST /api/notes",
      // One report, since the cause is the same.
      seen,
    ],
  );
});

Deno.test("a report shows the request of a failure that its test cannot find", async () => {
  const errors = errorFormat({
    ...ERRORS,
    format: ({ issues }) => ({
      errors: { body: issues.length > 0 ? [issues.length as never] : [] },
    }),
  });
  using _ = new CapturedLog();
  const { app } = TestApplication.of(FILES, { errors });
  const { failures: [failure] } = await checkFast(app, {
    ...{ seed: 3, runs: 60, properties: ["refused"] },
  });
  assertEquals(await passesFast(failure!.test, app), true);
  assertStringIncludes(failureText(failure!), failure!.curl.at(-1)!);
});

/** The findings in an application with another note than it declares. */
async function between(
  served: TestModule,
  options: CheckOptions,
): Promise<string[]> {
  const errors = ERRORS;
  const contract = TestApplication.of(FILES, { errors }).app;
  const { app } = TestApplication.of({ ...FILES, [ITEM]: served }, { errors });
  const report = await checkFast(
    { fetch: app.fetch, inspect: () => contract.inspect() },
    { seed: 3, runs: 60, ...options },
  );
  return report.failures.map(({ property, operation, seen, expected }) =>
    `${property} ${operation}: ${expected}; ${seen}`
  );
}

Deno.test("contract tests in process know the issues that a format omits", async () => {
  const stricter = noteOf(z.string().min(1000));
  assertEquals(await between(stricter, { properties: ["accepted"] }), [
    "accepted PUT /api/notes/[id]: the request is accepted, since it fits its schemas; a 422: body #/title Too small: expected string to have >=1000 characters",
  ]);
  const looser = noteOf(z.any(), {
    headers: z.object({ "x-missing": z.string() }),
  });
  const [first, ...others] = await between(looser, { properties: ["refused"] });
  assertEquals(others, []);
  assertEquals(
    first?.replace(/names .*;/, "names …;"),
    "refused PUT /api/notes/[id]: a 422 that names …; a 422 that names headers#/x-missing",
  );
});

Deno.test("contract tests of a server know the status of a format", async () => {
  const { app } = TestApplication.of(FILES, { errors: ERRORS });
  await using server = await TestServer.start(app);
  const report = await checkContracts(app, {
    seed: 3,
    runs: 20,
    url: server.url(""),
    unsafe: true,
  });
  assertEquals(found(report), []);
  // This application does not see the request of the test, either.
  const copied = await checkFast({
    fetch: (request) => app.fetch(new Request(request)),
    inspect: () => app.inspect(),
  }, { seed: 3, runs: 20 });
  assertEquals(found(copied), []);
});

Deno.test("assertDeclared() takes Problem as an error in the format of the route", async () => {
  const { app } = TestApplication.of(FILES, { errors: ERRORS });
  const send = (path: string) =>
    app.fetch(
      new Request("http://localhost/api" + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-kind": "a" },
        body: JSON.stringify({ title: "", stars: 5 }),
      }),
    );
  const responses = [await send("/notes"), await send("/old/notes")] as const;
  assertEquals(responses.map(({ status }) => status), [404, 404]);
  await assertDeclared(app, "POST /notes", responses[0]);
  await assertDeclared(app, "POST /old/notes", responses[1]);
  await assertRejects(
    () => assertDeclared(app, "POST /notes", responses[1]),
    ContractError,
    'the content type is "text/plain" instead of "application/json"',
  );
  for (const { body } of responses) await body?.cancel();
});
