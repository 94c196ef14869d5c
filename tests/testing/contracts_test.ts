import { checkContracts } from "@bough/framework/testing";
import { Framework } from "@bough/framework";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { contractTests } from "@bough/framework/testing";
import { failureText } from "@bough/framework/testing";
import { TestFolder } from "../support/application.ts";
import type { CheckOptions } from "@bough/framework/testing";
import { check, found } from "./support.ts";

const NOTE = {
  zod: `import { z } from "zod";
    export const schema = {
      post: {
        query: z.object({ draft: z.enum(["yes", "no"]).optional() }),
        body: z.object({ text: z.string().min(1).max(20), stars: z.int().min(1).max(5) }),
        response: { 201: z.object({ id: z.int(), text: z.string() }) },
      },
    };`,
  valibot: `import * as v from "npm:valibot@^1.2.0";
    import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
    export const schema = {
      post: {
        query: form(v.object({ draft: v.optional(v.picklist(["yes", "no"])) })),
        body: form(v.object({
          text: v.pipe(v.string(), v.minLength(1), v.maxLength(20)),
          stars: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)),
        })),
        response: { 201: form(v.object({ id: v.number(), text: v.string() })) },
      },
    };`,
  arktype: `import { type } from "npm:arktype@^2.2.9";
    export const schema = {
      post: {
        query: type({ "draft?": "'yes' | 'no'" }),
        body: type({ text: "1 <= string <= 20", stars: "1 <= number.integer <= 5" }),
        response: { 201: type({ id: "number", text: "string" }) },
      },
    };`,
};

const GOOD = `
  export const POST = ({ validated: { body } }) =>
    Response.json({ id: 1, text: body.text }, { status: 201 });`;

const FAULTY = `
  export const POST = ({ validated: { body } }) => {
    if (body.stars === 5) throw new TypeError("five stars");
    return Response.json({ id: 1, text: body.text.length > 10 ? null : body.text }, { status: 201 });
  };`;

for (const [library, schema] of Object.entries(NOTE)) {
  Deno.test(`the schemas of ${library} test an application`, async () => {
    const good = await check({ "notes/route.ts": schema + GOOD });
    assertEquals(found(good), []);
    assertEquals(good.results.map(({ note }) => note).filter(Boolean), []);
    const faulty = await check({ "notes/route.ts": schema + FAULTY });
    assertEquals(found(faulty), [
      "failure POST /api/notes",
      "declared POST /api/notes",
    ]);
  });
}

Deno.test("a failure is small, and is told as a command and a test", async () => {
  const files = { "notes/route.ts": NOTE.zod + FAULTY };
  const report = await check(files, { properties: ["failure"] });
  const [failure] = report.failures;
  assert(failure !== undefined);
  const { body } = failure.requests.at(-1)!;
  assertEquals(failure.requests.length, 1);
  assertEquals(failure.replays, true);
  assertEquals(JSON.parse(body!).stars, 5);
  assertEquals(JSON.parse(body!).text.length, 1);
  const text = failureText(failure);
  assertStringIncludes(text, "POST /api/notes");
  assertStringIncludes(
    text,
    "curl -i -X POST -H 'content-type: application/json'",
  );
  assertStringIncludes(text, "seed:     11");
  assertStringIncludes(failure.test, "assertNotEquals(response.status, 500);");
  const again = await check(files, { properties: ["failure"] });
  assertEquals(again.failures[0]!.requests, failure.requests);
});

/** A store in the module: a fresh application does not empty it, `reset` does. */
const STORE = `
  const notes = new Map();
  let next = 1;
  export const schema = {
    post: { body: z.object({ text: z.string().max(5) }) },
  };
  globalThis.resetNotes = () => { notes.clear(); next = 1; };
  globalThis.notes = notes;
  export const POST = ({ validated: { body } }) => {
    if (notes.size > 3) throw new Error("full");
    const note = { id: next++, ...body };
    notes.set(String(note.id), note);
    return Response.json(note, { status: 201 });
  };`;

Deno.test("what shows only after other requests keeps those that it needs", async () => {
  const report = await check(
    { "notes/route.ts": `import { z } from "zod"; ${STORE}` },
    {
      properties: ["failure"],
      reset: () => (globalThis as { resetNotes?: () => void }).resetNotes?.(),
    },
  );
  const [failure] = report.failures;
  assertEquals(failure?.replays, true);
  assertEquals(failure?.requests.length, 5);
});

Deno.test("what was created and deleted is gone", async () => {
  const item = (remove: string) => `
    import { HttpError } from "@bough/framework";
    import { Problem } from "@bough/framework/openapi";
    const response = { 404: Problem };
    export const schema = { get: { response }, delete: { response } };
    const find = (id) => {
      if (!globalThis.notes.has(id)) throw new HttpError(404);
      return globalThis.notes.get(id);
    };
    export const GET = ({ params }) => Response.json(find(params.id));
    export const DELETE = ({ params }) => {
      find(params.id);
      ${remove}
      return new Response(null, { status: 204 });
    };`;
  const collection = `import { z } from "zod"; ${
    STORE.replace("notes.size > 3", "false")
  }`;
  for (
    const [remove, expected] of [
      ["globalThis.notes.delete(params.id);", []],
      ["", ["state POST /api/notes"]],
    ] as const
  ) {
    const report = await check({
      "notes/route.ts": collection,
      "notes/[id]/route.ts": item(remove),
    });
    assertEquals(found(report), [...expected]);
  }
});

Deno.test("a refinement that starves the schema is fed by generators", async () => {
  const files = {
    "codes/route.ts": `import { z } from "zod";
      const code = z.string().refine((text) => text === "open sesame");
      export const schema = { post: { body: z.object({ code }) } };
      export const POST = () => { throw new Error("never sent"); };`,
  };
  const starved = await check(files);
  assertEquals(found(starved), []);
  assertStringIncludes(
    starved.results[0]!.note!,
    "not tested: body: no generated value fits its schema",
  );
  const fed = await check(files, {
    generators: { "POST /codes": { body: [{ code: "open sesame" }] } },
  });
  assertEquals(found(fed)[0], "failure POST /api/codes");
});

Deno.test("a 4xx must be declared, and a 429 ends the run", async () => {
  const route = (status: number) => ({
    "things/route.ts": `import { HttpError } from "@bough/framework";
      export const GET = () => { throw new HttpError(${status}); };`,
  });
  assertEquals(found(await check(route(404))), ["declared GET /api/things"]);
  const limited = await check(route(429));
  assertEquals(found(limited), []);
  assertEquals(limited.results[0]!.note, "stopped by a 429 response");
});

Deno.test("an operation that refuses every request is named in a note", async () => {
  const guard = `import { HttpError } from "@bough/framework";
    export const contract = { security: [{ bearer: [] }], response: { 401: {} } };
    export default ({ headers }, next) => {
      if (headers.get("authorization") !== "Bearer test") return new Response(null, { status: 401 });
      return next();
    };`;
  const item = `import { HttpError } from "@bough/framework";
    export const schema = { get: { response: { 200: {}, 404: {} } } };
    export const GET = ({ params }) => new Response(null, { status: params.id === "7" ? 200 : 404 });`;
  const files = {
    "(staff)/middleware.ts": guard,
    "(staff)/report/route.ts": `export const GET = () => new Response();`,
    "things/[id]/route.ts": item,
  };
  const notesOf = async (options: CheckOptions) => {
    const report = await check(files, options);
    assertEquals(found(report), []);
    return report.results.flatMap(({ operation, property, note }) =>
      note === undefined ? [] : [`${property} ${operation}: ${note}`]
    );
  };
  const unknown =
    'accepted GET /api/things/[id]: every response had the status 404; provide existing values with "generators"';
  assertEquals(await notesOf({}), [
    'accepted GET /api/report: every response had the status 401; send credentials with "as"',
    unknown,
  ]);
  const as = { authorization: "Bearer test" };
  assertEquals(await notesOf({ as }), [unknown]);
  const generators = { "GET /things/[id]": { params: [{ id: "7" }] } };
  assertEquals(await notesOf({ as, generators }), []);
});

Deno.test("contractTests() prints the notes of operations", async () => {
  await using folder = await TestFolder.create({
    "api/closed/route.js":
      `export const schema = { get: { security: [{ bearer: [] }], response: { 401: {} } } };
      export const GET = () => new Response(null, { status: 401 });`,
    "api/open/route.js": "export const GET = () => new Response();",
    "contract_test.js": `import { Framework } from "@bough/framework";
      import { contractTests } from "@bough/framework/testing";
      contractTests(new Framework({ apiDir: "api" }), { runs: 5 });`,
  });
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-R", "--no-check", "--config", config, "contract_test.js"],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const shown = new TextDecoder().decode(stdout) +
    new TextDecoder().decode(stderr);
  assertEquals(code, 0, shown);
  assertStringIncludes(
    shown,
    'GET /api/closed: every response had the status 401; send credentials with "as"',
  );
});

Deno.test("a promise that nobody handles is a failure", async () => {
  const report = await check({
    "left/route.ts": `export const GET = async () => {
      Promise.reject(new Error("left behind"));
      await new Promise((go) => setTimeout(go));
      return new Response();
    };`,
  });
  assertEquals(found(report), ["failure GET /api/left"]);
  assertStringIncludes(report.failures[0]!.seen, "left behind");
});

Deno.test("a response that does not come is waited for once", async () => {
  const start = performance.now();
  const report = await check({
    "never/route.ts": `export const GET = () => new Promise(() => {});`,
    "events/route.ts": `export const GET = () =>
      new Response(new ReadableStream(), {
        headers: { "content-type": "text/event-stream" },
      });`,
  }, { timeout: 300 });
  assertEquals(found(report), ["failure GET /api/never"]);
  assert(performance.now() - start < 3_000);
});

Deno.test("a running server is tested, and only read where it is elsewhere", async () => {
  await using folder = await TestFolder.create({
    "notes/route.ts": NOTE.zod + FAULTY,
  });
  const app = new Framework({
    apiDir: folder.path,
    onError: () => new Response(null, { status: 500 }),
  });
  const server = await app.serve({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const report = await checkContracts(app, { url, seed: 11, runs: 60 });
  await server.shutdown();
  assertEquals(found(report)[0], "failure POST /api/notes");
  assertEquals(report.failures[0]!.replays, false);
  assertStringIncludes(report.failures[0]!.curl[0]!, `'${url}/api/notes`);
  const elsewhere = await checkContracts(app, { url: "http://192.0.2.1" });
  assertEquals(elsewhere.results, []);
});

Deno.test("a body within its declared length is not too large", async () => {
  const report = (maxLength: string, body: string) =>
    check({
      "notes/route.ts": `import { z } from "npm:zod@^4.1.13";
        export const config = { bodyLimit: 600 };
        const Note = z.object({ text: z.string()${maxLength}, pinned: z.boolean() });
        export const schema = { post: { body: ${body} } };
        export const POST = () => new Response();`,
    }, { properties: ["accepted"] });
  for (const body of ["Note", "z.object({ note: Note })"]) {
    const { failures } = await report(".max(500)", body);
    assertEquals(
      failures.map(({ expected, seen }) => [expected, seen]),
      [[
        "the request is accepted, since it fits its schemas",
        "a 413: The body is larger than 600 bytes",
      ]],
    );
    // Without a declared length, only the limit of the body counts.
    assertEquals(found(await report("", body)), []);
  }
});

Deno.test("a file within its declared size is not too large", async () => {
  const report = await check({
    "files/route.ts": `import { z } from "npm:zod@^4.1.13";
      export const config = { bodyLimit: 600 };
      export const schema = { post: { body: z.object({ file: z.file().max(500) }) } };
      export const POST = () => new Response();`,
  }, { properties: ["accepted"] });
  assertEquals(
    report.failures.map(({ seen }) => seen),
    ["a 413: The body is larger than 600 bytes"],
  );
});

Deno.test("wrong options are named", async () => {
  const app = new Framework({ apiDir: "examples/minimal/api" });
  for (
    const [options, message] of [
      [{ run: 1 }, 'option "run" is unknown'],
      [{ runs: 0 }, "runs must be a whole number above 0, got 0"],
      [{ seed: 0.5 }, "seed must be a 32-bit integer, got 0.5"],
      [{ url: "http://a/b" }, 'got "http://a/b"'],
      [{ as: { "a b": "c" } }, "as must be headers, such as { name: value }"],
    ] as const
  ) {
    assertThrows(
      () => contractTests(app, options as object),
      TypeError,
      message,
    );
  }
  await assertRejects(
    () => checkContracts(app, { skip: ["POST /hello"] }),
    TypeError,
    '"POST /hello" is not one of its operations; the operations are "GET /api/hello"',
  );
  const skipped = await checkContracts(app, { skip: ["/hello"] });
  assertEquals(skipped.results, []);
});
