import { assertEquals } from "@std/assert";
import { openapi } from "@bough/framework/openapi";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import { TestApplication } from "../support/application.ts";
import { withOwn } from "../openapi/support.ts";

const plugins = [openapi({ info: { title: "Files", version: "1" } })];
const RESPOND = () => new Response();
const schema = {
  post: {
    body: form({
      fields: z.object({ title: z.string(), note2: z.string().optional() }),
      files: {
        photo: file({ maxSize: "1MiB", types: ["image/*"], count: [1, 20] }),
        note: file({ maxSize: 10, count: [0, 1] }),
      },
    }),
  },
  put: { body: file({ maxSize: 10, types: ["video/mp4", "video/webm"] }) },
};

Deno.test("the document describes streamed bodies with their limits (behaviour 7.8)", async () => {
  const application = TestApplication.of({
    "files/route.ts": { schema, POST: RESPOND, PUT: RESPOND },
  }, { plugins });
  const document = await (await application.fetch("/openapi.json")).json();
  const { post, put } = document.paths["/api/files"];
  assertEquals(post.requestBody, {
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          type: "object",
          properties: {
            title: { type: "string" },
            note2: { type: "string" },
            photo: {
              type: "array",
              items: {
                type: "string",
                format: "binary",
                maxLength: 1_048_576,
                contentMediaType: "image/*",
              },
              minItems: 1,
              maxItems: 20,
            },
            note: { type: "string", format: "binary", maxLength: 10 },
          },
          required: ["title", "photo"],
        },
        encoding: { photo: { contentType: "image/*" } },
      },
    },
  });
  const described = {
    schema: {
      type: "string",
      format: "binary",
      maxLength: 10,
      anyOf: [
        { contentMediaType: "video/mp4" },
        { contentMediaType: "video/webm" },
      ],
    },
  };
  assertEquals(put.requestBody.content, {
    "video/mp4": described,
    "video/webm": described,
  });
  for (const { responses } of [post, put]) {
    const forms = responses === post.responses ? ["403"] : [];
    assertEquals(
      Object.keys(responses).filter((status) => status >= "400"),
      withOwn(...forms, "408", "413", "415"),
    );
  }
});

Deno.test("a form with only optional members may be absent, as the document says (behaviour 7.8)", async () => {
  const photo = file({ count: [0, 1] });
  const optional = z.object({ a: z.string().optional() });
  const required = z.object({ a: z.string() });
  const bodies = {
    post: [form({ files: { photo } }), false],
    put: [form({ fields: optional, files: { photo } }), false],
    patch: [form({ fields: required, files: {} }), true],
    delete: [form({ files: { photo: file() } }), true],
  } as const;
  const application = TestApplication.of({
    "files/route.ts": {
      schema: Object.fromEntries(
        Object.entries(bodies).map(([method, [body]]) => [method, { body }]),
      ),
      ...{ POST: RESPOND, PUT: RESPOND, PATCH: RESPOND, DELETE: RESPOND },
    },
  }, { plugins });
  const document = await (await application.fetch("/openapi.json")).json();
  for (const [name, [, isRequired]] of Object.entries(bodies)) {
    const { requestBody } = document.paths["/api/files"][name];
    const method = name.toUpperCase();
    const { status } = await application.fetch("/api/files", { method });
    assertEquals(
      [requestBody.required ?? false, status],
      [isRequired, isRequired ? 400 : 200],
      name,
    );
  }
});
