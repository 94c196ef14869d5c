/** The types of what a socket receives and sends (behaviour 11.3). */
import { assert } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import * as v from "valibot";
import { z } from "zod";
import type {
  FolderContract,
  FrameworkRequest,
  Handler,
  RouteSchema,
  WithContracts,
} from "@bough/framework";
import type { RouteRequest } from "@bough/framework/types";
import {
  type LiveSocket,
  type RawData,
  type RawMessage,
  socket,
  type SocketReceived,
  type SocketSent,
} from "@bough/framework/live";

const schema = {
  get: {
    params: z.object({ id: z.string() }),
    socket: {
      receive: z.object({ at: z.coerce.date(), text: z.string().default("") }),
      send: z.object({ id: z.number(), at: z.date() }),
    },
  },
} satisfies RouteSchema;

type Received = { at: Date; text: string };

type Chat = {
  readonly "rooms/[id]/route.ts": {
    readonly schema: typeof schema;
    readonly GET: Handler<typeof schema.get>;
  };
};

Deno.test("socket() is typed by the request, in each of its forms", () => {
  function byPath(
    request: FrameworkRequest<typeof schema.get, "/rooms/[id]">,
  ): Response {
    return socket(request, {
      open: (socket) => socket.send({ id: 1, at: new Date() }),
      message(data, socket) {
        assertType<IsExact<typeof data, Received>>(true);
        // @ts-expect-error: the schema does not describe a string
        socket.send("a");
        // @ts-expect-error: a member is missing
        socket.send({ id: 1 });
        // The JSON of a date fits, too.
        socket.send({ id: 1, at: "2026-01-31T12:00:00.000Z" });
      },
      close(code, reason) {
        assertType<IsExact<typeof code, number>>(true);
        assertType<IsExact<typeof reason, string>>(true);
      },
    });
  }
  function ofMap(request: RouteRequest<Chat, "/rooms/[id]", "GET">): Response {
    return socket(request, {
      message(data, socket) {
        assertType<IsExact<typeof data, Received>>(true);
        // @ts-expect-error: the schema does not describe a string
        socket.send("a");
      },
    });
  }
  assert([byPath, ofMap].length > 0);
});

Deno.test("socket() without schemas has strings and bytes", () => {
  function plain(request: FrameworkRequest): Response {
    return socket(request, {
      message(data, socket) {
        assertType<IsExact<typeof data, RawMessage>>(true);
        assertType<IsExact<typeof socket, LiveSocket<RawData>>>(true);
        socket.send(data);
        // @ts-expect-error: an object is neither
        socket.send({ id: 1 });
      },
    });
  }
  function byPath(request: FrameworkRequest<"/rooms/[id]">): Response {
    return socket(request, {
      message: (data, socket) => socket.send(data),
    });
  }
  const misnamed = (request: FrameworkRequest) =>
    // @ts-expect-error: a handler has another name
    socket(request, { onMessage() {} });
  assert([plain, byPath, misnamed].length > 0);
});

Deno.test("each direction has the type of its own schema", () => {
  const oneWay = {
    get: { socket: { receive: v.pipe(v.string(), v.transform(Number)) } },
    head: {},
  } satisfies RouteSchema;
  type One = typeof oneWay.get;
  assertType<IsExact<SocketReceived<One>, number>>(true);
  assertType<IsExact<SocketSent<One>, RawData>>(true);
  assertType<IsExact<SocketReceived<typeof oneWay.head>, RawMessage>>(true);
  type Both = WithContracts<FolderContract, typeof schema.get>;
  assertType<IsExact<SocketReceived<Both>, Received>>(true);
});
