import { assertEquals } from "@std/assert";
import { Framework } from "@bough/framework";
import { openapi } from "@bough/framework/openapi";
import { file, form } from "@bough/framework/uploads";
import { z } from "zod";
import { withOwn } from "../openapi/support.ts";

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
  const app = new Framework({
    manifest: {
      "files/route.ts": {
        schema,
        POST: () => new Response(),
        PUT: () => new Response(),
      },
    },
    plugins: [openapi({ info: { title: "Files", version: "1" } })],
  });
  const response = await app.fetch(new Request("http://x/openapi.json"));
  const document = await response.json();
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

Deno.test("a form with only optional members may be absent, as the document says", async () => {
  const photo = file({ count: [0, 1] });
  const optional = z.object({ a: z.string().optional() });
  const manifest = {
    "files/route.ts": {
      schema: {
        post: { body: form({ files: { photo } }) },
        put: { body: form({ fields: optional, files: { photo } }) },
        patch: {
          body: form({ fields: z.object({ a: z.string() }), files: {} }),
        },
        delete: { body: form({ files: { photo: file() } }) },
      },
      POST: () => new Response(),
      PUT: () => new Response(),
      PATCH: () => new Response(),
      DELETE: () => new Response(),
    },
  };
  const plugins = [openapi({ info: { title: "Files", version: "1" } })];
  const { fetch } = new Framework({ manifest, plugins });
  const document = await (await fetch(new Request("http://x/openapi.json")))
    .json();
  for (
    const [method, isRequired] of Object.entries({
      post: false,
      put: false,
      patch: true,
      delete: true,
    })
  ) {
    const { required } = document.paths["/api/files"][method].requestBody;
    assertEquals(required ?? false, isRequired, method);
    const request = new Request("http://x/api/files", {
      method: method.toUpperCase(),
    });
    assertEquals((await fetch(request)).status, isRequired ? 400 : 200, method);
  }
});
