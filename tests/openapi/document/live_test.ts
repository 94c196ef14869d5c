import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type DocumentedResponse,
  type JsonSchema,
  openapi,
} from "@bough/framework/openapi";
import { documentOf, INFO, lint, ZOD } from "../support.ts";

const GUARD = `${ZOD}
  import { Problem } from "@bough/framework/openapi";
  export const contract = {
    security: [{ bearer: [] }],
    response: { 401: Problem, 403: Problem },
  };
  export default (_, next) => next();`;

const FILES = {
  "orders/middleware.ts": GUARD,
  "orders/[id]/events/route.ts": `${ZOD}
    const Order = z.object({ id: z.int() }).meta({ id: "Order" });
    export const schema = {
      get: {
        summary: "Watch an order",
        params: z.object({ id: z.coerce.number() }),
        events: { status: Order, message: z.string(), done: z.object({}) },
      },
    };
    export const GET = () => new Response("");`,
  "orders/chat/route.ts": `${ZOD}
    const Message = z.object({ text: z.string() }).meta({ id: "Message" });
    export const schema = {
      get: { summary: "Chat", socket: { receive: z.string(), send: Message } },
    };
    export const GET = () => new Response("", { status: 426 });`,
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

const ITEM = {
  ...ANY_EVENT,
  anyOf: [
    {
      required: ["event"],
      properties: {
        event: { const: "status" },
        data: {
          contentMediaType: "application/json",
          contentSchema: { $ref: "#/components/schemas/Order" },
        },
      },
    },
    {
      properties: {
        event: { const: "message" },
        data: {
          contentMediaType: "application/json",
          contentSchema: { type: "string" },
        },
      },
    },
    {
      required: ["event"],
      properties: {
        event: { const: "done" },
        data: {
          contentMediaType: "application/json",
          contentSchema: {
            type: "object",
            properties: {},
            additionalProperties: false,
          },
        },
      },
    },
  ],
};

function textOf(items: object): JsonSchema {
  return {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items },
  };
}

Deno.test("a stream of events is a text in 3.1, and says what it is read as", async () => {
  const { document, warnings } = await documentOf(FILES, SCHEMES);
  assertEquals(warnings, []);
  assertEquals(document.openapi, "3.1.0");
  const { get } = document.paths["/api/orders/{id}/events"]!;
  assertEquals(get!.responses[200], {
    description: "A stream of events: `status`, `message`, `done`",
    content: {
      "text/event-stream": { schema: textOf(ITEM) },
    },
  });
  assertEquals(
    Object.keys(get!.responses),
    ["200", "400", "401", "403", "500"],
    "those of the guard and of Bough stay",
  );
  assertEquals(get!.security, [{ bearer: [] }]);
  assert("Order" in document.components.schemas);
});

Deno.test("a stream of events has an itemSchema in 3.2, where it is asked for", async () => {
  const { document } = await documentOf(FILES, {
    ...SCHEMES,
    openapiVersion: "3.2",
  });
  assertEquals(document.openapi, "3.2.0");
  const { get } = document.paths["/api/orders/{id}/events"]!;
  assertEquals(get!.responses[200], {
    description: "A stream of events: `status`, `message`, `done`",
    content: { "text/event-stream": { itemSchema: ITEM } },
  });
});

Deno.test("a socket has a 101, what refuses it, and its messages", async () => {
  const { document, warnings } = await documentOf(FILES, SCHEMES);
  assertEquals(warnings, []);
  const { get } = document.paths["/api/orders/chat"]!;
  assertEquals(
    Object.keys(get!.responses),
    ["101", "400", "401", "403", "426", "503", "default"],
  );
  assertEquals(get!.responses[101], {
    description: "Switching Protocols: the WebSocket is open",
  });
  assertEquals(get!.responses[426], {
    $ref: "#/components/responses/UpgradeRequired",
  });
  const refused = document.components.responses.UpgradeRequired!;
  assertEquals(Object.keys(refused.headers!), ["upgrade"]);
  const { description } = get!.responses[403] as { description: string };
  assertEquals(
    description,
    "Forbidden; or: A page of an untrusted origin opened the socket",
  );
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

Deno.test("a message that refers to itself stays a component; others stand alone", async () => {
  const { document } = await documentOf({
    "a/route.ts": `${ZOD}
      const Tree = z.object({ get next() { return Tree.optional(); } })
        .meta({ id: "Tree" });
      const Name = z.string().meta({ id: "Name" });
      const Pair = z.object({ one: Name, other: Name.describe("Other") });
      export const schema = { get: { socket: { receive: Tree, send: Pair } } };
      export const GET = () => new Response();`,
  });
  const { receive, send } = document.paths["/api/a"]!.get!["x-socket"]!;
  assertEquals(receive, { $ref: "#/components/schemas/Tree" });
  assertEquals(send!.properties, {
    one: { type: "string" },
    other: { description: "Other", allOf: [{ type: "string" }] },
  });
});

Deno.test("events and sockets without schemas are documented as such", async () => {
  const { document } = await documentOf({
    "a/route.ts": `export const schema = { get: { events: {} } };
      export const GET = () => new Response();`,
    "b/route.ts": `export const schema = { get: { socket: {} } };
      export const GET = () => new Response();`,
    "c/route.ts": `${ZOD}
      export const schema = { get: { events: { a: z.string(), b: z.string() } } };
      export const GET = () => new Response();`,
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
    oneOf: ["a", "b"].map((name) => ({
      required: ["event"],
      properties: {
        event: { const: name },
        data: {
          contentMediaType: "application/json",
          contentSchema: { type: "string" },
        },
      },
    })),
  });
  assertEquals(document.paths["/api/b"]!.get!["x-socket"], {});
});

Deno.test("an event or a message that has no JSON form is a warning", async () => {
  const { document, warnings } = await documentOf({
    "a/route.ts": `${ZOD}
      export const schema = { get: { events: { tick: z.bigint() } } };
      export const GET = () => new Response();`,
    "b/route.ts": `${ZOD}
      export const schema = { get: { socket: { receive: z.bigint() } } };
      export const GET = () => new Response();`,
  });
  assertEquals(warnings.map(({ message }) => message.split(":", 1)[0]), [
    'schema.get.events["tick"] has no JSON Schema',
    "schema.get.socket.receive has no JSON Schema",
  ]);
  assertEquals(document.paths["/api/b"]!.get!["x-socket"], {
    receive: {},
  });
});

Deno.test("live routes pass a strict linter, in both versions", async () => {
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

Deno.test("openapi() refuses a version that it does not know", () => {
  assertThrows(
    () => openapi({ info: INFO, openapiVersion: "3.0" as "3.1" }),
    TypeError,
    'openapiVersion must be "3.1" or "3.2", got "3.0"',
  );
});
