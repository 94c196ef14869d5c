import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";

/** One schema, in two libraries (behaviour 5.2). */
const SCHEMAS = {
  zod: {
    params: z.object({ id: z.uuid() }),
    body: z.object({
      name: z.string().min(2),
      email: z.email(),
      code: z.string().regex(/^[A-Z]{3}$/),
      role: z.enum(["user", "admin"]).default("user"),
      tags: z.array(z.string().transform((tag) => tag.toUpperCase())),
    }),
  },
  valibot: {
    params: v.object({ id: v.pipe(v.string(), v.uuid()) }),
    body: v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      email: v.pipe(v.string(), v.email()),
      code: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
      role: v.optional(v.picklist(["user", "admin"]), "user"),
      tags: v.array(
        v.pipe(v.string(), v.transform((tag) => tag.toUpperCase())),
      ),
    }),
  },
};

const ID = "0b5e7f0e-3c3c-4b8e-9d6f-6a1b1f1f2a2b";

const VALID = {
  name: "Ada",
  email: "ada@example.com",
  code: "ABC",
  tags: ["x"],
};

const Tree: z.ZodType = z.lazy(() => z.array(Tree));
const endless = (value: unknown): unknown => endless([value]);

const APPLICATION = TestApplication.of({
  "body/route.ts": {
    schema: { post: { body: z.unknown() } },
    POST: ({ validated: { body } }) =>
      Response.json({ body: body === undefined ? "undefined" : body }),
  },
  "object/route.ts": {
    schema: { post: { body: z.object({ "a/b~c d": z.string() }) } },
    config: { bodyLimit: 100 },
    POST: ({ validated }) => Response.json(validated.body),
  },
  "form/route.ts": {
    schema: {
      post: {
        body: z.object({
          a: z.string(),
          b: z.array(z.string()),
          f: z.instanceof(File).optional(),
        }),
      },
    },
    POST: async ({ validated: { body: { a, b, f } } }) =>
      Response.json({ a, b, f: await f?.text() }),
  },
  "again/route.ts": {
    schema: { post: { body: z.unknown() } },
    POST: async (request) =>
      Response.json({
        json: await request.json().catch((error) => error.name),
        text: await request.text(),
        bytes: [...await request.bytes()],
        arrayBuffer: (await request.arrayBuffer()).byteLength,
        blob: [(await request.blob()).size, (await request.blob()).type],
        formData: await request.formData()
          .then((form) => [...form], () => null),
      }),
  },
  "async/route.ts": {
    schema: {
      post: {
        body: z.string().refine(
          async (name) => (await Promise.resolve(name)) !== "taken",
          "is taken",
        ),
      },
    },
    POST: ({ validated: { body } }) => Response.json({ body }),
  },
  "throws/route.ts": {
    schema: {
      post: {
        body: z.unknown().transform(() => {
          throw new Error("secret");
        }),
      },
    },
    POST: () => new Response(),
  },
  "keyed/route.ts": {
    schema: {
      post: {
        body: schemaOf(() => ({
          issues: [
            { message: "m", path: [{ key: "x" }, 0, Symbol("s")] },
            { message: "whole" },
          ],
        })),
      },
    },
    POST: () => new Response(),
  },
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([library, schema]) => [
      `${library}/[id]/route.ts`,
      {
        schema: { post: schema },
        POST: ({ validated }) => Response.json(validated),
      },
    ]),
  ),
  "tree/route.ts": {
    schema: { post: { body: Tree } },
    POST: () => new Response("checked"),
  },
  "endless/route.ts": {
    schema: { post: { body: schemaOf(endless) } },
    POST: () => new Response("checked"),
  },
  "head/[id]/route.ts": {
    schema: { head: { params: z.object({ id: z.string().length(1) }) } },
    GET: ({ validated }) => Response.json(validated),
  },
});

async function post(
  target: string,
  body: BodyInit | null,
  type?: string,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const request = new Request(`http://h${target}`, { method: "POST", body });
  if (type !== undefined) request.headers.set("content-type", type);
  else request.headers.delete("content-type");
  const response = await APPLICATION.app.fetch(request);
  return { status: response.status, answer: await response.json() };
}

for (const library of Object.keys(SCHEMAS)) {
  Deno.test(`${library}: validated has the outputs of the schemas (behaviour 7.1)`, async () => {
    assertEquals(
      await post(`/api/${library}/${ID}`, JSON.stringify(VALID)),
      {
        status: 200,
        answer: {
          params: { id: ID },
          body: { ...VALID, role: "user", tags: ["X"] },
        },
      },
    );
  });

  Deno.test(`${library}: one response has all issues of all parts (behaviour 7.1)`, async () => {
    const { status, answer } = await post(
      `/api/${library}/not-a-uuid`,
      JSON.stringify({ ...VALID, name: "A", email: "x", tags: ["a", 2] }),
    );
    assertEquals(status, 400);
    assertEquals(answer.title, "Bad Request");
    const errors = answer.errors as Record<string, string>[];
    assertEquals(errors.map((error) => [error.in, error.pointer]), [
      ["params", "#/id"],
      ["body", "#/name"],
      ["body", "#/email"],
      ["body", "#/tags/1"],
    ]);
    for (const { detail } of errors) assertEquals(typeof detail, "string");
  });
}

Deno.test("a body schema reads JSON with a JSON content type, or without one (behaviour 7.2)", async () => {
  for (
    const type of [
      undefined,
      "application/json",
      "Application/JSON; charset=utf-8",
      ";charset=utf-8",
    ]
  ) {
    assertEquals(
      await post("/api/body", '{"a":[1]}', type),
      { status: 200, answer: { body: { a: [1] } } },
      type,
    );
  }
});

Deno.test("the 415 to another content type names the supported types (behaviour 7.2)", async () => {
  for (
    const type of [
      "text/plain",
      "application/xml",
      "application/jsonx",
      "application/json charset=utf8",
      "application/json, charset=utf-8",
      "text/plain, a+json",
      "+json",
      "application/+json",
      "/a+json",
      "a/b/c+json",
      "a/b/+json",
      "a/b+jsonp",
      "application/json/x",
    ]
  ) {
    const { status, answer } = await post("/api/body", "{}", type);
    assertEquals(status, 415, type);
    assertEquals(
      answer.detail,
      `The body is "${type}"; this route reads application/json, */*+json, application/x-www-form-urlencoded, multipart/form-data`,
    );
  }
});

Deno.test("Bough responds with 400 to invalid JSON (behaviour 7.2)", async () => {
  for (const body of ["{", "undefined", "{'a':1}", "\u0000"]) {
    const { status, answer } = await post("/api/body", body);
    assertEquals(status, 400);
    assertEquals(answer.errors, [{
      in: "body",
      pointer: "#",
      detail: "The body is not valid JSON",
    }]);
  }
});

Deno.test("Bough responds with 400 to a body that is too deep for a recursive schema", async () => {
  using log = new CapturedLog();
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const { status, answer } = await post("/api/tree", deep);
  assertEquals(status, 400);
  assertEquals(answer.errors, [{
    in: "body",
    pointer: "#",
    detail: "The body is nested too deeply",
  }]);
  assertEquals(log.lines, []);
  // This schema itself never ends.
  assertEquals((await post("/api/endless", "[]")).status, 500);
  assertEquals(log.lines.length, 1);
});

Deno.test("the schema of an empty body gets undefined (behaviour 7.2)", async () => {
  await using server = await APPLICATION.serve();
  for (const body of [null, ""]) {
    assertEquals(await post("/api/body", body), {
      status: 200,
      answer: { body: "undefined" },
    });
    const served = await fetch(server.url("/api/body"), {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    assertEquals(await served.json(), { body: "undefined" });
  }
  const { status } = await post("/api/object", null);
  assertEquals(status, 400);
});

Deno.test("a body schema reads forms; repeated names become arrays (behaviour 7.2)", async () => {
  await using server = await APPLICATION.serve();
  const encoded = new URLSearchParams([["a", "1"], ["b", "x"], ["b", "y"]]);
  const multipart = new FormData();
  for (const [name, value] of encoded) multipart.append(name, value);
  multipart.append("f", new File(["content"], "f.txt"));
  for (const [body, f] of [[encoded], [multipart, "content"]] as const) {
    const answer = await fetch(server.url("/api/form"), {
      method: "POST",
      body,
    });
    assertEquals(
      await answer.json(),
      { a: "1", b: ["x", "y"], ...(f && { f }) },
    );
  }
  const broken = await post(
    "/api/form",
    "x",
    "multipart/form-data; boundary=b",
  );
  assertEquals(broken.status, 400);
  assertEquals(broken.answer.errors, [{
    in: "body",
    pointer: "#",
    detail: "The body is not a valid form",
  }]);
});

Deno.test("a form field may have the name __proto__", async () => {
  const form = new URLSearchParams([["__proto__", "x"], ["constructor", "y"]]);
  const { answer } = await post(
    "/api/body",
    form,
    "application/x-www-form-urlencoded",
  );
  assertEquals(
    JSON.stringify(answer),
    '{"body":{"__proto__":"x","constructor":"y"}}',
  );
});

Deno.test("handlers can read the exact bytes after validation (behaviour 6.3)", async () => {
  await using server = await APPLICATION.serve();
  const body = '\ufeff{ "é": 1,  "é": 2 }';
  const answer = await fetch(server.url("/api/again"), {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const bytes = [...new TextEncoder().encode(body)];
  assertEquals(await answer.json(), {
    json: { "é": 2 },
    text: body.slice(1),
    bytes,
    arrayBuffer: bytes.length,
    blob: [bytes.length, "application/json"],
    formData: null,
  });
  const form = await fetch(server.url("/api/again"), {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
  });
  const { json, text, formData } = await form.json();
  assertEquals([json, text, formData], ["SyntaxError", "a=1", [["a", "1"]]]);
});

Deno.test("issues have JSON pointers into the body (RFC 6901, section 6)", async () => {
  const { answer } = await post("/api/object", "{}");
  assertEquals(
    (answer.errors as { pointer: string }[])[0]!.pointer,
    "#/a~1b~0c%20d",
  );
  const keyed = await post("/api/keyed", "{}");
  assertEquals(keyed.answer.errors, [
    { in: "body", pointer: "#/x/0/Symbol(s)", detail: "m" },
    { in: "body", pointer: "#", detail: "whole" },
  ]);
});

Deno.test("asynchronous schemas work (behaviour 7.1)", async () => {
  assertEquals(await post("/api/async", '"free"'), {
    status: 200,
    answer: { body: "free" },
  });
  const { status, answer } = await post("/api/async", '"taken"');
  assertEquals(status, 400);
  assertEquals(answer.errors, [{
    in: "body",
    pointer: "#",
    detail: "is taken",
  }]);
});

Deno.test("validation responds with 413 to a body above bodyLimit (behaviour 7.3)", async () => {
  const body = JSON.stringify({ "a/b~c d": "x".repeat(100) });
  assertEquals((await post("/api/object", body)).status, 413);
});

Deno.test("Bough responds with 500 if a schema throws, without its error", async () => {
  using log = new CapturedLog();
  assertEquals(await post("/api/throws", "{}"), {
    status: 500,
    answer: {
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
    },
  });
  assertEquals(log.lines.length, 1);
});

Deno.test("a schema of HEAD checks HEAD, but not GET (behaviour 5.2)", async () => {
  const head = async (id: string) =>
    (await APPLICATION.fetch(`/api/head/${id}`, { method: "HEAD" })).status;
  assertEquals(await head("1"), 200);
  assertEquals(await head("12"), 400);
  assertEquals((await APPLICATION.fetch("/api/head/12")).status, 200);
});
