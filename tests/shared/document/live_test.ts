import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type DocumentedResponse,
  openapi,
  Problem,
} from "@bough/framework/openapi";
import { z } from "zod";
import { lint } from "../../openapi/lint.ts";
import {
  documentOf,
  type Files,
  INFO,
  responseLines,
  routeOf,
  withOwn,
} from "../../openapi/support.ts";

const Order = z.object({ id: z.int() }).meta({ id: "Order" });
const Message = z.object({ text: z.string() }).meta({ id: "Message" });

const FILES: Files = {
  "orders/middleware.ts": {
    contract: {
      security: [{ bearer: [] }],
      response: { 401: Problem, 403: Problem },
    },
    default: (_, next) => next(),
  },
  "orders/[id]/events/route.ts": routeOf({
    get: {
      summary: "Watch an order",
      params: z.object({ id: z.coerce.number() }),
      events: { status: Order, message: z.string(), done: z.object({}) },
    },
  }),
  "orders/chat/route.ts": routeOf({
    get: { summary: "Chat", socket: { receive: z.string(), send: Message } },
  }),
};

const SCHEMES = {
  securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
};

const ANY_EVENT = {
  type: "object",
  required: ["data"],
  properties: {
    event: { type: "string" },
    data: { type: "string" },
    id: { type: "string" },
    retry: { type: "integer", minimum: 0 },
  },
};

/** The data of an event, or a part of it, as JSON. */
const dataOf = (contentSchema: object) => ({
  contentMediaType: "application/json",
  contentSchema,
});

/** The JSON Schema of an event with a name. */
const eventOf = (name: string, contentSchema: object) => ({
  required: ["event"],
  properties: { event: { const: name }, data: dataOf(contentSchema) },
});

const ITEM = {
  ...ANY_EVENT,
  anyOf: [
    eventOf("status", { $ref: "#/components/schemas/Order" }),
    // An event without a name is a message.
    { properties: eventOf("message", { type: "string" }).properties },
    eventOf("done", {
      type: "object",
      properties: {},
      additionalProperties: false,
    }),
  ],
};

Deno.test("an event stream has an itemSchema in OpenAPI 3.2, and a content schema in 3.1", async () => {
  for (
    const [openapiVersion, media] of [
      ["3.1", {
        schema: {
          type: "string",
          contentMediaType: "text/event-stream",
          contentSchema: { type: "array", items: ITEM },
        },
      }],
      ["3.2", { itemSchema: ITEM }],
    ] as const
  ) {
    const { document, warnings } = await documentOf(FILES, {
      ...SCHEMES,
      openapiVersion,
    });
    assertEquals(warnings, []);
    assertEquals(document.openapi, `${openapiVersion}.0`);
    const { responses, security } = document.paths["/api/orders/{id}/events"]!
      .get!;
    assertEquals(responses[200], {
      description: "A stream of events: `status`, `message`, `done`",
      content: { "text/event-stream": media },
    });
    // The responses of the guard and of Bough stay.
    assertEquals(Object.keys(responses), withOwn("200", "401", "403"));
    assertEquals(security, [{ bearer: [] }]);
    assert("Order" in document.components.schemas);
  }
});

Deno.test("a socket has a 101, error responses, and its messages", async () => {
  const { document, warnings } = await documentOf(FILES, SCHEMES);
  assertEquals(warnings, []);
  const { get } = document.paths["/api/orders/chat"]!;
  assertEquals(
    responseLines(get!).map((line) => line.replace(/ application.*/, "")),
    [
      '101 "Switching Protocols: the WebSocket is open"',
      '400 "The handshake is malformed"',
      '401 "Unauthorized"',
      '403 "Forbidden; or: A page of an untrusted origin opened the socket"',
      "426 UpgradeRequired",
      "503 Stopping",
      "default ServerError",
    ],
  );
  const refused = document.components.responses.UpgradeRequired!;
  assertEquals(Object.keys(refused.headers!), ["upgrade"]);
  assertEquals(get!["x-socket"], {
    receive: { type: "string" },
    send: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
  });
});

Deno.test("a recursive message is a component, and other messages are inline", async () => {
  const Tree = z.object({
    get next() {
      return Tree.optional();
    },
  }).meta({ id: "Tree" });
  const Name = z.string().meta({ id: "Name" });
  const Pair = z.object({ one: Name, other: Name.describe("Other") });
  const { document } = await documentOf({
    "a/route.ts": routeOf({ get: { socket: { receive: Tree, send: Pair } } }),
  });
  const { receive, send } = document.paths["/api/a"]!.get!["x-socket"]!;
  assertEquals(receive, { $ref: "#/components/schemas/Tree" });
  assertEquals(send!.properties, {
    one: { type: "string" },
    other: { description: "Other", allOf: [{ type: "string" }] },
  });
});

Deno.test("the document describes events and sockets without schemas", async () => {
  const { document } = await documentOf({
    "a/route.ts": routeOf({ get: { events: {} } }),
    "b/route.ts": routeOf({ get: { socket: {} } }),
    "c/route.ts": routeOf({
      get: { events: { a: z.string(), b: z.string() } },
    }),
  }, { openapiVersion: "3.2" });
  assertEquals(document.paths["/api/a"]!.get!.responses[200], {
    description: "A stream of events",
    content: {
      "text/event-stream": { itemSchema: ANY_EVENT },
    },
  });
  const { get } = document.paths["/api/c"]!;
  const { content } = get!.responses[200] as DocumentedResponse;
  assertEquals(content!["text/event-stream"]!.itemSchema, {
    ...ANY_EVENT,
    oneOf: ["a", "b"].map((name) => eventOf(name, { type: "string" })),
  });
  assertEquals(document.paths["/api/b"]!.get!["x-socket"], {});
});

Deno.test("live routes pass a strict linter in both versions", async () => {
  const license = { name: "MIT", url: "https://example.org/license" };
  for (const openapiVersion of ["3.1", "3.2"] as const) {
    const { document } = await documentOf(FILES, {
      ...SCHEMES,
      openapiVersion,
      servers: [{ url: "https://api.example.org" }],
      tags: [{ name: "orders", description: "Orders" }],
    });
    assertEquals(
      await lint({ ...document, info: { ...INFO, license } }),
      [],
      openapiVersion,
    );
  }
});

Deno.test("openapi() rejects an unknown version", () => {
  assertThrows(
    () => openapi({ info: INFO, openapiVersion: "3.0" as "3.1" }),
    TypeError,
    'openapiVersion must be "3.1" or "3.2", got "3.0"',
  );
});
