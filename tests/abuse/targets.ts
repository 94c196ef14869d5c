import { assertEquals } from "@std/assert";
import type { TestModule } from "../support/application.ts";
import { type AbuseCase, attack, send, tally, tallyOf } from "./case.ts";

const END = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

const FILES: Record<string, TestModule> = {
  "items/[id]/route.ts": {
    GET: ({ params }) => Response.json(params.id!.length),
  },
  "files/[...]/route.ts": {
    GET: ({ wildcardParams }) => Response.json(wildcardParams!.length),
  },
};

/** Targets that are long, deep or disguised. */
export const TARGETS: readonly AbuseCase[] = [{
  abuse: "a target of 8 KiB, captured by `[id]`",
  must: "served",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const id = "x".repeat(8 * 1024 - "/api/items/".length);
      const { status, body } = await send(target, `GET /api/items/${id}${END}`);
      assertEquals([status, body], [200, String(id.length)]);
      return String(status);
    }),
}, {
  abuse: "a target of 64 KiB",
  must: "rejected by the server, which stops reading",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const id = "x".repeat(64 * 1024 - "/api/items/".length);
      const text = `GET /api/items/${id}${END}`;
      return await tallyOf(target, [text], [400, 414, 431]);
    }),
}, {
  abuse: "10,000 segments, for a wildcard and for no route",
  must: "200 with all of them, and 404",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const deep = "/a".repeat(10_000);
      const hit = await send(target, `GET /api/files${deep}${END}`);
      assertEquals([hit.status, hit.body], [200, "10000"]);
      const miss = await send(target, `GET /api/items${deep}${END}`);
      assertEquals(miss.status, 404);
      return tally([hit.status, miss.status]);
    }),
}, {
  abuse: "dots, backslashes and escapes on the way out of a wildcard's folder",
  must: "400 or 404; the handler sees no `..` and no separator",
  attempt: () =>
    attack({ files: FILES }, async (target) => {
      const texts = [
        "/api/files/../../etc/passwd",
        "/api/files/..%2f..%2fetc/passwd",
        "/api/files/%2e%2e/%2E%2e/etc/passwd",
        "/api/files/..\\..\\etc\\passwd",
        "/api/files/a%5c..%5c..",
        "/api/files/%00",
        "/api/files/%ff",
        "/api/files/%",
        "/api/files/%c0%ae%c0%ae/a",
      ].map((path) => `GET ${path}${END}`);
      return await tallyOf(target, texts, [400, 404]);
    }),
}];
