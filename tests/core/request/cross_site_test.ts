import { assertEquals } from "@std/assert";
import { z } from "zod";
import { content, type Middleware } from "@bough/framework";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { rawRequest, type RawResponse } from "../../support/raw_http.ts";

/** Reads the body by the reader that a header names, perhaps of a clone. */
function read(request: Request): Promise<unknown> {
  const [name, cloned] = request.headers.get("x-reader")!.split(" ").reverse();
  const source = cloned === undefined ? request : request.clone();
  return source[name as "text"]();
}

const ran = () => new Response("ran");
async function readAndRun(request: Request): Promise<Response> {
  await read(request);
  return ran();
}

const body = z.any();

const ROUTES: Readonly<Record<string, TestModule>> = {
  "validated/route.ts": {
    schema: { post: { body }, put: { body } },
    POST: ran,
    PUT: ran,
  },
  "text/route.ts": {
    schema: { post: { body: content("text/plain", z.string()) } },
    POST: ran,
  },
  "handler/route.ts": {
    POST: readAndRun,
    PUT: readAndRun,
    PATCH: readAndRun,
    DELETE: readAndRun,
  },
  "folder/middleware.ts": {
    async default(request, next) {
      await read(request);
      return next();
    },
  },
  "folder/route.ts": { POST: ran },
  "application/route.ts": { POST: ran },
  "application/get/route.ts": { GET: ran },
  "unread/route.ts": { POST: ran },
  "stream/route.ts": {
    async POST(request) {
      for await (const _ of request.body!);
      return ran();
    },
  },
};

const readForApplication: Middleware = async (request, next) => {
  if (request.url.includes("/application")) await read(request);
  return next();
};

/** Paths whose bodies are read, and the statuses of legitimate requests. */
const PLACES = {
  "/api/handler": 200,
  "/api/folder": 200,
  "/api/application": 200,
  "/api/application/get": 405,
  "/api/application/missing": 404,
  "/api/missing": 202,
};

const FORM = "application/x-www-form-urlencoded";

/** Readers, each with a body that browsers send without a preflight. */
const BODIES = [
  ["formData", FORM, "a=1"],
  ["formData", "multipart/form-data; boundary=b", "--b--\r\n"],
  ["text", "text/plain", "a"],
  ["text", undefined, "a"],
  ["json", "text/plain", `{"a":1}`],
  ["json", "application/json, text/plain", `{"a":1}`],
  ["bytes", "text/plain", "a"],
  ["arrayBuffer", "text/plain;charset=UTF-8", "a"],
  ["blob", FORM, "a=1"],
  ["clone text", "text/plain", "a"],
  ["clone formData", FORM, "a=1"],
] as const;

/** Headers for the origin of a request, and whether its body may be read. */
const SOURCES = [
  ["Origin: https://evil.example", false],
  ["Origin: null", false],
  ["Origin: http://localhost:81", false],
  ["Sec-Fetch-Site: cross-site", false],
  ["Sec-Fetch-Site: same-site\nOrigin: http://localhost", false],
  ["X: 1", true],
  ["Origin: http://localhost", true],
  ["Origin: https://localhost", true],
  ["Sec-Fetch-Site: same-origin\nOrigin: http://localhost", true],
  ["Sec-Fetch-Site: none", true],
  ["Origin: https://app.example.com", true],
  ["Sec-Fetch-Site: cross-site\nOrigin: https://app.example.com", true],
] as const;

/** One request, over HTTP, with the body of a reader. */
interface Sent {
  readonly path: string;
  readonly source: string;
  readonly reader: string;
  readonly type: string | undefined;
  readonly body: string;
  readonly method?: string;
}

async function withServer(
  test: (send: (sent: Sent) => Promise<RawResponse>) => Promise<void>,
): Promise<void> {
  const application = TestApplication.of(ROUTES, {
    trustedOrigins: ["https://app.example.com"],
    middleware: [readForApplication],
    onNotFound: async (request) => {
      if (!request.url.endsWith("/api/missing")) return undefined;
      await read(request);
      return new Response("ran", { status: 202 });
    },
  });
  await using server = await application.serve();
  await test(({ path, source, reader, type, body, method = "POST" }) => {
    const head = [
      `${method} ${path} HTTP/1.1`,
      source,
      `X-Reader: ${reader}`,
      `Content-Length: ${body.length}`,
      ...type === undefined ? [] : [`Content-Type: ${type}`],
    ];
    return rawRequest(server.port, head.join("\n"), body);
  });
}

function assertRefused(response: RawResponse, what: string): void {
  assertEquals(response.status, 403, what);
  const type = response.headers.get("content-type");
  assertEquals(type, "application/problem+json", what);
  assertEquals(JSON.parse(response.body), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    detail: "A page of an untrusted origin sent the body",
  }, what);
}

Deno.test("no reader and no validation reads a form, a text or an untyped body from a page of another origin, in any place (behaviour 7.2)", async () => {
  const sent: (readonly [Omit<Sent, "source">, number])[] = [];
  for (const [reader, type, body] of BODIES) {
    for (const [path, status] of Object.entries(PLACES)) {
      sent.push([{ path, reader, type, body }, status]);
    }
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const path = "/api/handler";
      sent.push([{ path, reader, type, body, method }, 200]);
    }
  }
  for (
    const [name, type, body] of [
      ["validated", FORM, "a=1"],
      ["validated", "multipart/form-data; boundary=b", "--b--\r\n"],
      ["validated", undefined, "{}"],
      ["text", "text/plain", "a"],
    ] as const
  ) {
    for (const method of name === "text" ? ["POST"] : ["POST", "PUT"]) {
      const path = `/api/${name}`;
      sent.push([{ path, reader: "none", type, body, method }, 200]);
    }
  }
  await withServer(async (send) => {
    for (const [request, status] of sent) {
      for (const [source, passes] of SOURCES) {
        const response = await send({ ...request, source });
        const what = JSON.stringify([request, source]);
        if (passes) assertEquals(response.status, status, what);
        else assertRefused(response, what);
      }
    }
  });
});

Deno.test("JSON, empty and unread bodies, and streams may come from any origin (behaviour 7.2)", async () => {
  await withServer(async (send) => {
    const source = "Origin: https://evil.example\nSec-Fetch-Site: cross-site";
    for (
      const [path, reader, type, body] of [
        ["/api/handler", "json", "application/json", "{}"],
        ["/api/handler", "json", "application/problem+json; x=y", "{}"],
        ["/api/handler", "text", "application/json", "{}"],
        ["/api/handler", "bytes", "application/octet-stream", "a"],
        ["/api/validated", "none", "application/json", "{}"],
        ["/api/handler", "text", "text/plain", ""],
        ["/api/validated", "none", undefined, ""],
        ["/api/unread", "none", FORM, "a=1"],
        ["/api/stream", "none", FORM, "a=1"],
      ] as const
    ) {
      const response = await send({ path, source, reader, type, body });
      const what = `${path} ${reader} ${type} ${body}`;
      assertEquals(`${response.status} ${response.body}`, "200 ran", what);
    }
  });
});

Deno.test("in process, a request without an origin is read", async () => {
  const application = TestApplication.of(ROUTES);
  const response = await application.fetch("/api/handler", {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
    headers: { "x-reader": "formData" },
  });
  assertEquals(await response.text(), "ran");
});
