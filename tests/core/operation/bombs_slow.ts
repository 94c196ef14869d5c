/**
 * Slow: decompresses 2 GB. Each bomb has 10 MiB of gzip, which would inflate to 10 GiB.
 */
import { assert, assertEquals } from "@std/assert";
import { file, form } from "@bough/framework/uploads";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { exchange } from "../../support/raw_http.ts";
import { sizeOf } from "./support.ts";

const MIB = 2 ** 20;
/** More than the 10 MiB that are sent. */
const SMALL = 20 * MIB;
const LARGE = 1024 * MIB;

const POST: TestModule["POST"] = async ({ validated: { body } }) =>
  new Response(`${await sizeOf(body)}`);
const config = { bodyLimit: SMALL };
const routeOf = (body: unknown): TestModule => ({
  schema: { post: { body } },
  POST,
});

const APPLICATION = TestApplication.of({
  "schema/route.ts": { ...routeOf(z.unknown()), config },
  "file/route.ts": routeOf(file({ maxSize: SMALL })),
  "large/route.ts": routeOf(file({ maxSize: LARGE })),
  "form/route.ts": routeOf(form({ files: { a: file({ maxSize: SMALL }) } })),
  "fields/route.ts": {
    ...routeOf(form({ fields: z.unknown(), files: {} })),
    config,
  },
});

const HEAD = "--b\r\nContent-Disposition: form-data; name=";
/** A member of 10 KiB, which inflates to 10 MiB. */
const MEMBER = gzipSync(new Uint8Array(10 * MIB).fill(32), { level: 9 });
const COUNT = Math.ceil(10 * MIB / MEMBER.length);

Deno.test("10 MiB that inflate to 10 GiB get 413 at the limit, in constant memory (behaviour 7.6)", async (t) => {
  assert(COUNT * 10 * MIB >= 10 * 1024 * MIB);
  await using server = await APPLICATION.serve();
  const bombOf = (route: string, type: string, beginning: string) => {
    const members = Array<Uint8Array>(COUNT).fill(MEMBER);
    const first = gzipSync(beginning);
    const length = first.length + COUNT * MEMBER.length;
    const head = `POST /api/${route} HTTP/1.1\r\nHost: x\r\n` +
      `Content-Type: ${type}\r\nContent-Encoding: gzip\r\n` +
      `Content-Length: ${length}\r\nConnection: close\r\n\r\n`;
    return [new TextEncoder().encode(head), first, ...members];
  };
  const type = "multipart/form-data; boundary=b";
  const bombs = [
    ["schema", "application/json", ""],
    ["schema", "application/x-www-form-urlencoded", "a="],
    ["schema", type, `${HEAD}a\r\n\r\n`],
    ["fields", type, `${HEAD}a\r\n\r\n`],
    ["form", type, `${HEAD}a; filename=a\r\n\r\n`],
    ["file", "image/png", ""],
    ["large", "image/png", ""],
  ] as const;
  for (const [route, type, beginning] of bombs) {
    await t.step(`${route}, ${type}`, async () => {
      const parts = bombOf(route, type, beginning);
      const { heapUsed, external } = Deno.memoryUsage();
      let peak = 0;
      const timer = setInterval(() => {
        const now = Deno.memoryUsage();
        peak = Math.max(peak, now.heapUsed + now.external);
      }, 5);
      const { status } = await exchange(server.port, parts);
      clearInterval(timer);
      assertEquals(status, 413);
      const grown = peak - heapUsed - external;
      // Mostly pieces that wait for the collector of garbage, whatever the limit.
      assert(grown < 160 * MIB, `${grown} bytes`);
    });
  }
});
