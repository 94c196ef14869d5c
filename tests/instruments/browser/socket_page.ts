/**
 * Opens sockets from pages of several origins, with a real browser.
 * `deno task test:browser` runs it.
 */
import { assertEquals } from "@std/assert";
import type { CommonOptions } from "@bough/framework/types";
import { FolderApplication } from "../../support/application.ts";
import { type OpenedPage, openPage } from "./support.ts";

const LIVE = new URL("../../../src/live/mod.ts", import.meta.url).href;

const FILES = {
  // A page of the application itself.
  "page/route.js": `export const GET = () =>
    new Response("<!doctype html><link rel=icon href='data:,'>", {
      headers: { "content-type": "text/html", "set-cookie": "session=ada" },
    });`,
  "chat/route.js": `import { socket } from "${LIVE}";
    import { z } from "npm:zod@^4.1.13";
    const Text = z.object({ text: z.string().max(10) });
    export const schema = { get: { socket: { receive: Text, send: Text } } };
    export const GET = (request) => socket(request, {
      open: (socket) => void socket.send({ text: request.headers.get("cookie") }),
      message: ({ text }, socket) => void socket.send({ text: text + "!" }),
    }, { protocols: ["chat.v1"] });`,
};

/** What a page sees of a socket: its messages, and how it was closed. */
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

async function withServer(
  run: (url: string, port: number) => Promise<void>,
  options?: CommonOptions,
): Promise<void> {
  await using application = await FolderApplication.create(FILES, options);
  await using server = await application.serve();
  await run(server.url("/api"), server.port);
}

Deno.test("a page talks over a socket of its own origin, and sees why it is closed", () =>
  withServer(async (url, port) => {
    await using opened = await openPage();
    await opened.page.goto(`${url}/page`);
    const socket = `ws://127.0.0.1:${port}/api/chat`;
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
    // Of the subprotocols that it wants, none is spoken.
    assertEquals(await talk(opened, socket, { protocols: ["other"] }), [
      [1006, "", false],
    ]);
  }));

Deno.test("a page of another origin opens no socket, unless it is listed", async () => {
  await withServer(async (hostile) => {
    await withServer(async (url, port) => {
      await using opened = await openPage();
      await opened.page.goto(`${url}/page`);
      // The visitor has a session, and the browser would send its cookie.
      await opened.page.goto(`${hostile}/page`);
      const socket = `ws://127.0.0.1:${port}/api/chat`;
      assertEquals(await talk(opened, socket), [[1006, "", false]]);
    });
    const { origin } = new URL(hostile);
    await withServer(async (_, port) => {
      await using opened = await openPage();
      await opened.page.goto(`${hostile}/page`);
      const seen = await talk(opened, `ws://127.0.0.1:${port}/api/chat`);
      assertEquals(seen.at(-1), [4000, "done", true]);
    }, { trustedOrigins: [origin] });
  });
});
