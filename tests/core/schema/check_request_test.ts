import { assertEquals } from "@std/assert";
import { z } from "zod";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import { schemaOf } from "../../support/schema_of.ts";

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

Deno.test("Bough responds with 400 to a body that is too deep for a recursive schema (behaviour 7.6)", async () => {
  using log = new CapturedLog();
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const { status, answer } = await post("/api/tree", deep);
  const detail = "The body is nested too deeply";
  const errors = [{ in: "body", pointer: "#", detail }];
  assertEquals([status, answer.errors, log.lines], [400, errors, []]);
  // This schema itself never ends.
  assertEquals((await post("/api/endless", "[]")).status, 500);
  assertEquals(log.lines.length, 1);
});

Deno.test("the schema of an empty body gets undefined (behaviour 7.2)", async () => {
  for (const type of [undefined, "application/json"]) {
    const { status, answer } = await post("/api/body", null, type);
    assertEquals([status, answer], [200, { body: "undefined" }]);
  }
  assertEquals((await post("/api/object", null)).status, 400);
});

Deno.test("a body schema reads forms; repeated names become arrays, and __proto__ is a name (behaviour 7.2)", async () => {
  await using server = await APPLICATION.serve();
  const encoded = new URLSearchParams([["a", "1"], ["b", "x"], ["b", "y"]]);
  const multipart = new FormData();
  for (const [name, value] of encoded) multipart.append(name, value);
  multipart.append("f", new File(["content"], "f.txt"));
  for (const [body, f] of [[encoded], [multipart, "content"]] as const) {
    const sent = { method: "POST", body };
    const response = await fetch(server.url("/api/form"), sent);
    const expected = { a: "1", b: ["x", "y"], ...(f && { f }) };
    assertEquals(await response.json(), expected);
  }
  const multi = "multipart/form-data; boundary=b";
  const { status, answer } = await post("/api/form", "x", multi);
  const detail = "The body is not a valid form";
  assertEquals([status, answer.errors], [
    400,
    [{ in: "body", pointer: "#", detail }],
  ]);
  const names = new URLSearchParams([["__proto__", "x"], ["constructor", "y"]]);
  const form = "application/x-www-form-urlencoded";
  assertEquals(
    JSON.stringify((await post("/api/body", names, form)).answer),
    '{"body":{"__proto__":"x","constructor":"y"}}',
  );
});

Deno.test("issues have JSON pointers into the body (RFC 6901, section 6), also those of asynchronous schemas (behaviour 7.1)", async () => {
  for (
    const [path, body, issues] of [
      ["object", "{}", [["#/a~1b~0c%20d", "Invalid input"]]],
      ["keyed", "{}", [["#/x/0/Symbol(s)", "m"], ["#", "whole"]]],
      ["async", '"taken"', [["#", "is taken"]]],
    ] as const
  ) {
    const { status, answer } = await post(`/api/${path}`, body);
    const errors = answer.errors as Record<string, string>[];
    const found = errors.map((
      { in: part, pointer, detail = "" },
    ) => [part, pointer, detail.split(":")[0]]);
    assertEquals([status, found], [
      400,
      issues.map((issue) => ["body", ...issue]),
    ], path);
  }
  assertEquals(await post("/api/async", '"free"'), {
    status: 200,
    answer: { body: "free" },
  });
});

Deno.test("validation responds with 413 to a body above bodyLimit (behaviour 7.3)", async () => {
  const body = JSON.stringify({ "a/b~c d": "x".repeat(100) });
  assertEquals((await post("/api/object", body)).status, 413);
});

Deno.test("Bough responds with 500 if a schema throws, without its error", async () => {
  using log = new CapturedLog();
  const title = "Internal Server Error";
  assertEquals(await post("/api/throws", "{}"), {
    status: 500,
    answer: { type: "about:blank", title, status: 500 },
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
