/**
 * A JSON body is read in the same way however it arrives (behaviour 6.3): with the head
 * of its request, later, in chunks, or in process. For the first way, Bough has a faster
 * path.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { headerOf, takeArrivedText } from "../../../src/core/body/read.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  TestServer,
} from "../../support/application.ts";
import { delay } from "../../support/until.ts";
import { type Reader, READERS } from "./support.ts";

const HEAD =
  "POST /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";

type Send = (
  application: TestApplication,
  server: TestServer,
  body: string,
) => Promise<unknown>;

/** How a body may arrive. */
const ARRIVALS: Readonly<Record<string, Send>> = {
  "with its head": (_, server, body) => exchange(server, [framed(body) + body]),
  "after its head": (_, server, body) => exchange(server, [framed(body), body]),
  "in chunks": (_, server, body) =>
    exchange(server, [
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      body === "" ? "" : `${byteLength(body).toString(16)}\r\n${body}\r\n`,
      "0\r\n\r\n",
    ]),
  "in process": async (application, _, body) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", body, headers };
    return await (await application.fetch("/api", request)).json();
  },
};

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function framed(body: string): string {
  return `${HEAD}Content-Length: ${byteLength(body)}\r\n\r\n`;
}

/** Sends parts with pauses between them; returns the JSON of the response. */
async function exchange(
  { port }: TestServer,
  [first, ...parts]: readonly string[],
): Promise<unknown> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(first));
  for (const part of parts) {
    await delay(30);
    await writer.write(new TextEncoder().encode(part));
  }
  const response = await new Response(connection.readable).text();
  return JSON.parse(/\{.*\}/.exec(response)![0]);
}

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
const routeOf = (body: z.ZodType, config = {}): TestModule => ({
  schema: { post: { body } },
  config,
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
  body: string,
): Promise<[arrival: string, outcome: Record<string, unknown>][]> {
  const application = TestApplication.of({ "route.ts": route });
  await using server = await application.serve();
  return await Promise.all(
    Object.entries(ARRIVALS).map(async ([arrival, send]) =>
      [
        arrival,
        await send(application, server, body) as Record<string, unknown>,
      ] as [string, Record<string, unknown>]
    ),
  );
}

Deno.test("after validation, json() gives the value before transforms, and the other readers name the remedy", async () => {
  const route = routeOf(z.object({ a: z.string().transform(() => 1) }));
  const body = '{ "a": "é", "b": 2 }';
  for (const [arrival, outcome] of await outcomes(route, body)) {
    const { validated, json, ...others } = outcome;
    assertEquals([validated, json], [{ a: 1 }, { a: "é", b: 2 }], arrival);
    assertEquals(Object.keys(others), READERS.slice(1));
    for (const [name, message] of Object.entries(others)) {
      assertStringIncludes(
        String(message),
        "export const config = { rawBody: true }",
        `${name} ${arrival}`,
      );
    }
  }
});

Deno.test("with rawBody, every reader gives the exact body", async () => {
  const body = '\ufeff{ "a": "é" }';
  const route = routeOf(z.unknown(), { rawBody: true });
  for (const [arrival, outcome] of await outcomes(route, body)) {
    const { json, text, bytes } = outcome;
    assertEquals(
      [json, text, bytes],
      [{ a: "é" }, body.slice(1), byteLength(body)],
      arrival,
    );
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
      await send(application, server, '{ "a": "too long" }'),
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

Deno.test("if middleware read a form as JSON, Bough responds with 500, and logs the remedy", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "middleware.ts": {
      async default(request, next) {
        await request.json().catch(() => {});
        return await next();
      },
    },
    "route.ts": routeOf(z.object({ a: z.string() })),
  });
  const response = await application.fetch("/api", {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
  });
  await response.body?.cancel();
  assertEquals(response.status, 500);
  assertStringIncludes(
    log.lines.join("\n"),
    "export const config = { rawBody: true }",
  );
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
  await exchange(server, [framed('"é"') + '"é"']);
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
