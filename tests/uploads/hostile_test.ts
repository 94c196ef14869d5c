/** Alone: it measures the memory of its process. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { memoryUsed } from "../support/memory.ts";
import { delay, until } from "../support/until.ts";
import {
  HOSTILE_BODIES,
  type HostileBody,
  requestOf,
} from "./hostile_bodies.ts";
import { UploadServer } from "./support.ts";

/** Sends a body over a socket; returns the status, or 0 without a response. */
async function statusOf(port: number, body: HostileBody): Promise<number> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const { head, pieces } = requestOf(body);
  let isOver = false;
  const sending = (async () => {
    await writeAll(connection, new TextEncoder().encode(head));
    for (const piece of pieces) {
      await writeAll(connection, piece);
      if (body.pause) await delay(body.pause);
      if (body.pause && isOver) return;
    }
  })().catch(() => {});
  const buffer = new Uint8Array(4_096);
  const size = await connection.read(buffer).catch(() => null);
  isOver = true;
  const text = new TextDecoder().decode(buffer.subarray(0, size ?? 0));
  await sending;
  return Number(/^HTTP\/1.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    rest = rest.subarray(await to.write(rest));
  }
}

/** Asserts that a server has saved a number of files, and still responds. */
async function assertSaved(server: UploadServer, count: number): Promise<void> {
  await until(() => server.files.length === count);
  for (const name of server.files) {
    assertMatch(name, /^[0-9a-f-]{36}$/);
    await Deno.remove(`${server.folder}/${name}`);
  }
  const health = await fetch(server.url("/api/health"));
  assertEquals(await health.text(), "up");
}

const [waiting, immediate] = [true, false].map((isWaiting) =>
  HOSTILE_BODIES.filter(({ status }) => (status === 408) === isWaiting)
) as [HostileBody[], HostileBody[]];

Deno.test("malicious bodies get their status, and leave no files (behaviour 7.8)", async (t) => {
  assert(HOSTILE_BODIES.length >= 40);
  await using server = await UploadServer.open();
  const check = async (body: HostileBody): Promise<void> => {
    assertEquals(await statusOf(server.port, body), body.status, body.name);
    await assertSaved(server, body.status === 201 ? 1 : 0);
  };
  for (const body of immediate) await t.step(body.name, () => check(body));
  await t.step("memory is flat", async () => {
    const before = memoryUsed();
    for (const body of immediate) await check(body);
    const grown = memoryUsed() - before;
    assert(grown < 32 * 2 ** 20, `${grown} bytes`);
  });
});

Deno.test("bodies that stall or drip get 408, and leave no files (behaviour 7.8)", async (t) => {
  await using server = await UploadServer.open({
    bodyTimeout: 100,
    pause: 100,
  });
  const statuses = waiting.map((body) => statusOf(server.port, body));
  for (const [index, body] of waiting.entries()) {
    await t.step(body.name, async () => {
      assertEquals(await statuses[index], body.status);
    });
  }
  await assertSaved(server, 0);
});
