import { assert, assertEquals, assertMatch } from "@std/assert";
import { memoryUsed } from "../support/memory.ts";
import { until } from "../support/until.ts";
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
  const sending = (async () => {
    await writeAll(connection, new TextEncoder().encode(head));
    for (const piece of pieces) {
      await writeAll(connection, piece);
      if (body.pause) await new Promise((go) => setTimeout(go, body.pause));
    }
  })().catch(() => {});
  const buffer = new Uint8Array(4_096);
  const size = await connection.read(buffer).catch(() => null);
  const text = new TextDecoder().decode(buffer.subarray(0, size ?? 0));
  if (!body.pause) await sending;
  return Number(/^HTTP\/1.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    rest = rest.subarray(await to.write(rest));
  }
}

Deno.test("hostile bodies get their status, and leave nothing (behaviour 7.8)", async (t) => {
  await using server = await UploadServer.start();
  const { port } = server.server.addr;

  async function check(body: HostileBody): Promise<void> {
    assertEquals(await statusOf(port, body), body.status, body.name);
    const expected = body.status === 201 ? 1 : 0;
    await until(() => server.files.length === expected);
    for (const name of server.files) {
      assertMatch(name, /^[0-9a-f-]{36}$/);
      await Deno.remove(`${server.folder}/${name}`);
    }
    const health = await fetch(`${server.url}/api/health`);
    assertEquals(await health.text(), "up");
  }

  assert(HOSTILE_BODIES.length >= 40);
  for (const body of HOSTILE_BODIES) {
    await t.step(body.name, () => check(body));
  }
  await t.step("memory is flat", async () => {
    const before = memoryUsed();
    for (const body of HOSTILE_BODIES) {
      if (body.status !== 408) await check(body);
    }
    const grown = memoryUsed() - before;
    assert(grown < 32 * 2 ** 20, `${grown} bytes`);
  });
});
