/** Middleware, validation and handler may each read a body (behaviour 6.3). */
import { RequestState } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BODY = ' {"a": 1}\n';

type Read = (request: Request) => unknown;

const seen = new RequestState<readonly unknown[]>("seen");

/** The results of readers, which run one after the other. */
async function resultsOf(
  request: Request,
  reads: readonly Read[],
): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const read of reads) results.push(await read(request));
  return results;
}

/** Middleware that reads a body, and keeps the results for the handler. */
const reading = (...reads: readonly Read[]): TestModule => ({
  async default(request, next) {
    seen.set(request, await resultsOf(request, reads));
    return await next();
  },
});

/** A handler that responds with all results. */
const handling = (...reads: readonly Read[]): TestModule => ({
  POST: async (request) =>
    Response.json([
      seen.find(request),
      request.validated.body,
      ...await resultsOf(request, reads),
    ]),
});

const CHECKED = {
  schema: { post: { body: z.object({ a: z.number() }).transform(() => "b") } },
};

const readA: Read = async (request) => (await request.json()).a;
const readText: Read = (request) => request.text();
const readJson: Read = (request) => request.json();

async function post(
  files: Readonly<Record<string, TestModule>>,
  body: BodyInit = BODY,
  headers: HeadersInit = JSON_TYPE,
): Promise<unknown> {
  const application = TestApplication.of(files);
  await using server = await application.serve();
  const request = { method: "POST", body, headers };
  const served = await fetch(server.url("/api"), request);
  const inProcess = await application.fetch("/api", request);
  const [first, second] = [await served.json(), await inProcess.json()];
  assertEquals(first, second);
  return first;
}

Deno.test("after middleware read text or bytes, validation and every reader work", async () => {
  for (const name of ["text", "bytes", "arrayBuffer", "blob"] as const) {
    assertEquals(
      await post({
        "middleware.ts": reading(async (request) => await request[name]() && 0),
        "route.ts": {
          ...CHECKED,
          ...handling(
            readText,
            readJson,
            async (request) => new TextDecoder().decode(await request.bytes()),
            async (request) => (await request.arrayBuffer()).byteLength,
            async (request) => (await request.blob()).type,
          ),
        },
      }),
      [[0], "b", BODY, { a: 1 }, BODY, BODY.length, "application/json"],
    );
  }
});

Deno.test("after middleware read JSON, validation and json() work", async () => {
  assertEquals(
    await post({
      "middleware.ts": reading(readA),
      "route.ts": { ...CHECKED, ...handling(readJson) },
    }),
    [[1], "b", { a: 1 }],
  );
});

Deno.test("each reader of bytes returns its own bytes", async () => {
  assertEquals(
    await post({
      "middleware.ts": reading(
        async (request) => (await request.bytes()).fill(0) && 0,
        async (request) =>
          new Uint8Array(await request.arrayBuffer()).fill(0) && 0,
      ),
      "route.ts": handling(readText),
    }),
    [[0, 0], null, BODY],
  );
});

Deno.test("formData() may be called several times", async () => {
  const form = new FormData();
  form.set("name", "Ada");
  form.set("file", new File(["x"], "x.txt"));
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type")! };
  const nameOf: Read = async (request) =>
    (await request.formData()).get("name");
  assertEquals(
    await post(
      {
        "middleware.ts": reading(nameOf),
        "route.ts": handling(
          nameOf,
          async (request) =>
            ((await request.formData()).get("file") as File).text(),
        ),
      },
      await encoded.bytes(),
      headers,
    ),
    [["Ada"], null, "Ada", "x"],
  );
});

Deno.test("validation responds with 400 to malformed JSON that middleware read", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default: (request, next) => request.json().catch(() => {}).then(next),
    },
    "route.ts": { ...CHECKED, POST: () => new Response() },
  });
  const response = await application.fetch("/api", {
    method: "POST",
    body: "{",
    headers: JSON_TYPE,
  });
  assertEquals(response.status, 400);
  assertEquals((await response.json()).errors, [
    { in: "body", pointer: "#", detail: "The body is not valid JSON" },
  ]);
});

Deno.test("a request can be cloned after its body was read", async () => {
  assertEquals(
    await post({
      "middleware.ts": reading(readText),
      "route.ts": handling(
        (request) => request.clone().text(),
        (request) => request.clone().json(),
        (request) => new Response(request.clone().body).text(),
      ),
    }),
    [[BODY], null, BODY, { a: 1 }, BODY],
  );
  assertEquals(
    await post({
      "middleware.ts": reading(readA),
      "route.ts": handling(
        (request) => request.clone().json(),
        (request) => request.clone().text(),
      ),
    }),
    [[1], null, { a: 1 }, BODY],
  );
});

Deno.test("readers may run at the same time", async () => {
  assertEquals(
    await post({
      "route.ts": {
        POST: async (request) =>
          Response.json(
            await Promise.all([request.text(), request.text(), request.json()]),
          ),
      },
    }),
    [BODY, BODY, { a: 1 }],
  );
});

Deno.test("if a handler reads a body after its stream, Bough responds with 500", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "route.ts": {
      async POST(request) {
        for await (const _ of request.body!);
        return new Response(await request.text());
      },
    },
  });
  const response = await application.fetch("/api", {
    method: "POST",
    body: "x",
  });
  assertEquals(response.status, 500);
  assert(log.lines.length === 1, log.lines.join());
});

for (const method of ["GET", "HEAD", "OPTIONS", "POST", "TRACE", "post"]) {
  Deno.test(`middleware may read and then clone a request of method ${method}`, async () => {
    const clones: string[] = [];
    const application = TestApplication.of({ "route.ts": handling(readJson) }, {
      middleware: [async (request, next) => {
        const text = await request.text();
        const clone = request.clone();
        assertEquals(await clone.text(), text);
        clones.push(clone.method);
        return next();
      }],
    });
    await using server = await application.serve();
    const { status } = await rawRequest(
      server.port,
      `${method} /none HTTP/1.1\nContent-Length: 5`,
      "hello",
    );
    assertEquals(status, /^(?:TRACE|post)$/.test(method) ? 501 : 404);
    assertEquals(clones, [method]);
  });
}

Deno.test("an empty body is empty for two applications that share its request", async () => {
  const create = () =>
    TestApplication.of({
      "route.ts": {
        async POST(request) {
          const json = await request.json().catch(({ name }) => name);
          return Response.json([json, await request.text()]);
        },
      },
    });
  const applications = [create(), create()];
  for (const { app } of applications) await app.start();
  const request = new Request("http://localhost/api", { method: "POST" });
  const responses = applications.map(({ app }) => app.fetch(request));
  for (const response of await Promise.all(responses)) {
    assertEquals(await response.json(), ["SyntaxError", ""]);
  }
});

Deno.test("after an application has read a body, the limit of another does not apply (behaviour 7.3)", async () => {
  const inner = TestApplication.of({ "route.ts": { POST: readTextOf } }, {
    bodyLimit: 3,
  });
  await inner.app.start();
  for (const isRead of [false, true]) {
    const outer = TestApplication.of({
      "route.ts": {
        async POST(request) {
          if (isRead) await request.text();
          return await inner.app.fetch(request, request.info);
        },
      },
    });
    await using server = await outer.serve();
    const response = await fetch(server.url("/api"), {
      method: "POST",
      body: "content",
    });
    assertEquals(response.status, isRead ? 200 : 413);
    await response.body?.cancel();
  }
});

async function readTextOf(request: Request): Promise<Response> {
  return new Response(await request.text());
}

Deno.test("Bough counts the bytes of a request that the program made, whatever its Content-Length says (behaviour 7.3)", async () => {
  const inner = TestApplication.of({ "route.ts": { POST: readTextOf } }, {
    bodyLimit: 3,
  });
  await inner.app.start();
  const outer = TestApplication.of({
    "route.ts": {
      POST: (request) =>
        inner.app.fetch(
          new Request(request.url, {
            method: "POST",
            headers: { "content-length": "1" },
            body: "content",
          }),
          request.info,
        ),
    },
  });
  await using server = await outer.serve();
  const response = await fetch(server.url("/api"), { method: "POST" });
  assertEquals(response.status, 413);
  await response.body?.cancel();
});
