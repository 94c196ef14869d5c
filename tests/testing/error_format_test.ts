import { type ErrorFormat, errorFormat, Framework } from "@bough/framework";
import {
  assertDeclared,
  checkContracts,
  type CheckOptions,
  ContractError,
} from "@bough/framework/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestFolder } from "../support/application.ts";
import { found } from "./support.ts";

const PACKAGE = new URL("../../mod.ts", import.meta.url).href;
const OPENAPI = new URL("../../src/openapi/mod.ts", import.meta.url).href;
const CORE = `
  import { errorFormat, HttpError } from ${JSON.stringify(PACKAGE)};
  import { Problem } from ${JSON.stringify(OPENAPI)};
  import { z } from "npm:zod@^4.1.13";`;

const ERRORS = errorFormat({
  contentType: "application/json",
  schema: z.object({ errors: z.object({ body: z.array(z.string()) }) }),
  invalid: 422,
  format: ({ title, detail }) => ({ errors: { body: [detail ?? title] } }),
});

const NOTES = `${CORE}
  export const config = { bodyLimit: 1000 };
  export const schema = {
    get: { query: z.object({ page: z.coerce.number().int().min(1) }) },
    post: {
      headers: z.object({ "x-kind": z.enum(["a", "b"]) }),
      body: z.object({ title: z.string().max(20), stars: z.int().min(1).max(5) }),
      response: { 201: {}, 404: Problem },
    },
  };
  export const GET = () => new Response();
  export const POST = (request) => {
    if (request.validated.body.stars > 4) throw new HttpError(404, "No such star");
    return new Response(null, { status: 201 });
  };`;

const NOTE = `${CORE}
  export const schema = {
    put: {
      params: z.object({ id: z.coerce.number().int().max(1000) }),
      body: z.object({ title: z.string() }),
    },
  };
  export const PUT = () => new Response();`;

const FILES = {
  "notes/route.js": NOTES,
  "notes/[id]/route.js": NOTE,
  "old/middleware.js": `${CORE}
    export const errors = errorFormat({
      contentType: "text/plain; charset=utf-8",
      schema: z.string(),
      format: ({ title }) => title,
    });`,
  "old/notes/route.js": NOTES,
};

/** The failures of an application with these files in place of the above. */
async function failures(
  files: Readonly<Record<string, string>> = {},
  { errors = ERRORS, ...options }: CheckOptions & {
    readonly errors?: ErrorFormat;
  } = {},
): Promise<string[]> {
  await using folder = await TestFolder.create({ ...FILES, ...files });
  const report = await checkContracts(
    () => new Framework({ apiDir: folder.path, errors }),
    { seed: 3, runs: 60, ...options },
  );
  return [...found(report), ...report.failures.map(({ seen }) => seen)];
}

Deno.test("an application with an error format keeps its contract", async () => {
  assertEquals(await failures(), []);
  assertEquals(await failures({}, { seed: 4 }), []);
});

Deno.test("a 422 to valid input is found, although it has the format", async () => {
  const throwing = NOTE.replace(
    "() => new Response()",
    "() => { throw new HttpError(422, 'Taken'); }",
  );
  assertEquals(await failures({ "notes/[id]/route.js": throwing }), [
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
  const bare = errorFormat({
    ...ERRORS,
    format: ({ status }) => ({
      errors: { body: status === 405 ? [405 as unknown as string] : [] },
    }),
  });
  assertEquals(
    await failures({}, { errors: bare, properties: ["methods"] }).then((all) =>
      all.slice(0, 2)
    ),
    ["methods PUT /api/notes/[id]", "methods GET /api/notes"],
  );
});

/** What is found in an application that serves other files than it declares. */
async function between(
  served: Readonly<Record<string, string>>,
  options: CheckOptions,
): Promise<string[]> {
  await using declared = await TestFolder.create(FILES);
  await using other = await TestFolder.create({ ...FILES, ...served });
  const contract = new Framework({ apiDir: declared.path, errors: ERRORS });
  const app = new Framework({ apiDir: other.path, errors: ERRORS });
  const report = await checkContracts(
    { fetch: app.fetch, inspect: () => contract.inspect() },
    { seed: 3, runs: 60, ...options },
  );
  return report.failures.map(({ property, operation, seen, expected }) =>
    `${property} ${operation}: ${expected}; ${seen}`
  );
}

Deno.test("the issues of a format that does not show them are known in process", async () => {
  const stricter = NOTE.replace("z.string()", "z.string().min(1000)");
  assertEquals(
    await between({ "notes/[id]/route.js": stricter }, {
      properties: ["accepted"],
    }),
    [
      "accepted PUT /api/notes/[id]: the request is accepted, since it fits its schemas; a 422: body #/title Too small: expected string to have >=1000 characters",
    ],
  );
  const looser = NOTE.replace("z.string()", "z.any()").replace(
    "body: ",
    "headers: z.object({ 'x-missing': z.string() }), body: ",
  );
  const [first, ...others] = await between(
    { "notes/[id]/route.js": looser },
    { properties: ["refused"] },
  );
  assertEquals(others, []);
  assertEquals(
    first?.replace(/names .*;/, "names …;"),
    "refused PUT /api/notes/[id]: a 422 that names …; a 422 that names headers#/x-missing",
  );
});

Deno.test("of a server elsewhere, the status of a format is known", async () => {
  await using folder = await TestFolder.create(FILES);
  const app = new Framework({ apiDir: folder.path, errors: ERRORS });
  await using server = await app.serve({ port: 0, onListen() {} });
  const { port } = server.addr as Deno.NetAddr;
  const report = await checkContracts(app, {
    seed: 3,
    runs: 20,
    url: `http://localhost:${port}`,
  });
  assertEquals(found(report), []);
  // This application does not see the request of the test, either.
  const copied = await checkContracts({
    fetch: (request) => app.fetch(new Request(request)),
    inspect: () => app.inspect(),
  }, { seed: 3, runs: 20 });
  assertEquals(found(copied), []);
});

Deno.test("assertDeclared() takes Problem as an error in the format of the route", async () => {
  await using folder = await TestFolder.create(FILES);
  const app = new Framework({ apiDir: folder.path, errors: ERRORS });
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
