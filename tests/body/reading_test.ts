/** A body may be read by middleware, validation and handler alike (behaviour 6.3). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BODY = ' {"a": 1}\n';

const reading = (calls: string, config = ""): string =>
  `export default async (request, next) => {
    request.seen = [${calls}];
    return await next();
  };
  ${config}`;

const SCHEMA = `
  import { z } from "npm:zod@^4.1.13";
  export const schema = { post: { body: z.object({ a: z.number() }).transform(() => "b") } };
`;
const RAW = "export const config = { rawBody: true };";

async function post(
  files: Readonly<Record<string, string>>,
  body: BodyInit = BODY,
  headers: HeadersInit = JSON_TYPE,
): Promise<unknown> {
  await using application = await FolderApplication.create(files);
  await using server = await application.serve();
  const request = { method: "POST", body, headers };
  const served = await fetch(server.url("/api"), request);
  const inProcess = await application.fetch("/api", request);
  const [first, second] = [await served.json(), await inProcess.json()];
  assertEquals(first, second);
  return first;
}

const handler = (calls: string): string =>
  `export async function POST(request) {
    return Response.json([request.seen, request.validated.body, ${calls}]);
  }`;

Deno.test("what middleware read as text or bytes serves validation and every reader", async () => {
  for (const read of ["text", "bytes", "arrayBuffer", "blob"]) {
    assertEquals(
      await post({
        "middleware.js": reading(`await request.${read}() && 0`),
        "route.js": SCHEMA + handler(
          `await request.text(), await request.json(),
           new TextDecoder().decode(await request.bytes()),
           (await request.arrayBuffer()).byteLength, (await request.blob()).type`,
        ),
      }),
      [[0], "b", BODY, { a: 1 }, BODY, BODY.length, "application/json"],
    );
  }
});

Deno.test("what middleware read as JSON serves validation and json()", async () => {
  assertEquals(
    await post({
      "middleware.js": reading("(await request.json()).a"),
      "route.js": SCHEMA + handler("await request.json()"),
    }),
    [[1], "b", { a: 1 }],
  );
});

Deno.test("after json() alone, the other readers reject and name the remedy", async () => {
  const readers = ["text", "bytes", "arrayBuffer", "blob", "formData"];
  const told = await post({
    "route.js": `export async function POST(request) {
      await request.json();
      const errors = [];
      for (const name of ${JSON.stringify(readers)}) {
        await request[name]().catch((error) => errors.push(error.message));
      }
      return Response.json(errors);
    }`,
  }) as string[];
  assertEquals(told.length, readers.length);
  for (const message of told) {
    assertStringIncludes(message, "export const config = { rawBody: true }");
  }
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `export async function POST(request) {
      await request.json();
      return new Response(await request.text());
    }`,
  });
  const response = await application.fetch("/api", {
    method: "POST",
    body: "1",
  });
  assertEquals(response.status, 500, "that is the handler's own slip");
  assertEquals(log.lines.length, 1);
});

Deno.test("config.rawBody keeps the exact bytes, by the route or a folder above it", async () => {
  const route = SCHEMA +
    handler("await request.json(), await request.text()");
  const expected = [[1], "b", { a: 1 }, BODY];
  const read = "(await request.json()).a";
  assertEquals(
    await post({
      "middleware.js": reading(read),
      "route.js": route + RAW,
    }),
    expected,
  );
  assertEquals(
    await post({
      "middleware.js": reading(read, RAW),
      "route.js": route + "export const config = { rawBody: false };",
    }),
    expected,
  );
});

Deno.test("each reader of bytes gets bytes of its own", async () => {
  assertEquals(
    await post({
      "middleware.js": reading(`
        (await request.bytes()).fill(0) && 0,
        new Uint8Array(await request.arrayBuffer()).fill(0) && 0`),
      "route.js": handler("await request.text()"),
    }),
    [[0, 0], null, BODY],
  );
});

Deno.test("a form is read as often as is wanted", async () => {
  const form = new FormData();
  form.set("name", "Ada");
  form.set("file", new File(["x"], "x.txt"));
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type")! };
  assertEquals(
    await post(
      {
        "middleware.js": reading("(await request.formData()).get('name')"),
        "route.js": handler(
          "(await request.formData()).get('name'), await (await request.formData()).get('file').text()",
        ),
      },
      await encoded.bytes(),
      headers,
    ),
    [["Ada"], null, "Ada", "x"],
  );
});

Deno.test("JSON that middleware found malformed is a 400 of the validation, too", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `export default (request, next) =>
      request.json().catch(() => {}).then(next);`,
    "route.js": SCHEMA + "export const POST = () => new Response();",
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

Deno.test("a body that was read can be cloned", async () => {
  assertEquals(
    await post({
      "middleware.js": reading("await request.text()"),
      "route.js": handler(
        `await request.clone().text(), await request.clone().json(),
         await new Response(request.clone().body).text()`,
      ),
    }),
    [[BODY], null, BODY, { a: 1 }, BODY],
  );
  assertEquals(
    await post({
      "middleware.js": reading("(await request.json()).a"),
      "route.js": handler(
        `await request.clone().json(),
         await request.clone().text().catch(({ name }) => name)`,
      ),
    }),
    [[1], null, { a: 1 }, "TypeError"],
  );
});

Deno.test("readers may run at the same time", async () => {
  assertEquals(
    await post({
      "route.js":
        `export const POST = async (request) => Response.json(await Promise.all(
          [request.text(), request.text(), request.json()]));`,
    }),
    [BODY, BODY, { a: 1 }],
  );
});

Deno.test("a body that was streamed away is the handler's own slip", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": `export async function POST(request) {
      for await (const _ of request.body);
      return new Response(await request.text());
    }`,
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
    await using application = await FolderApplication.create({}, {
      middleware: [async (request, next) => {
        const text = await request.text();
        const clone = request.clone();
        assertEquals(await clone.text(), text);
        clones.push(clone.method);
        return next();
      }],
    });
    await using server = await application.serve();
    const { port } = server.server.addr;
    const { status } = await rawRequest(
      port,
      `${method} /none HTTP/1.1\nContent-Length: 5`,
      "hello",
    );
    assertEquals(status, /^(?:TRACE|post)$/.test(method) ? 501 : 404);
    assertEquals(clones, [method]);
  });
}

Deno.test("a body is noted as empty while its request is in two applications", async () => {
  const files = {
    "route.js": `export const POST = async (request) => {
      const json = await request.json().catch(({ name }) => name);
      return Response.json([json, await request.text()]);
    };`,
  };
  await using first = await FolderApplication.create(files);
  await using second = await FolderApplication.create(files);
  for (const { app } of [first, second]) await app.start();
  const request = new Request("http://localhost/api", { method: "POST" });
  const responses = [first.app.fetch(request), second.app.fetch(request)];
  for (const response of await Promise.all(responses)) {
    assertEquals(await response.json(), ["SyntaxError", ""]);
  }
});
