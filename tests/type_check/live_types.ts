/** The types of events and sockets, with every map of the routes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  assertMessages,
  type Subjects,
  writeUses,
  wrongLines,
} from "./compiler.ts";

const API = {
  "api/(group)/middleware.ts": `import { z } from "npm:zod@^4.2.0";
export const contract = { headers: z.object({ "x-tenant": z.string() }), response: { 401: z.object({ why: z.string() }) } };
export default (_: Request, next: () => Promise<Response>) => next();`,
  "api/(group)/orders/[id]/events/route.ts":
    `import { z } from "npm:zod@^4.2.0";
const done = z.object({ at: z.date() });
export const schema = {
  get: { query: z.object({ detail: z.literal("all").optional() }),
    events: { status: z.object({ state: z.enum(["paid", "sent"]), at: z.date() }), message: z.string(), done } },
  post: { body: z.object({ text: z.string() }), events: { done } },
};
export const GET = () => new Response();
export const POST = () => new Response();`,
  "api/ask/route.ts": `import { z } from "npm:zod@^4.2.0";
export const schema = { post: { body: z.object({ question: z.string() }), events: { word: z.string() } } };
export const POST = () => new Response();`,
  "api/chat/[room]/route.ts": `import { z } from "npm:zod@^4.2.0";
export const schema = { get: {
  query: z.object({ token: z.string() }),
  socket: { receive: z.object({ text: z.string(), times: z.int().default(1) }), send: z.object({ text: z.string(), at: z.date() }) },
} };
export const GET = () => new Response();`,
  "api/told/route.ts": `import { z } from "npm:zod@^4.2.0";
export const schema = { get: { socket: { send: z.array(z.number()) } } };
export const GET = () => new Response();`,
  "api/plain/route.ts": "export const GET = () => new Response();",
};

const PRELUDE = `import { EventsError } from "@bough/framework/client";
import { assertType, type IsExact } from "@std/testing/types";
const headers = { "x-tenant": "a" };
const params = { id: "7" };
const socket = api.socket("/chat/[room]", { params: { room: "a" }, query: { token: "t" } });
const events = api.events("/orders/[id]/events", { params, headers });
const asked = api.events("/ask", { method: "POST", body: { question: "?" } });
`;

/** Code that compiles. */
const RIGHT = `
for await (const event of events) {
  assertType<IsExact<typeof event.event, "status" | "message" | "done">>(true);
  assertType<IsExact<typeof event.lastEventId, string | undefined>>(true);
  if (event.event === "status") assertType<IsExact<typeof event.data, { state: "paid" | "sent"; at: string }>>(true);
  else if (event.event === "message") assertType<IsExact<typeof event.data, string>>(true);
  else assertType<IsExact<typeof event.data, { at: string }>>(true);
}
const { signal } = new AbortController();
api.events("/orders/[id]/events", { params, headers, query: { detail: "all" }, lastEventId: "7", signal, method: "GET" });
const posted = api.events("/orders/[id]/events", { params, headers, method: "POST", body: { text: "a" } });
for await (const { event } of posted) assertType<IsExact<typeof event, "done">>(true);
for await (const { data } of asked) assertType<IsExact<typeof data, string>>(true);
const error: unknown = null;
if (events.isRefusal(error)) {
  assertType<IsExact<typeof error.message, string>>(true);
  if (error.result.status === 401) assertType<IsExact<typeof error.result.data, { why: string }>>(true);
  else assertType<IsExact<typeof error.result.data, unknown>>(true);
}
if (error instanceof EventsError) assertType<IsExact<typeof error.result.data, unknown>>(true);

socket.send({ text: "a" });
socket.send({ text: "a", times: 2 });
for await (const message of socket) assertType<IsExact<typeof message, { text: string; at: string }>>(true);
assertType<IsExact<Awaited<typeof socket.opened>, string>>(true);
const { code, reason } = await socket.closed;
assertType<IsExact<[typeof code, typeof reason], [number, string]>>(true);
const told = api.socket("/told", { sends: "raw", protocols: ["v1"], maxQueued: 5 });
told.send("a");
told.send(new Uint8Array());
for await (const message of told) assertType<IsExact<typeof message, number[]>>(true);
`;

/** Wrong lines, and the first lines of their errors. */
const WRONG = wrongLines(`
api.events("/orders");
  TS2345: Argument of type '"/orders"' is not assignable to parameter of type '"/orders/[id]/events" | "/ask"'.
api.events("/plain");
  TS2345: Argument of type '"/plain"' is not assignable to parameter of type '"/orders/[id]/events" | "/ask"'.
api.events("/orders/[id]/events", { headers });
  TS2345: Argument of type '{ headers: { "x-tenant": string; }; }' is not assignable to parameter of type 'EventsOptions<Routes, "/orders/[id]/events", "GET">'.
api.events("/orders/[id]/events", { params: { ids: "7" }, headers });
  TS2353: Object literal may only specify known properties, and 'ids' does not exist in type '{ readonly id: string; }'.
api.events("/orders/[id]/events", { params });
  TS2345: Argument of type '{ params: { id: string; }; }' is not assignable to parameter of type 'EventsOptions<Routes, "/orders/[id]/events", "GET">'.
api.events("/orders/[id]/events", { params, headers, query: { detail: "some" } });
  TS2322: Type '"some"' is not assignable to type '"all"'.
api.events("/orders/[id]/events", { params, headers, lastEventId: 7 });
  TS2322: Type 'number' is not assignable to type 'string'.
api.events("/orders/[id]/events", { params, headers, body: {} });
  TS2353: Object literal may only specify known properties, and 'body' does not exist in type 'EventsOptions<Routes, "/orders/[id]/events", "GET">'.
api.events("/orders/[id]/events", { params, headers, method: "PUT" });
  TS2322: Type '"PUT"' is not assignable to type '"GET" | "POST"'.
api.events("/ask", { body: { question: "?" } });
  TS2345: Argument of type '{ body: { question: string; }; }' is not assignable to parameter of type 'EventsOptions<Routes, "/ask", "POST">'.
api.events("/ask", { method: "POST", body: { question: 7 } });
  TS2322: Type 'number' is not assignable to type 'string'.
for await (const { event } of asked) if (event === "words") break;
  TS2367: This comparison appears to be unintentional because the types '"word"' and '"words"' have no overlap.
for await (const event of events) if (event.event === "done") event.data.state;
  TS2339: Property 'state' does not exist on type '{ at: string; }'.
api.socket("/chats");
  TS2345: Argument of type '"/chats"' is not assignable to parameter of type '"/chat/[room]" | "/told"'.
api.socket("/plain");
  TS2345: Argument of type '"/plain"' is not assignable to parameter of type '"/chat/[room]" | "/told"'.
api.socket("/chat/[room]", { params: { room: "a" } });
  TS2345: Argument of type '{ params: { room: string; }; }' is not assignable to parameter of type 'SocketOptionsOf<Routes, "/chat/[room]">'.
api.socket("/chat/[room]", { params: { room: "a" }, query: { token: "t" }, headers });
  TS2353: Object literal may only specify known properties, and 'headers' does not exist in type 'SocketOptionsOf<Routes, "/chat/[room]">'.
socket.send({ txt: "a" });
  TS2561: Object literal may only specify known properties, but 'txt' does not exist in type '{ text: string; times?: number | undefined; }'. Did you mean to write 'text'?
socket.send({ text: 7 });
  TS2322: Type 'number' is not assignable to type 'string'.
socket.send("a");
  TS2345: Argument of type 'string' is not assignable to parameter of type '{ text: string; times?: number | undefined; }'.
api.socket("/told");
  TS2554: Expected 2 arguments, but got 1.
api.socket("/told", { sends: "raw", receives: "raw" });
  TS2322: Type '"raw"' is not assignable to type '"json"'.
for await (const message of socket) message.texts;
  TS2551: Property 'texts' does not exist on type '{ text: string; at: string; }'. Did you mean 'text'?
`);

export const LIVE_TYPES: Subjects = {
  "events and sockets have the same types with each map of the routes": {
    write: (folder) =>
      writeUses(folder, API, PRELUDE + RIGHT, [
        "types",
        "standalone",
        "manifest",
      ]),
  },
  "the first two lines of a compiler error say what is wrong with events and sockets":
    {
      write(folder) {
        const lines = WRONG.map(([code]) => code).join("\n");
        return writeUses(folder, API, PRELUDE + lines);
      },
      compare(errors) {
        const of = (map: string) =>
          errors.filter(({ file }) => file === `use_${map}.ts`);
        assertMessages(of("types"), WRONG);
        // The second line says what is missing.
        const text = of("types").map(({ text }) => text).join("\n");
        for (const name of ["params", "headers", "method", "query"]) {
          assertStringIncludes(
            text,
            `\n  Property '${name}' is missing in type '{`,
          );
        }
        assertEquals(
          of("standalone").map(({ code }) => code),
          WRONG.map(([code]) => code),
        );
      },
    },
};
