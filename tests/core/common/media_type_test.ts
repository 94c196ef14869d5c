import { assertEquals } from "@std/assert";
import { content, Framework, respond } from "@bough/framework";
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

Deno.test("JSON is application/json and types that end in +json, and not types that only begin so", () => {
  for (
    const type of [
      "application/json",
      "application/a+json",
      "a/b.c+json",
      "a/b+c+json",
      "application/*+json",
      "*/*+json",
    ]
  ) assertEquals(isJson(type), true, type);
  const others = [
    "",
    "text/json5",
    "application/json-seq",
    "+json",
    "a/+json",
    "a/b, c+json",
    "a/b c+json",
    "a/b;c+json",
    "a/b*+json",
  ];
  for (const type of others) assertEquals(isJson(type), false, type);
});

Deno.test("an event stream is not read as a string", () => {
  assertEquals(
    ["text/plain", "text/event-stream", "a/text"].map(isText),
    [true, false, false],
  );
});

Deno.test("a range contains the types that begin with it", () => {
  assertEquals(isInRange("image/png", "image/*"), true);
  assertEquals(isInRange("image/png", "*/*"), true);
  assertEquals(isInRange("", "*/*"), false);
  assertEquals(isInRange("imagery/png", "image/*"), false);
  for (
    const [type, range, expected] of [
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
