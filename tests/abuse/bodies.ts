import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { memoryUsed } from "../support/memory.ts";
import { type AbuseCase, attack, send, tally, tallyOf } from "./case.ts";

const Tree: z.ZodType = z.lazy(() => z.array(Tree));

const FILES = {
  "text/route.ts": {
    POST: async (request: Request) =>
      Response.json((await request.text()).length),
  },
  "json/route.ts": {
    schema: { post: { body: z.unknown() } },
    POST: () => new Response("read"),
  },
  "tree/route.ts": {
    schema: { post: { body: Tree } },
    POST: () => new Response("read"),
  },
};

const PATHS = ["/api/text", "/api/json"];

function post(path: string, headers: string, body = ""): string {
  return `POST ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n` +
    `Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;
}

function whole(path: string, body: string): string {
  return post(path, `Content-Length: ${body.length}`, body);
}

/** Bodies that are large, slow, cut short, compressed or deeply nested. */
export const BODIES: readonly AbuseCase[] = [{
  abuse: "a body without a length",
  must: "ignored, as RFC 9112, 6.3, requires",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const { status, body } = await send(
        target,
        post("/api/text", "X: 1", "abc"),
      );
      assertEquals([status, body], [200, "0"]);
      return `${status}, ${body} bytes read`;
    }),
}, {
  abuse: "malformed and endless chunk sizes",
  must: "400 or a closed connection, and no log line",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const texts = PATHS.flatMap((path) =>
        [
          "ZZ\r\nabc\r\n0\r\n\r\n",
          "FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
          `3;${"x".repeat(100_000)}\r\nabc\r\n0\r\n\r\n`,
        ].map((chunks) => post(path, "Transfer-Encoding: chunked", chunks))
      );
      return await tallyOf(target, texts, [0, 400]);
    }),
}, {
  abuse: "a gzip bomb to a body schema: 200 MiB of JSON in 200 KiB",
  must: "413, and no more than the limit is unpacked",
  attempt: () =>
    attack({ files: FILES }, async ({ server }) => {
      const before = memoryUsed();
      const response = await fetch(server.url("/api/json"), {
        method: "POST",
        body: await bomb(200),
        headers: {
          "content-type": "application/json",
          "content-encoding": "gzip",
        },
      });
      await response.body?.cancel();
      assertEquals(response.status, 413);
      const grown = (memoryUsed() - before) / 2 ** 20;
      assert(grown < 100, `${grown} MiB`);
      return String(response.status);
    }),
}, {
  abuse: "JSON of 100,000 levels, to an open and to a recursive schema",
  must: "200 if the schema does not descend, 400 if it does; no log line",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      const open = await send(target, whole("/api/json", deep));
      const recursive = await send(target, whole("/api/tree", deep));
      assertEquals([open.status, recursive.status], [200, 400]);
      return tally([open.status, recursive.status]);
    }),
}, {
  abuse: "one name 10,000 times in a form, 50,000 keys in JSON",
  must: "read in linear time",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const start = performance.now();
      const form = Array.from({ length: 10_000 }, () => "a=1").join("&");
      const keys = Array.from({ length: 50_000 }, (_, i) => `"k${i}":0`);
      const statuses = [
        (await send(
          target,
          whole("/api/json", form).replace(
            "application/json",
            "application/x-www-form-urlencoded",
          ),
        )).status,
        (await send(target, whole("/api/json", `{${keys.join(",")}}`))).status,
      ];
      assertEquals(statuses, [200, 200]);
      // A bound against hanging: linear_cost_slow.ts measures the growth of the time.
      assert(performance.now() - start < 20_000);
      return tally(statuses);
    }),
}];

/** Many mebibytes of JSON, compressed to a thousandth of that size. */
async function bomb(mebibytes: number): Promise<Blob> {
  const spaces = new Blob([" ".repeat(2 ** 20)]).stream();
  const member = await new Response(
    spaces.pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  return new Blob(Array(mebibytes).fill(member));
}
