import { assertEquals } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const IMPORTS = `
  import { z } from "npm:zod@^4.1.13";
  import * as v from "npm:valibot@^1.2.0";
`;

/** The same schemas, in the notation of two libraries (behaviour 5.2). */
const SCHEMAS = {
  zod: `{
    params: z.object({ id: z.uuid() }),
    body: z.object({
      name: z.string().min(2),
      email: z.email(),
      code: z.string().regex(/^[A-Z]{3}$/),
      role: z.enum(["user", "admin"]).default("user"),
      tags: z.array(z.string().transform((tag) => tag.toUpperCase())),
    }),
  }`,
  valibot: `{
    params: v.object({ id: v.pipe(v.string(), v.uuid()) }),
    body: v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      email: v.pipe(v.string(), v.email()),
      code: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
      role: v.optional(v.picklist(["user", "admin"]), "user"),
      tags: v.array(v.pipe(v.string(), v.transform((tag) => tag.toUpperCase()))),
    }),
  }`,
};

const ID = "0b5e7f0e-3c3c-4b8e-9d6f-6a1b1f1f2a2b";

const VALID = {
  name: "Ada",
  email: "ada@example.com",
  code: "ABC",
  tags: ["x"],
};

async function post(
  application: FolderApplication,
  target: string,
  body: BodyInit | null,
  type?: string,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const request = new Request(`http://h${target}`, { method: "POST", body });
  if (type !== undefined) request.headers.set("content-type", type);
  else request.headers.delete("content-type");
  const response = await application.app.fetch(request);
  return { status: response.status, answer: await response.json() };
}

for (const [library, schema] of Object.entries(SCHEMAS)) {
  const files = {
    "[id]/route.ts": `${IMPORTS}
      export const schema = { post: ${schema} };
      export function POST(request) { return Response.json(request.validated); }
    `,
  };

  Deno.test(`${library}: validated holds the outputs of the schemas (behaviour 7.1)`, async () => {
    await using application = await FolderApplication.create(files);
    assertEquals(
      await post(application, `/api/${ID}`, JSON.stringify(VALID)),
      {
        status: 200,
        answer: {
          params: { id: ID },
          body: { ...VALID, role: "user", tags: ["X"] },
        },
      },
    );
  });

  Deno.test(`${library}: all issues of all parts come in one answer (behaviour 7.1)`, async () => {
    await using application = await FolderApplication.create(files);
    const { status, answer } = await post(
      application,
      "/api/not-a-uuid",
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

const ECHO = {
  "body/route.ts": `${IMPORTS}
    export const schema = { post: { body: z.unknown() } };
    export async function POST(request) {
      const { body } = request.validated;
      return Response.json({ body: body === undefined ? "undefined" : body });
    }
  `,
  "object/route.ts": `${IMPORTS}
    export const schema = { post: { body: z.object({ "a/b~c d": z.string() }) } };
    export const config = { bodyLimit: 100 };
    export function POST(request) { return Response.json(request.validated.body); }
  `,
  "form/route.ts": `${IMPORTS}
    export const schema = {
      post: { body: z.object({ a: z.string(), b: z.array(z.string()), f: z.instanceof(File).optional() }) },
    };
    export async function POST(request) {
      const { a, b, f } = request.validated.body;
      return Response.json({ a, b, f: await f?.text() });
    }
  `,
  "again/route.ts": `${IMPORTS}
    export const schema = { post: { body: z.unknown() } };
    export const config = { rawBody: true };
    export async function POST(request) {
      return Response.json({
        json: await request.json().catch((error) => error.name),
        text: await request.text(),
        bytes: [...await request.bytes()],
        arrayBuffer: (await request.arrayBuffer()).byteLength,
        blob: [(await request.blob()).size, (await request.blob()).type],
        formData: await request.formData().then((form) => [...form], () => null),
      });
    }
  `,
  "async/route.ts": `${IMPORTS}
    export const schema = {
      post: {
        body: z.string().refine(async (name) => (await Promise.resolve(name)) !== "taken", "is taken"),
      },
    };
    export const POST = (request) => Response.json({ body: request.validated.body });
  `,
  "throws/route.ts": `${IMPORTS}
    export const schema = { post: { body: z.unknown().transform(() => { throw new Error("secret"); }) } };
    export const POST = () => new Response();
  `,
  "keyed/route.ts": `
    export const schema = { post: { body: { "~standard": {
      version: 1, vendor: "hand-made",
      validate: () => ({ issues: [{ message: "m", path: [{ key: "x" }, 0, Symbol("s")] }, { message: "whole" }] }),
    } } } };
    export const POST = () => new Response();
  `,
  "head/[id]/route.ts": `${IMPORTS}
    export const schema = { head: { params: z.object({ id: z.string().length(1) }) } };
    export const GET = (request) => Response.json(request.validated);
  `,
};

Deno.test("a body schema reads JSON under its content types, or none (behaviour 7.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  for (
    const type of [
      undefined,
      "application/json",
      "Application/JSON; charset=utf-8",
      "application/merge-patch+json",
      "application/vnd.api+json",
      "IMAGE/svg+json ;charset=utf-8",
      ";charset=utf-8",
    ]
  ) {
    assertEquals(
      await post(application, "/api/body", '{"a":[1]}', type),
      { status: 200, answer: { body: { a: [1] } } },
      type,
    );
  }
});

Deno.test("a body schema refuses other content types, naming those it takes: 415 (behaviour 7.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  for (
    const type of [
      "text/plain",
      "application/xml",
      "application/jsonx",
      "+json",
      "application/+json",
      "/a+json",
      "a/b/c+json",
      "a/b/+json",
      "a/b+jsonp",
      "application/json/x",
    ]
  ) {
    const { status, answer } = await post(application, "/api/body", "{}", type);
    assertEquals(status, 415, type);
    assertEquals(
      answer.detail,
      `The body is "${type}"; this route reads application/json, application/x-www-form-urlencoded, multipart/form-data`,
    );
  }
});

Deno.test("a body that is not valid JSON is a 400 (behaviour 7.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  for (const body of ["{", "undefined", "{'a':1}", "\u0000"]) {
    const { status, answer } = await post(application, "/api/body", body);
    assertEquals(status, 400);
    assertEquals(answer.errors, [{
      in: "body",
      pointer: "#",
      detail: "The body is not valid JSON",
    }]);
  }
});

Deno.test("a compressed body is refused with 415, and not unpacked", async () => {
  await using application = await FolderApplication.create(ECHO);
  const text = '{"name":"' + "a".repeat(5_000_000) + '"}';
  const zipped = new Blob([text]).stream().pipeThrough(
    new CompressionStream("gzip"),
  );
  const body = await new Response(zipped).bytes();
  for (
    const type of ["application/json", "application/x-www-form-urlencoded"]
  ) {
    const response = await application.fetch("/api/body", {
      method: "POST",
      body,
      headers: { "content-type": type, "content-encoding": "gzip" },
    });
    assertEquals(response.status, 415);
    assertEquals(response.headers.get("accept-encoding"), "identity");
    assertEquals(
      (await response.json()).detail,
      'The body is encoded with "gzip"; send it unencoded',
    );
  }
  const plain = await application.fetch("/api/body", {
    method: "POST",
    body: "{}",
    headers: {
      "content-type": "application/json",
      "content-encoding": "identity",
    },
  });
  assertEquals(plain.status, 200);
  await plain.body?.cancel();
});

Deno.test("a body too deep for a recursive schema is a 400, not a failure", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "tree/route.js": `import { z } from "npm:zod@^4.1.13";
      const Tree = z.lazy(() => z.array(Tree));
      export const schema = { post: { body: Tree } };
      export const POST = () => new Response("checked");`,
    "endless/route.js": `const validate = (value) => validate([value]);
      const body = { "~standard": { version: 1, vendor: "test", validate } };
      export const schema = { post: { body } };
      export const POST = () => new Response("checked");`,
  });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const { status, answer } = await post(application, "/api/tree", deep);
  assertEquals(status, 400);
  assertEquals(answer.errors, [{
    in: "body",
    pointer: "#",
    detail: "The body is nested too deeply",
  }]);
  assertEquals(log.lines, []);
  // Here the schema is to blame.
  assertEquals((await post(application, "/api/endless", "[]")).status, 500);
  assertEquals(log.lines.length, 1);
});

Deno.test("an empty body is validated as undefined (behaviour 7.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  await using server = await application.serve();
  for (const body of [null, ""]) {
    assertEquals(await post(application, "/api/body", body), {
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
  const { status } = await post(application, "/api/object", null);
  assertEquals(status, 400);
});

Deno.test("a body schema reads forms; repeated names become arrays (behaviour 7.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  await using server = await application.serve();
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
    application,
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

Deno.test("a form field named __proto__ is a field like any other", async () => {
  await using application = await FolderApplication.create(ECHO);
  const form = new URLSearchParams([["__proto__", "x"], ["constructor", "y"]]);
  const { answer } = await post(
    application,
    "/api/body",
    form,
    "application/x-www-form-urlencoded",
  );
  assertEquals(
    JSON.stringify(answer),
    '{"body":{"__proto__":"x","constructor":"y"}}',
  );
});

Deno.test("with rawBody, the readers still work after validation, to the byte (behaviour 6.3)", async () => {
  await using application = await FolderApplication.create(ECHO);
  await using server = await application.serve();
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

Deno.test("issues point into the body by JSON pointers (RFC 6901, section 6)", async () => {
  await using application = await FolderApplication.create(ECHO);
  const { answer } = await post(application, "/api/object", "{}");
  assertEquals(
    (answer.errors as { pointer: string }[])[0]!.pointer,
    "#/a~1b~0c%20d",
  );
  const keyed = await post(application, "/api/keyed", "{}");
  assertEquals(keyed.answer.errors, [
    { in: "body", pointer: "#/x/0/Symbol(s)", detail: "m" },
    { in: "body", pointer: "#", detail: "whole" },
  ]);
});

Deno.test("asynchronous schemas work (behaviour 7.1)", async () => {
  await using application = await FolderApplication.create(ECHO);
  assertEquals(await post(application, "/api/async", '"free"'), {
    status: 200,
    answer: { body: "free" },
  });
  const { status, answer } = await post(application, "/api/async", '"taken"');
  assertEquals(status, 400);
  assertEquals(answer.errors, [{
    in: "body",
    pointer: "#",
    detail: "is taken",
  }]);
});

Deno.test("validation keeps to bodyLimit: 413 (behaviour 7.3)", async () => {
  await using application = await FolderApplication.create(ECHO);
  const body = JSON.stringify({ "a/b~c d": "x".repeat(100) });
  assertEquals((await post(application, "/api/object", body)).status, 413);
});

Deno.test("a schema that throws is a 500 that tells nothing", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create(ECHO);
  assertEquals(await post(application, "/api/throws", "{}"), {
    status: 500,
    answer: {
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
    },
  });
  assertEquals(log.lines.length, 1);
});

Deno.test("a head schema stands on GET (behaviour 5.2)", async () => {
  await using application = await FolderApplication.create(ECHO);
  const head = async (id: string) =>
    (await application.fetch(`/api/head/${id}`, { method: "HEAD" })).status;
  assertEquals(await head("1"), 200);
  assertEquals(await head("12"), 400);
  assertEquals((await application.fetch("/api/head/12")).status, 200);
});
