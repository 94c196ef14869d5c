/**
 * Opens sockets from a page in a real browser. `cors_page.ts` opens some from other origins.
 * `deno task test:browser` runs it.
 */
import { assertEquals } from "@std/assert";
import type { FrameworkRequest } from "@bough/framework";
import { socket } from "@bough/framework/live";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { type OpenedPage, openPage } from "./support.ts";

const Text = z.object({ text: z.string().max(10) });
const schema = { get: { socket: { receive: Text, send: Text } } };

const FILES: Record<string, TestModule> = {
  // A page of the application itself.
  "page/route.ts": {
    GET: () =>
      new Response("<!doctype html><link rel=icon href='data:,'>", {
        headers: { "content-type": "text/html", "set-cookie": "session=ada" },
      }),
  },
  "chat/route.ts": {
    schema,
    GET: (request: FrameworkRequest<typeof schema.get>) =>
      socket(request, {
        open: (socket) =>
          void socket.send({ text: request.headers.get("cookie")! }),
        message: ({ text }, socket) => void socket.send({ text: `${text}!` }),
      }, { protocols: ["chat.v1"] }),
  },
};

/** The messages that a page gets from a socket, and how the socket closes. */
function talk(
  { page }: OpenedPage,
  url: string,
  { sent = [], protocols = [] }: { sent?: string[]; protocols?: string[] } = {},
): Promise<unknown[]> {
  return page.evaluate(
    ({ url, sent, protocols }) =>
      new Promise<unknown[]>((resolve) => {
        const seen: unknown[] = [];
        const socket = new WebSocket(url, protocols);
        socket.onopen = () => {
          seen.push(`open ${socket.protocol}`.trim());
          for (const each of sent) socket.send(each);
        };
        socket.onmessage = ({ data }) => {
          seen.push(data);
          if (seen.length === sent.length + 2) socket.close(4000, "done");
        };
        socket.onclose = ({ code, reason, wasClean }) =>
          resolve([...seen, [code, reason, wasClean]]);
      }),
    { url, sent, protocols },
  );
}

Deno.test("a page can use a socket of its origin, and gets the reason for its end", async () => {
  await using server = await TestApplication.of(FILES).serve();
  await using opened = await openPage();
  await opened.page.goto(server.url("/api/page"));
  const socket = server.url("/api/chat").replace("http", "ws");
  assertEquals(await talk(opened, socket, { sent: ['{"text":"a"}'] }), [
    "open",
    '{"text":"session=ada"}',
    '{"text":"a!"}',
    [4000, "done", true],
  ]);
  const reason = "#/text: Too big: expected string to have <=10 characters";
  assertEquals(
    await talk(opened, socket, {
      sent: ['{"text":"longer than that"}', '{"text":"a"}', '{"text":"b"}'],
    }),
    ["open", '{"text":"session=ada"}', [1008, reason, true]],
  );
  assertEquals(
    (await talk(opened, socket, { protocols: ["other", "chat.v1"] }))[0],
    "open chat.v1",
  );
  // The server supports none of its subprotocols.
  assertEquals(await talk(opened, socket, { protocols: ["other"] }), [
    [1006, "", false],
  ]);
});
