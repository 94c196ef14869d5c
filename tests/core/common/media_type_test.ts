import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { content, errorFormat, Framework, respond } from "@bough/framework";
import { createClient } from "@bough/framework/client";
import { openapi } from "@bough/framework/openapi";
import { z } from "zod";
import {
  isInRange,
  isJson,
  isText,
  mediaType,
} from "../../../src/core/common/media_type.ts";

Deno.test("a media type is compared without case and parameters", () => {
  assertEquals(mediaType("Text/CSV ; charset=utf-8"), "text/csv");
  assertEquals(mediaType(null), "");
});

Deno.test("JSON is application/json and types that end in +json; text excludes event streams", () => {
  const types = [
    ..."application/json application/a+json a/b.c+json a/b+c+json".split(" "),
    ..."application/*+json */*+json".split(" "),
  ];
  const others = [
    ...["", "a/b, c+json", "a/b c+json"],
    ..."text/json5 application/json-seq +json a/+json a/b;c+json a/b*+json"
      .split(" "),
  ];
  assertEquals([types.filter(isJson), others.filter(isJson)], [types, []]);
  assertEquals(
    ["text/plain", "text/event-stream", "a/text"].map(isText),
    [true, false, false],
  );
});

Deno.test("a range contains the types that begin with it", () => {
  for (
    const [type, range, expected] of [
      ["image/png", "image/*", true],
      ["image/png", "*/*", true],
      ["", "*/*", false],
      ["imagery/png", "image/*", false],
      ["application/a+json", "application/*+json", true],
      ["application/*+json", "application/*+json", true],
      ["application/json", "application/*+json", false],
      ["text/a+json", "application/*+json", false],
      ["applications/a+json", "application/*+json", false],
      ["application/a+json5", "application/*+json", false],
      ["text/a+json", "*/*+json", true],
      ["application/*+json", "*/*+json", true],
      ["image/svg+xml", "*/*+json", false],
      ["text/csv", "*/csv", false],
      ["text/csv", "text/c*", false],
      ["text/csv", "text/*", true],
    ] as const
  ) assertEquals(isInRange(type, range), expected, `${type} ${range}`);
});

const format = { schema: z.string(), format: () => "" };

Deno.test("a declared type that no header can contain is rejected before any request", async () => {
  for (
    const end of [
      "title=caf\u00e9",
      "title=\u4e2d",
      'title="\u4e2d"',
      ..."\u0000 a=\u0001 a=\u007f a=b\n".split(" "),
    ]
  ) {
    const mediaType = `text/plain;${end}`;
    assertThrows(() => content(mediaType), TypeError, "not a media type");
    assertThrows(
      () => errorFormat({ ...format, contentType: mediaType }),
      TypeError,
      "contentType must be a JSON or text type",
    );
    const schema = { get: { response: { 200: { mediaType } } } };
    const manifest = { "route.ts": { schema, GET: () => new Response() } };
    await assertRejects(
      () => new Framework({ manifest }).start(),
      Error,
      "mediaType must be a media type",
    );
  }
});

Deno.test("a declared type may have parameters of ASCII characters", async () => {
  const contentType = 'text/plain ;charset=utf-8;\ttitle="a\\"b ~!"';
  const errors = errorFormat({ ...format, contentType });
  const { fetch } = new Framework({ manifest: {}, errors });
  const response = await fetch(new Request("http://localhost/"));
  assertEquals(response.headers.get("content-type"), contentType);
  assertEquals(content(contentType).mediaType, contentType);
});

Deno.test("a type such as model/gltf+json is JSON for the server, the document and the client", async () => {
  const schema = {
    get: {
      response: {
        200: content("model/gltf+json", z.object({ nodes: z.array(z.int()) })),
        400: content("model/gltf+json"),
      },
    },
  };
  const manifest = {
    "model/route.ts": {
      schema,
      GET: () => respond(schema.get, 200, { nodes: [1] }),
    },
  };
  const plugins = [openapi({ info: { title: "Models", version: "1" } })];
  const app = new Framework({ manifest, plugins, validateResponses: true });
  const api = createClient<typeof manifest>({ fetch: app.fetch });
  const { status, data } = await api.GET("/model");
  if (status !== 200) throw new Error(`a ${status}`);
  // The type of `data` allows this.
  const nodes: number[] = data.nodes;
  assertEquals(nodes, [1]);
  const response = await app.fetch(
    new Request("http://localhost/openapi.json"),
  );
  const { paths } = await response.json();
  const { responses } = paths["/api/model"].get;
  assertEquals(responses[400].content["model/gltf+json"].schema, {});
});
