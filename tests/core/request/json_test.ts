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
import {
  ARRIVALS,
  type Body,
  byteLength,
  exchange,
  framed,
} from "./arrivals.ts";
import { type Reader, READERS } from "./support.ts";

/** The result of one reader of a body, or its error. */
async function read(
  request: Request,
  name: Reader,
): Promise<unknown> {
  const reader: () => Promise<unknown> = () => request[name]();
  return await reader().then(
    (value) => value instanceof Uint8Array ? value.length : value,
    (error) => error.message,
  );
}

/** A route whose handler responds with the result of each reader. */
const routeOf = (body: z.ZodType): TestModule => ({
  schema: { post: { body } },
  async POST(request) {
    const results: Record<string, unknown> = {
      validated: request.validated.body ?? "nothing",
    };
    for (const name of READERS) results[name] = await read(request, name);
    return Response.json(results);
  },
});

/** The response to a body that arrives in each way. */
async function outcomes(
  route: TestModule,
  body: Body,
): Promise<[arrival: string, outcome: Record<string, unknown>][]> {
  const application = TestApplication.of({ "route.ts": route });
  await using server = await application.serve();
  return await Promise.all(
    Object.entries(ARRIVALS).map(async ([arrival, send]) =>
      [
        arrival,
        await send({ body }, application, server) as Record<string, unknown>,
      ] as [string, Record<string, unknown>]
    ),
  );
}

Deno.test("after validation, json() gives the value before transforms, and the other readers the exact body", async () => {
  const route = routeOf(z.object({ a: z.string().transform(() => 1) }));
  const body = '\ufeff{ "a": "é", "b": 2 }';
  for (const [arrival, outcome] of await outcomes(route, body)) {
    const { formData, ...others } = outcome;
    assertEquals(others, {
      validated: { a: 1 },
      json: { a: "é", b: 2 },
      text: body.slice(1),
      bytes: byteLength(body),
      arrayBuffer: {},
      blob: {},
    }, arrival);
    assertEquals(formData, "The body is not a valid form");
  }
});

Deno.test("JSON excludes a byte order mark (RFC 8259, section 8.1)", async () => {
  const received = await outcomes(routeOf(z.unknown()), '\ufeff{"a":1}');
  for (const [arrival, { validated, json }] of received) {
    assertEquals([validated, json], [{ a: 1 }, { a: 1 }], arrival);
  }
});

Deno.test("an empty body is validated as undefined, and has no JSON and no bytes", async () => {
  for (const [arrival, outcome] of await outcomes(routeOf(z.undefined()), "")) {
    const { validated, json, text, bytes } = outcome;
    assertEquals([validated, text, bytes], ["nothing", "", 0], arrival);
    assertStringIncludes(String(json), "JSON", arrival);
  }
});

Deno.test("after json() rejects, every reader rejects with the same error", async () => {
  const errorsOf = async (request: Request, names: Reader[]) => {
    const errors: unknown[] = [];
    for (const name of names) {
      await request[name]().catch((error) => errors.push(error));
    }
    return errors;
  };
  const application = TestApplication.of({
    "route.ts": {
      async POST(request) {
        const names = ["json", "text", "json", "bytes"] as const;
        const errors = await errorsOf(request, [...names]);
        return Response.json({ errors: errors.map(String) });
      },
    },
    "read/route.ts": {
      async POST(request) {
        await request.body!.getReader().read();
        const [first, second] = await errorsOf(request, ["json", "text"]);
        const { message } = first as Error;
        return Response.json({ same: message === (second as Error).message });
      },
    },
  }, { bodyLimit: 10 });
  await using server = await application.serve();
  const tooLarge = "HttpError: The body is larger than 10 bytes";
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    assertEquals(
      await send({ body: '{ "a": "too long" }' }, application, server),
      { errors: [tooLarge, tooLarge, tooLarge, tooLarge] },
      arrival,
    );
  }
  const response = await application.fetch("/api/read", {
    method: "POST",
    body: "{}",
  });
  assertEquals(await response.json(), { same: true });
});

Deno.test("a form that middleware has read as JSON is validated", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        await request.json().catch(() => {});
        return await next();
      },
    },
    "route.ts": {
      schema: { post: { body: z.object({ a: z.string() }) } },
      POST: (request) => Response.json(request.validated.body),
    },
  });
  const response = await application.fetch("/api", {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
  });
  assertEquals(await response.json(), { a: "1" });
});

Deno.test("Bough responds to malformed JSON with 400", async () => {
  for (const body of ["{", "nul", "\ufeff", "\ufeff\ufeff{}", "{}\0"]) {
    const received = await outcomes(routeOf(z.unknown()), body);
    for (const [arrival, { status, errors }] of received) {
      assertEquals(status, 400, arrival);
      const [{ detail }] = errors as [{ detail: string }];
      assertEquals(detail, "The body is not valid JSON");
    }
  }
});

/** JSON with a string of these bytes. */
function stringOf(...bytes: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0x22, ...bytes, 0x22]);
}

Deno.test("Bough responds with 400 to JSON that is not UTF-8 (behaviour 7.2)", async () => {
  for (
    const body of [
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
    ]
  ) {
    for (const schema of [true, false]) {
      const route: TestModule = schema ? routeOf(z.unknown()) : {
        POST: async (request) => Response.json(await request.json()),
      };
      for (const [arrival, received] of await outcomes(route, body)) {
        const { status, detail, errors } = received;
        const [issue] = (errors ?? [{ detail }]) as [{ detail: string }];
        assertEquals(
          [status, issue.detail],
          [400, "The body is not valid UTF-8"],
          `${body} ${arrival}`,
        );
      }
    }
  }
});

Deno.test("JSON may contain U+FFFD and any other character (behaviour 7.2)", async () => {
  for (
    const text of ["\ufffd", "a\ufffdé🙂\ufffd", "\u0000\u07ff\uffff\u{10ffff}"]
  ) {
    const body = JSON.stringify(text);
    for (
      const [arrival, received] of await outcomes(routeOf(z.string()), body)
    ) {
      assertEquals([received.validated, received.json], [text, text], arrival);
    }
  }
});

Deno.test("only if it arrives with its head, JSON may lack the last byte of a character of four bytes (behaviour 7.2)", async () => {
  const route = routeOf(z.string());
  for (
    const [arrival, received] of await outcomes(
      route,
      stringOf(0xf0, 0x9f, 0x98),
    )
  ) {
    const isAtOnce = arrival === "with its head";
    assertEquals(received.validated, isAtOnce ? "\ufffd" : undefined, arrival);
  }
});

Deno.test("Bough responds with 400 to a form or text that is not UTF-8 (behaviour 7.2)", async () => {
  const text = content("text/csv", z.string());
  const application = TestApplication.of({
    "form/route.ts": routeOf(z.unknown()),
    "read/route.ts": {
      POST: async (request) => Response.json([...await request.formData()]),
    },
    "text/route.ts": {
      ...routeOf(z.string()),
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
});

Deno.test("other requests have only their public members", async () => {
  const request = new Request("http://localhost/", {
    method: "POST",
    body: "text",
    headers: { "x-a": "1" },
  });
  assertEquals(takeArrivedText(request), undefined);
  assertEquals([headerOf(request, "X-A"), headerOf(request, "x-b")], [
    "1",
    null,
  ]);
  assert(!request.bodyUsed);
  assertEquals(await request.text(), "text");
});
