/** Files in documents and in contract tests. */
import { fileResponses, sendFile } from "@bough/framework/files";
import { checkContracts } from "@bough/framework/testing";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../support/application.ts";
import { documentOf } from "../openapi/support.ts";

const BYTES = new TextEncoder().encode("0123456789");
const schema = { get: { response: fileResponses("text/plain") } };
const moduleOf = (GET: NonNullable<TestModule["GET"]>) => ({
  "file/route.ts": { schema, GET } satisfies TestModule,
});
const send = (request: Request) =>
  sendFile(request, BYTES, { type: "text/plain", etag: '"7"' });

Deno.test("fileResponses() documents each status of a file", async () => {
  const { document } = await documentOf(moduleOf(send));
  const { responses } = document.paths["/api/file"]!.get!;
  assertEquals(
    Object.keys(responses).map(Number),
    [200, 206, 304, 400, 404, 412, 416, 431, 500],
  );
});

Deno.test("contract tests send GET and HEAD with the version of a file", async () => {
  const headers = z.object({ "if-match": z.string().optional() });
  const { app } = TestApplication.of({
    "file/route.ts": { schema: { get: { ...schema.get, headers } }, GET: send },
  });
  const { failures } = await checkContracts(app, {
    generators: { "GET /file": { headers: [{ "if-match": '"x"' }] } },
    seed: 1,
    runs: 20,
  });
  assertEquals(failures, []);
});

Deno.test("contract tests find faults of ranges, and none in sendFile()", async () => {
  const without = (name: string) => (request: Request) => {
    const headers = new Headers(request.headers);
    headers.delete(name);
    return send(new Request(request, { headers }));
  };
  const withHeader = (value: string) => async (request: Request) => {
    const response = await send(request);
    if (response.status === 206) response.headers.set("content-range", value);
    return response;
  };
  for (
    const [GET, expected] of [
      [send, undefined],
      [without("range"), "a 206"],
      [without("if-range"), "a 200"],
      [withHeader("bytes 1-9/9"), '"content-range: bytes 1-9/10"'],
      [async (request: Request) => {
        const response = await send(request);
        return response.status === 206
          ? new Response(BYTES, { status: 206, headers: response.headers })
          : response;
      }, "9 bytes of the 10 that GET sends"],
    ] as const
  ) {
    const { app } = TestApplication.of(moduleOf(GET));
    const { failures } = await checkContracts(app, {
      properties: ["methods"],
      seed: 1,
      runs: 5,
    });
    assertEquals(failures[0]?.expected, expected);
  }
});
