import { assertEquals } from "@std/assert";
import { PLANNED_BODY } from "../planned_error.ts";
import {
  empty,
  type ExpectedResponse,
  json,
  text,
} from "../expected_response.ts";
import type { Client, Exchanges } from "../client.ts";

/** The headers that the middleware around these routes sets. */
const MARKS = { "x-request-id": "1", "x-wrapped": "yes" };

function marked(response: ExpectedResponse): ExpectedResponse {
  return { ...response, headers: { ...response.headers, ...MARKS } };
}

/** Sends a text through a socket, and returns the received text, or `"closed"`. */
async function echo(
  { port, random }: Client,
): Promise<[sent: string, received: string]> {
  const sent = random.text();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/sockets`);
  const closed = new Promise<string>((resolve) =>
    socket.onclose = () => resolve("closed")
  );
  socket.onopen = () => socket.send(sent);
  const received = await Promise.race([
    closed,
    new Promise<string>((resolve) =>
      socket.onmessage = ({ data }) => resolve(data)
    ),
  ]);
  socket.close();
  await closed;
  return [sent, received];
}

/**
 * Sockets, copies and failures.
 *
 * Failed upgrades of handlers that call `Deno.upgradeWebSocket()` are only in
 * `tests/core/operation/upgrade_test.ts`. Without a close frame, Deno keeps such a socket for its
 * `idleTimeout` of 30 s, which would look like a leak here.
 */
export const HOSTILE: Exchanges = {
  "a socket": async (client) => {
    const [sent, received] = await echo(client);
    assertEquals(received, sent);
  },

  "a redirect behind middleware": (client) =>
    client.expect(
      marked(empty(307, { location: "http://localhost/elsewhere" })),
      "/api/redirects",
      { redirect: "manual" },
    ),

  "a proxied response behind middleware": (client) =>
    client.expect(marked(text("as ever")), "/api/proxied"),

  "middleware that throws": (client) =>
    client.expect(
      text(PLANNED_BODY, 500),
      client.random.pick(["/api/redirects", "/api/proxied"]) +
        client.random.pick(["?fail=before", "?fail=after"]),
      { redirect: "manual" },
    ),

  "a body that the handler reads in every way": (client) => {
    const value = { text: client.random.text() };
    const body = JSON.stringify(value);
    const stream = client.random.below(2) === 0;
    return client.expect(
      marked(json([body, body, body, body])),
      "/api/copies",
      { method: "POST", body: stream ? new Blob([body]).stream() : body },
    );
  },
};
