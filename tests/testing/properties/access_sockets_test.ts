/** Sockets and streams are open only to the users whom `access` declares. */
import { assertEquals } from "@std/assert";
import { HttpError } from "@bough/framework";
import type { LiveSocket } from "@bough/framework/live";
import { checkContracts } from "@bough/framework/testing";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { looseEvents, looseSocket } from "../support.ts";

/** The parts of the application, which a test replaces to plant a fault. */
const PARTS = {
  access: "owner" as string | readonly string[] | undefined,
  /** Rejects a user before the upgrade. */
  enter: (user: string, owner: string | undefined): void => {
    if (user !== owner) throw new HttpError(404);
  },
  /** Rejects a user after the upgrade. */
  open: (
    _user: string,
    _owner: string | undefined,
    _socket: LiveSocket,
  ): unknown => undefined,
};

/** An application with rooms, each with a socket and a stream of events. */
function rooms(parts: Partial<typeof PARTS>): TestApplication {
  const { access, enter, open } = { ...PARTS, ...parts };
  const owners = new Map<string, string>();
  const userOf = ({ headers }: Request) => headers.get("x-user")!;
  const declared = access === undefined ? {} : { access };
  const text = z.string().max(9);
  return TestApplication.of({
    "middleware.ts": {
      default: (request, next) => {
        if (!request.headers.has("x-user")) throw new HttpError(401);
        return next();
      },
    },
    "rooms/route.ts": {
      schema: {
        post: {
          access: "shared",
          body: z.object({ text }),
          response: { 201: z.object({ id: z.string() }) },
        },
      },
      POST: (request) => {
        const id = crypto.randomUUID();
        owners.set(id, userOf(request));
        return Response.json({ id }, { status: 201 });
      },
    },
    "rooms/[id]/chat/route.ts": {
      schema: { get: { ...declared, socket: { receive: text, send: text } } },
      GET: (request) => {
        const [user, owner] = [userOf(request), owners.get(request.params.id!)];
        enter(user, owner);
        return looseSocket(request, {
          open: (socket) => void open(user, owner, socket),
          message: (text, socket) => socket.send(text),
        });
      },
    },
    "rooms/[id]/events/route.ts": {
      schema: { get: { ...declared, events: { note: text } } },
      GET: (request) => {
        enter(userOf(request), owners.get(request.params.id!));
        return looseEvents(request, async function* () {});
      },
    },
  });
}

async function found(parts: Partial<typeof PARTS>): Promise<string[]> {
  const as = Object.fromEntries(
    ["ada", "bob"].map((user) => [user, { "x-user": user }]),
  );
  const { failures, results } = await checkContracts(
    () => rooms(parts).app,
    { as, seed: 7, runs: 10, properties: ["access"] },
  );
  return [
    ...failures.map(({ operation, expected, seen }) =>
      `${operation}: ${expected} <> ${seen}`
    ),
    ...results.flatMap(({ operation, note }) =>
      note === undefined ? [] : [`${operation}: ${note}`]
    ),
  ];
}

const BOTH = ["GET /api/rooms/[id]/chat", "GET /api/rooms/[id]/events"];

Deno.test("sockets that reject other users before or after the upgrade pass", async () => {
  assertEquals(await found({}), []);
  const enter = () => {};
  const closing = await found({
    enter,
    open: async (user, owner, socket) => {
      await new Promise((go) => setTimeout(go, 5)); // such as a query
      if (user !== owner) socket.close(4403);
    },
  });
  assertEquals(closing.filter((each) => each.startsWith(BOTH[0]!)), []);
});

Deno.test("a socket and a stream that are open to other users are found", async () => {
  const all = await found({ enter: () => {} });
  const expected = 'a rejection of "bob", since the access is owner';
  assertEquals(all, [
    `${BOTH[0]}: ${expected} <> an open socket`,
    `${BOTH[1]}: ${expected} <> a 200`,
  ]);
});

Deno.test("a socket that is open to others needs a declaration of access", async () => {
  const all = await found({ enter: () => {}, access: undefined });
  const note = '"bob" succeeds as well; declare access, such as "owner"';
  assertEquals(all, BOTH.map((name) => `${name}: ${note} or "shared"`));
});

Deno.test("a socket that rejects a declared user is found", async () => {
  const enter = (user: string) => {
    if (user !== "bob") throw new HttpError(403);
  };
  const expected = 'a response other than 403 for "ada"';
  const all = await found({ enter, access: ["ada"] });
  assertEquals(
    BOTH.filter((name) =>
      all.some((each) => each.startsWith(`${name}: ${expected}`))
    ),
    BOTH,
  );
});
