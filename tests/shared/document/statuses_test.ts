/** The document has the statuses that Bough itself sends. */
import { assert, assertEquals } from "@std/assert";
import { createDocument } from "@bough/framework/openapi";
import { z } from "zod";
import { HttpError } from "@bough/framework";
import { events, socket } from "@bough/framework/live";
import { CapturedLog, TestApplication } from "../../support/application.ts";
import {
  type Files,
  handler,
  INFO,
  routeOf,
  withOwn,
} from "../../openapi/support.ts";

const body = z.object({ name: z.string() });
const FILES: Files = {
  "items/[id]/route.ts": {
    config: { bodyLimit: 100 },
    schema: {
      get: { query: z.object({ q: z.string().optional() }) },
      post: { body },
    },
    GET: () => {
      throw new Error("failed");
    },
    POST: handler,
  },
  "events/route.ts": {
    schema: { get: { events: { tick: z.int() } } },
    GET: (request) => events(request, async function* () {}),
  },
  "chat/route.ts": {
    schema: { get: { socket: { send: z.int() } } },
    GET: (request) => socket(request, {}),
  },
  "forms/route.ts": routeOf({
    patch: { body },
    delete: { body },
    options: { body },
  }),
  "plain/route.ts": {
    GET: () => {
      throw new HttpError(418);
    },
  },
};
const POST = "post /api/items/{id}";
const SOCKET = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

/** Requests that Bough rejects, or that fail, with their operation. */
const REQUESTS: readonly (readonly [
  status: number,
  operation: string,
  target: string,
  init: RequestInit,
])[] = [
  [400, POST, "/api/items/%FF", { body: "{}" }],
  [400, POST, "/api/items/1", { body: "{}" }],
  [413, POST, "/api/items/1", { body: " ".repeat(101) }],
  [415, POST, "/api/items/1", {
    body: "<a/>",
    headers: { "content-type": "text/xml" },
  }],
  [403, POST, "/api/items/1", {
    body: "name=a",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: "https://elsewhere.example",
    },
  }],
  [400, "get /api/items/{id}", "/api/items/1?q=1&q=2", {}],
  [500, "get /api/items/{id}", "/api/items/1", {}],
  [400, "get /api/events", "/api/events", {
    headers: { "last-event-id": "\u00e9" },
  }],
  [426, "get /api/chat", "/api/chat", {}],
  [400, "get /api/chat", "/api/chat", {
    headers: { ...SOCKET, "sec-websocket-key": "short" },
  }],
  [403, "get /api/chat", "/api/chat", {
    headers: { ...SOCKET, origin: "https://elsewhere.example" },
  }],
  [400, "get /api/plain", "http://elsewhere.example/api/plain", {}],
];

Deno.test("the document has the statuses that Bough sends, and no ranges", async () => {
  const application = TestApplication.of(FILES, {
    bodyTimeout: 20,
    allowedHosts: ["localhost"],
  });
  using _ = new CapturedLog();
  const routes = await application.app.routes();
  const { document: { paths } } = createDocument(routes, {
    info: INFO,
  });
  const statusesOf = (operation: string): string[] => {
    const [method, path] = operation.split(" ");
    return Object.keys(paths[path!]![method as "get"]!.responses);
  };
  const body = new ReadableStream({ start() {} });
  for (
    const [status, operation, target, init] of [
      ...REQUESTS,
      [408, POST, "/api/items/1", { body }] as const,
    ]
  ) {
    const [method] = operation.split(" ");
    const headers = { "content-type": "application/json", ...init.headers };
    const request = new Request(new URL(target, "http://localhost"), {
      ...init,
      method: method!.toUpperCase(),
      headers,
    });
    const response = await application.app.fetch(request);
    await response.body?.cancel();
    assertEquals(response.status, status, `${operation} ${target}`);
    assert(statusesOf(operation).includes(String(status)), operation);
  }

  const all = [POST, "get /api/items/{id}", "get /api/events", "get /api/plain"]
    .flatMap(statusesOf);
  assertEquals(all.filter((status) => !/^[1-5]\d\d$/.test(status)), []);
  // Only a method that may change something rejects the form of another origin.
  for (const method of ["patch", "delete", "options"]) {
    const own = withOwn("200", "403", "408", "413", "415");
    assertEquals(
      statusesOf(`${method} /api/forms`),
      own.filter((status) => method !== "options" || status !== "403"),
    );
  }
  // Only the route can declare an error that its handler throws.
  assertEquals(statusesOf("get /api/plain"), withOwn("200"));
  assertEquals(
    statusesOf("get /api/chat"),
    ["101", "400", "403", "426", "503", "default"],
  );
});
