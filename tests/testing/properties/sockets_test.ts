/** Messages of sockets reach their handlers, and faults of the connection are found. */
import {
  checkContracts,
  type CheckOptions,
  type TestedApplication,
} from "@bough/framework/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import type { LiveSocket } from "@bough/framework/live";
import { TestApplication, TestServer } from "../../support/application.ts";
import { delay } from "../../support/until.ts";
import { looseSocket } from "../support.ts";

const check = (app: TestedApplication, options: CheckOptions = {}) =>
  checkContracts(app, {
    ...{ properties: ["declared", "live"], runs: 20, seed: 1 },
    ...options,
  });

/** A message, which could be a form. */
const Message = z.object({ name: z.string().max(20), text: z.string() });
type Message = z.infer<typeof Message>;

const PARTS = {
  receive: Message as z.ZodType<Message>,
  /** Handles a message before it is sent to all members. */
  handle: (_own: LiveSocket, _message: Message): unknown => undefined,
  open: (_own: LiveSocket): void => {},
};

/** A chat, whose messages go to all members. */
class Chat {
  readonly app: TestedApplication;
  opened = 0;
  handled = 0;

  constructor(parts: Partial<typeof PARTS> = {}) {
    const { receive, handle, open } = { ...PARTS, ...parts };
    const members = new Set<LiveSocket>();
    const schema = { get: { socket: { receive, send: Message } } };
    this.app = TestApplication.of({
      "chat/route.ts": {
        schema,
        GET: (request) =>
          looseSocket(request, {
            open: (own) => {
              this.opened++;
              members.add(own);
              open(own);
            },
            message: async (message, own) => {
              this.handled++;
              await handle(own, message);
              for (const member of members) member.send(message);
            },
            close: (_code, _reason, own) => void members.delete(own),
          }),
      },
    }).app;
  }
}

const SILENT = [{
  operation: "GET /api/chat",
  reason: "no handler received a message over its socket",
}];

Deno.test("the messages of a socket are JSON, even if they could be a form", async () => {
  const chat = new Chat();
  const { failures, untested } = await check(chat.app);
  assertEquals([failures.map(({ seen }) => seen), untested], [[], []]);
  assert(chat.handled > 100, `${chat.handled}`);
});

Deno.test("a message with a file, which JSON cannot carry, is not sent", async () => {
  const receive = z.union([z.object({ file: z.file() }), Message]);
  const { failures } = await check(new Chat({ receive: receive as never }).app);
  assertEquals(failures.map(({ seen }) => seen), []);
});

/** An application that gets a copy of each request, with a further header. */
const withCopies = (app: TestedApplication): TestedApplication => ({
  inspect: () => app.inspect(),
  fetch: (request) => {
    const headers = new Headers(request.headers);
    headers.set("x-request-id", "7");
    return app.fetch(new Request(request, { headers }));
  },
});

Deno.test("an upgrade that a copy of the request breaks is found, and its messages are untested", async () => {
  const chat = new Chat();
  const { failures, untested } = await check(withCopies(chat.app));
  assertEquals(chat.opened, 0);
  assertEquals(failures.map(({ property }) => property), ["live"]);
  assertMatch(
    failures[0]!.seen,
    /^a connection that broke without a close: Reserved bits are not zero$/,
  );
  assertEquals(untested, SILENT);
});

Deno.test("a broken upgrade of a running server is found, and its messages are untested", async () => {
  const { app } = new Chat();
  await using server = new TestServer(
    Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      withCopies(app).fetch,
    ),
  );
  const { failures, untested } = await check(app, {
    url: server.url(""),
    unsafe: true,
  });
  assertMatch(failures[0]!.seen, /^a connection that broke/);
  assertEquals(untested, SILENT);
});

Deno.test("messages that no handler receives are untested", async () => {
  const chat = new Chat({ open: (own) => own.close(4003) });
  const { failures, untested } = await check(chat.app);
  assertEquals(failures.map(({ seen }) => seen), []);
  assertEquals([chat.handled, untested], [0, SILENT]);
});

/** The number of sockets after which waits are short. */
const QUICK = 6;

Deno.test("a close after short waits is found, although Bough sends it later", async () => {
  const chat: Chat = new Chat({
    receive: Message.refine(() => chat === undefined || chat.opened <= QUICK),
  });
  const { failures } = await check(chat.app, { properties: ["live"] });
  assertMatch(failures[0]!.seen, /^a close with 1008: #: /);
});

Deno.test("a close by a slow handler after short waits is found", async () => {
  const chat: Chat = new Chat({
    handle: async (own) => {
      if (chat.opened <= QUICK) return;
      await delay(40);
      own.close(1011, "late");
    },
  });
  const { failures } = await check(chat.app, { properties: ["live"] });
  assertEquals(failures.map(({ seen }) => seen), ["a close with 1011: late"]);
});
