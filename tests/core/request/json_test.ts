/**
 * A JSON body is read in the same way however it arrives (behaviour 6.3): with the head
 * of its request, later, in chunks, or in process. For the first way, Bough has a faster
 * path.
 */
import { content } from "@bough/framework";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import {
  headerOf,
  takeArrivedText,
} from "../../../src/core/request/inner_request.ts";
import {
  TestApplication,
  type TestModule,
  TestServer,
} from "../../support/application.ts";
import { ARRIVALS, type Body, exchange, framed } from "./arrivals.ts";

/** A route that responds with the validated value, the JSON and the text of a body. */
const validating = (body: z.ZodType): TestModule => ({
  schema: { post: { body } },
  POST: async (request) =>
    Response.json({
      validated: request.validated.body ?? "nothing",
      json: await request.json().catch(({ name }) => name),
      text: await request.text(),
    }),
});

/** The responses to bodies that arrive in each way. */
async function outcomes(
  route: TestModule,
  bodies: readonly Body[],
): Promise<[what: string, outcome: Record<string, unknown>, Body][]> {
  const application = TestApplication.of({ "route.ts": route });
  await using server = await application.serve();
  return await Promise.all(
    bodies.flatMap((body) =>
      Object.entries(ARRIVALS).map(async ([arrival, send]) =>
        [
          `${JSON.stringify(body)} ${arrival}`,
          await send({ body }, application, server) as Record<string, unknown>,
          body,
        ] as [string, Record<string, unknown>, Body]
      )
    ),
  );
}

Deno.test("json() gives the value before transforms, without a byte order mark (RFC 8259, 8.1); an empty body is validated as undefined", async () => {
  const route = validating(
    z.object({ a: z.string().transform(() => 1) }).optional(),
  );
  const body = '{ "a": "é", "b": 2 }';
  for (
    const [what, outcome, sent] of await outcomes(route, ["\ufeff" + body, ""])
  ) {
    assertEquals(
      outcome,
      sent === ""
        ? { validated: "nothing", json: "SyntaxError", text: "" }
        : { validated: { a: 1 }, json: { a: "é", b: 2 }, text: body },
      what,
    );
  }
});

/** JSON with a string of these bytes. */
function stringOf(...bytes: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0x22, ...bytes, 0x22]);
}

const NOT_UTF8 = [
  stringOf(0xff),
  stringOf(0xe9),
  stringOf(0xc3),
  stringOf(0xe2, 0x82),
  stringOf(0xf0, 0x9f),
  stringOf(0xc0, 0xaf),
  stringOf(0xed, 0xa0, 0x80),
  stringOf(0xf4, 0x90, 0x80, 0x80),
  stringOf(0xef, 0xbf, 0xbd, 0xff),
  new Uint8Array([0xff, 0xfe, 0x31, 0x00]),
];

Deno.test("Bough responds with 400 to malformed JSON, and to JSON that is not UTF-8 (behaviour 7.2)", async () => {
  const reading: TestModule = {
    POST: async (request) => Response.json(await request.json()),
  };
  const malformed = ["{", "nul", "\ufeff", "\ufeff\ufeff{}", "{}\0"];
  for (const route of [validating(z.unknown()), reading]) {
    for (
      const [what, received, body] of await outcomes(route, [
        ...malformed,
        ...NOT_UTF8,
      ])
    ) {
      const { status, detail, errors = [{ detail }] } = received;
      const expected = typeof body === "string"
        ? "The body is not valid JSON"
        : "The body is not valid UTF-8";
      const [issue] = errors as [{ detail: string }];
      assertEquals([status, issue.detail], [400, expected], what);
    }
  }
});

Deno.test("JSON may contain U+FFFD and any other character (behaviour 7.2)", async () => {
  const texts = ["\ufffd", "a\ufffdé🙂\ufffd", "\u0000\u07ff\uffff\u{10ffff}"]
    .map((text) => JSON.stringify(text));
  const found = await outcomes(validating(z.string()), texts);
  for (const [what, { validated, json }, body] of found) {
    const value = JSON.parse(String(body));
    assertEquals([validated, json], [value, value], what);
  }
});

Deno.test("only if it arrives with its head, JSON may lack the last byte of a character of four bytes (behaviour 7.2)", async () => {
  const cut = stringOf(0xf0, 0x9f, 0x98);
  const found = await outcomes(validating(z.string()), [cut]);
  for (const [what, { validated }] of found) {
    const isAtOnce = what.endsWith(" with its head") &&
      !what.includes("chunks");
    assertEquals(validated, isAtOnce ? "\ufffd" : undefined, what);
  }
});

Deno.test("Bough responds with 400 to a form or text that is not UTF-8 (behaviour 7.2)", async () => {
  const text = content("text/csv", z.string());
  const application = TestApplication.of({
    "form/route.ts": validating(z.unknown()),
    "read/route.ts": {
      POST: async (request) => Response.json([...await request.formData()]),
    },
    "text/route.ts": {
      ...validating(z.string()),
      schema: { post: { body: text } },
    },
    "loose/route.ts": {
      POST: async (request) => Response.json(await request.text()),
    },
  });
  const form = "application/x-www-form-urlencoded";
  for (
    const [name, type, status] of [
      ["form", form, 400],
      ["read", form, 400],
      ["text", "text/csv", 400],
      // As on the web.
      ["loose", "text/csv", 200],
    ] as const
  ) {
    const response = await application.fetch(`/api/${name}`, {
      method: "POST",
      body: new Uint8Array([0x61, 0x3d, 0xe9]),
      headers: { "content-type": type },
    });
    const text = await response.text();
    assertEquals(response.status, status, name);
    if (status === 400) {
      assertStringIncludes(text, "The body is not valid UTF-8");
    }
  }
});

Deno.test("Deno provides the text of an arrived body, and single headers", async () => {
  // If this fails, Deno has changed: Bough then uses public members, which are slower.
  const seen: unknown[] = [];
  await using server = new TestServer(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const names = ["content-type", "CONTENT-LENGTH", "x-none"];
      const taken = names.map((name) => headerOf(request, name));
      assertEquals(taken, names.map((name) => request.headers.get(name)));
      seen.push(takeArrivedText(request), takeArrivedText(request));
      return Response.json({});
    },
  ));
  await exchange(server, [framed({ body: '"é"' }) + '"é"']);
  assertEquals(seen, ['"é"', undefined]);
  // Other requests have only their public members.
  const request = new Request("http://localhost/", {
    method: "POST",
    body: "text",
    headers: { "x-a": "1" },
  });
  assertEquals(takeArrivedText(request), undefined);
  const values = ["X-A", "x-b"].map((name) => headerOf(request, name));
  assertEquals(values, ["1", null]);
  assert(!request.bodyUsed);
  assertEquals(await request.text(), "text");
});
