import { content, errorFormat, Framework } from "@bough/framework";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";

/** Media types that no header can contain. */
const UNSENDABLE = [
  "text/plain; title=caf\u00e9",
  "text/plain; title=\u4e2d",
  'text/plain; title="\u4e2d"',
  "text/plain;\u0000",
  "text/plain; a=\u0001",
  "text/plain; a=\u007f",
  "text/plain; a=b\n",
];

for (const mediaType of UNSENDABLE) {
  const name = JSON.stringify(mediaType);
  Deno.test(`a declared type ${name} is rejected before any request`, async () => {
    assertThrows(() => content(mediaType), TypeError, "not a media type");
    assertThrows(
      () =>
        errorFormat({
          contentType: mediaType,
          schema: z.string(),
          format: ({ title }) => title,
        }),
      TypeError,
      "contentType must be a JSON or text type",
    );
    const { app } = TestApplication.of({
      "notes/route.ts": {
        schema: { get: { response: { 200: { mediaType } } } },
        GET: () => new Response(),
      },
    });
    await assertRejects(
      () => app.start(),
      Error,
      "mediaType must be a media type",
    );
  });
}

Deno.test("a declared type may have parameters of ASCII characters", async () => {
  const contentType = 'text/plain ;charset=utf-8;\ttitle="a\\"b ~!"';
  const errors = errorFormat({
    contentType,
    schema: z.string(),
    format: ({ title }) => title,
  });
  const { fetch } = new Framework({ manifest: {}, errors });
  const response = await fetch(new Request("http://localhost/"));
  assertEquals(response.headers.get("content-type"), contentType);
  assertEquals(content(contentType).mediaType, contentType);
});
