import { assert, assertEquals } from "@std/assert";
import { readEvents } from "../../../live/events_support.ts";
import { rawRequest, sendAndLeave } from "../../../support/raw_http.ts";
import { assertResponse, empty, problem, text } from "../expected_response.ts";
import type { Client, Exchanges } from "../client.ts";
import { BRIEF } from "../live.ts";
import { PLANNED_BODY } from "../planned_error.ts";
import type { Random } from "../random.ts";

const HEAD = empty(200, {
  "cache-control": "no-store, no-transform",
  "content-type": "text/event-stream",
  "x-accel-buffering": "no",
});

/** A topic, which exists during one exchange. */
class Topic implements AsyncDisposable {
  /** Its path, with a valid token. */
  readonly path: string;
  readonly texts: readonly string[];
  readonly #client: Client;

  private constructor(client: Client, texts: readonly string[]) {
    this.path = `/api/topics/${client.name}?token=any`;
    this.texts = texts;
    this.#client = client;
  }

  static async create(client: Client): Promise<Topic> {
    const { random } = client;
    const length = 1 + random.below(12);
    const topic = new Topic(
      client,
      Array.from({ length }, () => random.text()),
    );
    await client.expect(empty(204), topic.path, { method: "PUT" });
    return topic;
  }

  async publish(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await this.#client.expect(empty(204), this.path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text }),
      });
    }
  }

  /**
   * Reads `count` texts after the first `seen`, or all until the stream ends, and compares
   * them. Returns the number of texts that the client has now.
   */
  async read(
    seen: number,
    { count = Infinity, path = this.path }: {
      readonly count?: number;
      readonly path?: string;
    } = {},
  ): Promise<number> {
    const response = await this.#client.fetch(path, {
      headers: seen === 0 ? {} : { "last-event-id": String(seen) },
    });
    const { status, headers } = response;
    assertResponse({ status, headers, body: "" }, HEAD);
    let next = seen;
    if (count === 0) {
      await response.body!.cancel();
      return next;
    }
    for await (const received of readEvents(response.body!)) {
      const data = { text: this.texts[next++] };
      assertEquals(received, { event: "text", data, id: String(next) });
      if (next - seen === count) break;
    }
    return next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.expect(empty(204), this.path, { method: "DELETE" });
  }
}

/** Reads all texts of a topic, and reconnects several times. */
async function readAll(topic: Topic, random: Random): Promise<void> {
  const { length } = topic.texts;
  for (let seen = 0; seen < length;) {
    const count = Math.min(random.below(6), length - seen);
    seen = await topic.read(seen, { count });
  }
}

/** Streams of events that clients read, resume or abort, or that fail or expire. */
export const EVENTS: Exchanges = {
  "a topic whose readers reconnect": async (client) => {
    const { random } = client;
    await using topic = await Topic.create(client);
    await Promise.all([
      topic.publish(...topic.texts),
      readAll(topic, random),
      readAll(topic, random),
    ]);
  },

  "a stream whose client vanishes": async (client) => {
    await using topic = await Topic.create(client);
    await Promise.all([
      topic.publish(...topic.texts),
      sendAndLeave(
        client.port,
        `GET ${topic.path} HTTP/1.1\r\nHost: h\r\n\r\n`,
      ),
      readAll(topic, client.random),
    ]);
  },

  "a stream that fails": async (client) => {
    await using topic = await Topic.create(client);
    await topic.publish(...topic.texts, "fail");
    assertEquals(await topic.read(0), topic.texts.length);
  },

  "a stream that expires": async (client) => {
    await using topic = await Topic.create(client);
    await topic.publish(...topic.texts);
    const path = topic.path.replace("=any", `=${BRIEF}`);
    const seen = await topic.read(0, { path });
    assert(seen <= topic.texts.length, `${seen} texts`);
    assertEquals(await topic.read(seen, { count: 0 }), seen);
  },

  "a rejected stream": async (client) => {
    const path = `/api/topics/${client.name}`;
    await client.expect(
      problem(401, "Unauthorized", "Show a token"),
      path,
    );
    await client.expect(
      text(PLANNED_BODY, 500),
      `${path}?token=any&fail=after`,
    );
    const { status } = await rawRequest(
      client.port,
      `GET ${path}?token=any HTTP/1.1\nLast-Event-ID: \x80`,
    );
    assertEquals(status, 400);
  },
};
