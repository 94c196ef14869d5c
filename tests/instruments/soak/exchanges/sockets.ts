import { assert, assertEquals } from "@std/assert";
import { exchange } from "../../../support/raw_http.ts";
import {
  frame,
  handshake,
  OPCODE,
  RawSocket,
} from "../../../support/raw_socket.ts";
import type { Client, Exchanges } from "../client.ts";
import { BRIEF } from "../live.ts";

/** A message of a member to all members. */
interface Message {
  readonly sender: number;
  readonly number: number;
  readonly text: string;
}

/** A member of a room, which stores its messages. */
class Member {
  /** The received messages as text. The first message is the greeting. */
  readonly received: string[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #onMessage = (): void => {};

  constructor({ port }: Client, path: string) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    this.#socket.onmessage = ({ data }) => {
      this.received.push(data);
      this.#onMessage();
    };
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code }) => resolve(code);
    });
  }

  /** Waits for a number of messages. Throws if the socket closes first. */
  async has(count: number): Promise<void> {
    const enough = new Promise<void>((resolve) => {
      this.#onMessage = () => this.received.length >= count && resolve();
      this.#onMessage();
    });
    const code = await Promise.race([enough, this.closed]);
    if (code !== undefined) throw new Error(`closed with ${code}`);
  }

  send(message: string | Uint8Array<ArrayBuffer> | Message): void {
    this.#socket.send(
      typeof message === "string" || message instanceof Uint8Array
        ? message
        : JSON.stringify(message),
    );
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    assertEquals(await this.closed, 1000);
  }
}

function room({ name }: Client, query = "token=any"): string {
  return `/api/rooms/${name}?${query}`;
}

/** Enters a room several times, one after the other. */
async function enter(
  client: Client,
  path: string,
  count: number,
): Promise<Member[]> {
  const members: Member[] = [];
  while (members.length < count) {
    const member = new Member(client, path);
    await member.has(1);
    members.push(member);
    assertEquals(member.received, [`{"members":${members.length}}`]);
  }
  return members;
}

/** All members send messages at once. Each member must receive all, once and in order. */
async function talk(
  { random }: Client,
  members: readonly Member[],
): Promise<void> {
  const length = random.below(10);
  const spoken = members.map((_, sender) =>
    Array.from({ length }, (_, number) => {
      return { sender, number, text: random.text() };
    })
  );
  members.forEach((member, sender) => {
    for (const message of spoken[sender]!) member.send(message);
  });
  const expected = 1 + members.length * length;
  await Promise.all(members.map((member) => member.has(expected)));
  await Promise.all(members.map((member) => member.close()));
  for (const { received } of members) {
    const heard: Message[] = received.slice(1).map((text) => JSON.parse(text));
    assertEquals(
      members.map((_, own) => heard.filter(({ sender }) => sender === own)),
      spoken,
    );
    assertEquals(received.length, expected);
  }
}

/** Messages that close the socket of their sender, and the close codes. */
const INVALID: readonly (readonly [
  message: string | Uint8Array<ArrayBuffer> | Message,
  code: number,
])[] = [
  ["{", 1008],
  [`{"sender":0}`, 1008],
  [new Uint8Array(3), 1003],
  ["x".repeat(64 * 1024 + 1), 1009],
  [{ sender: 0, number: 0, text: "fail" }, 1011],
];

/** Rejected upgrades, and their statuses. */
const REJECTED: readonly (readonly [
  query: string,
  headers: Readonly<Record<string, string>>,
  status: number,
])[] = [
  ["", {}, 401],
  ["token=any", { upgrade: "", connection: "" }, 426],
  ["token=any", { "sec-websocket-version": "12" }, 426],
  ["token=any", { "sec-websocket-key": "short" }, 400],
  ["token=any", { origin: "https://elsewhere.example" }, 403],
];

/** Sockets that are typed, guarded, closed, aborted, rejected or fail. */
export const SOCKETS: Exchanges = {
  "a room whose members all send messages": async (client) => {
    const count = 1 + client.random.below(3);
    await talk(client, await enter(client, room(client), count));
  },

  "a room whose first member vanishes": async (client) => {
    const path = room(client);
    using vanishing = await RawSocket.open(client.port, path);
    assertEquals(await vanishing.spell(), `text {"members":1}`);
    const message = frame(
      OPCODE.text,
      JSON.stringify({ sender: 0, number: 0, text: client.random.text() }),
    );
    // The message lacks its last bytes, so the server ignores it.
    await vanishing.write(message.subarray(0, -1 - client.random.below(8)));
    vanishing[Symbol.dispose]();
    const member = new Member(client, path);
    await member.has(1);
    assert(/^\{"members":[12]\}$/.test(member.received[0]!));
    await talk(client, [member]);
  },

  "an invalid message": async (client) => {
    const [message, code] = client.random.pick(INVALID);
    const path = room(client);
    const [other, self] = await enter(client, path, 2);
    self!.send(message);
    assertEquals(await self!.closed, code);
    assertEquals(self!.received.length, 1);
    await talk(client, [other!]);
  },

  "a socket that expires": async (client) => {
    const member = new Member(client, room(client, `token=${BRIEF}`));
    assertEquals(await member.closed, 1008);
    assert(member.received.length <= 1, `${member.received}`);
  },

  "a rejected socket": async (client) => {
    const [query, headers, expected] = client.random.pick(REJECTED);
    const bytes = handshake(room(client, query), headers);
    const { status } = await exchange(client.port, [
      new TextEncoder().encode(bytes),
    ]);
    assertEquals([headers, status], [headers, expected]);
  },

  "a socket whose middleware fails after the upgrade": async (client) => {
    const member = new Member(client, room(client, "token=any&fail=after"));
    await member.closed;
    assertEquals(member.received, []);
  },
};
