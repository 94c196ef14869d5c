/**
 * A JSON body is read alike however it arrives: with the head of its request, later, in
 * chunks, or in process (behaviour 6.3). The first of these goes a way of its own.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { headerOf, takeArrivedText } from "../../src/body/read.ts";
import {
  CapturedLog,
  FolderApplication,
  TestServer,
} from "../support/application.ts";

const HEAD =
  "POST /api HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n";

type Send = (
  application: FolderApplication,
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
  parts: readonly string[],
): Promise<unknown> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writer = connection.writable.getWriter();
  for (const part of parts) {
    await writer.write(new TextEncoder().encode(part));
    await new Promise((go) => setTimeout(go, 30));
  }
  const response = await new Response(connection.readable).text();
  return JSON.parse(/\{.*\}/.exec(response)![0]);
}

/** A handler that reads the body in each way, and says what came of it. */
const route = (schema: string, config = ""): string => `
  import { z } from "npm:zod@^4.1.13";
  export const schema = { post: { body: ${schema} } };
  ${config}
  const names = ["json", "text", "bytes", "arrayBuffer", "blob", "formData"];
  export async function POST(request) {
    const outcomes = { validated: request.validated.body ?? "nothing" };
    for (const name of names) {
      outcomes[name] = await request[name]().then(
        (value) => name === "json" || name === "text" ? value : [...value].length,
        (error) => error.message,
      ).catch(() => "read");
    }
    return Response.json(outcomes);
  }`;

async function outcomes(
  file: string,
  body: string,
): Promise<Record<string, Record<string, unknown>>> {
  await using application = await FolderApplication.create({
    "route.js": file,
  });
  await using server = await application.serve();
  const byArrival: Record<string, Record<string, unknown>> = {};
  for (const [arrival, send] of Object.entries(ARRIVALS)) {
    const outcome = await send(application, server, body);
    byArrival[arrival] = outcome as Record<string, unknown>;
  }
  return byArrival;
}

Deno.test("after validation, json() gives the value before transforms, and the other readers name the remedy", async () => {
  const schema = "z.object({ a: z.string().transform(() => 1) })";
  const body = '{ "a": "é", "b": 2 }';
  for (
    const [arrival, outcome] of Object.entries(
      await outcomes(route(schema), body),
    )
  ) {
    const { validated, json, ...others } = outcome;
    assertEquals([validated, json], [{ a: 1 }, { a: "é", b: 2 }], arrival);
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
  const file = route("z.unknown()", "export const config = { rawBody: true };");
  for (const [arrival, outcome] of Object.entries(await outcomes(file, body))) {
    const { json, text, bytes } = outcome;
    assertEquals(
      [json, text, bytes],
      [{ a: "é" }, body.slice(1), byteLength(body)],
      arrival,
    );
  }
});

Deno.test("a byte order mark is no part of JSON (RFC 8259, section 8.1)", async () => {
  const received = await outcomes(route("z.unknown()"), '\ufeff{"a":1}');
  for (const [arrival, { validated, json }] of Object.entries(received)) {
    assertEquals([validated, json], [{ a: 1 }, { a: 1 }], arrival);
  }
});

Deno.test("an empty body is validated as undefined, and has no JSON and no bytes", async () => {
  const received = await outcomes(route("z.undefined()"), "");
  for (const [arrival, outcome] of Object.entries(received)) {
    const { validated, json, text, bytes } = outcome;
    assertEquals([validated, text, bytes], ["nothing", "", 0], arrival);
    assertStringIncludes(String(json), "JSON", arrival);
  }
});

Deno.test("a body that json() could not read is refused by every reader in the same way", async () => {
  await using application = await FolderApplication.create({
    "route.js": `
      export async function POST(request) {
        const errors = [];
        for (const name of ["json", "text", "json", "bytes"]) {
          await request[name]().catch((error) => errors.push(String(error)));
        }
        return Response.json({ errors });
      }`,
    "read/route.js": `
      export async function POST(request) {
        await request.body.getReader().read();
        const errors = [];
        for (const name of ["json", "text"]) {
          await request[name]().catch((error) => errors.push(error.message));
        }
        return Response.json({ same: errors[0] === errors[1] });
      }`,
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

Deno.test("a form that middleware read as JSON is no fault of the client", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "middleware.js": `
      export default async (request, next) => {
        await request.json().catch(() => {});
        return await next();
      };`,
    "route.js": route("z.object({ a: z.string() })"),
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

Deno.test("malformed JSON is a 400", async () => {
  for (const body of ["{", "nul", "\ufeff", "\ufeff\ufeff{}", "{}\0"]) {
    const received = await outcomes(route("z.unknown()"), body);
    for (const [arrival, { status, errors }] of Object.entries(received)) {
      assertEquals(status, 400, arrival);
      const [{ detail }] = errors as [{ detail: string }];
      assertEquals(detail, "The body is not valid JSON");
    }
  }
});

Deno.test("Deno hands over the text of an arrived body, and single headers", async () => {
  // If this fails, Deno has changed. All goes on, by public members, but slower.
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
