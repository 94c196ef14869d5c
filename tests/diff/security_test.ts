import { assertEquals } from "@std/assert";
import { diffDocuments } from "@bough/framework/diff";
import type { OpenApiDocument } from "@bough/framework/openapi";

type Security = OpenApiDocument["security"];

function secured(
  security: Security,
  schemes: Readonly<Record<string, object>> = {
    bearer: { type: "http", scheme: "bearer" },
    key: { type: "apiKey", in: "header", name: "x-key" },
    oauth: { type: "oauth2", flows: {} },
  },
): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: { title: "", version: "" },
    paths: {
      "/": {
        get: { operationId: "get", responses: {}, ...security && { security } },
      },
    },
    components: { schemas: {}, responses: {}, securitySchemes: schemes },
  };
}

async function messages(before: OpenApiDocument, after: OpenApiDocument) {
  return (await diffDocuments(before, after)).map(({ message }) => message);
}

for (
  const [before, after, expected] of [
    [
      undefined,
      [{ bearer: [] }],
      '"none" no longer suffice; required: "bearer"',
    ],
    [
      [{ bearer: [] }],
      [{ key: [] }],
      '"bearer" no longer suffice; required: "key"',
    ],
    [
      [{ bearer: [] }],
      [{ bearer: [], key: [] }],
      '"bearer" no longer suffice; required: "bearer and key"',
    ],
    [
      [{ bearer: [] }, { key: [] }],
      [{ bearer: [] }],
      '"key" no longer suffice; required: "bearer"',
    ],
    [
      [{ oauth: ["read"] }],
      [{ oauth: ["read", "write"] }],
      '"oauth read" no longer suffice; required: "oauth read write"',
    ],
    [[{ bearer: [] }], [{}], undefined],
    [[{ bearer: [] }], [{ key: [] }, { bearer: [] }], undefined],
    [[{ oauth: ["read", "write"] }], [{ oauth: ["read"] }], undefined],
    [undefined, [], undefined],
  ] as const
) {
  const [old, now] = [before, after].map((each) => JSON.stringify(each));
  Deno.test(`the security ${old} becomes ${now}`, async () => {
    const found = await messages(secured(before), secured(after));
    assertEquals(
      found,
      expected === undefined ? [] : [`credentials ${expected}`],
    );
  });
}

Deno.test("a scheme that sends credentials in another way is a change", async () => {
  const key = (name: string) =>
    secured([{ key: [] }], { key: { type: "apiKey", in: "header", name } });
  assertEquals(
    await messages(key("x-key"), key("x-token")),
    [
      'credentials "key" no longer suffice; required: "key"; "key" became {"in":"header","name":"x-token","type":"apiKey"}',
    ],
  );
  assertEquals(await messages(key("x-key"), key("x-key")), []);
});
