import { assert, assertEquals } from "@std/assert";
import type { TestModule } from "../support/application.ts";
import { type AbuseCase, attack, send, tally } from "./case.ts";

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
      const { status } = await send(target, `GET /api/items/${id}${END}`);
      assert([400, 414, 431].includes(status), String(status));
      return String(status);
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
      const statuses = [];
      for (
        const path of [
          "/api/files/../../etc/passwd",
          "/api/files/..%2f..%2fetc/passwd",
          "/api/files/%2e%2e/%2E%2e/etc/passwd",
          "/api/files/..\\..\\etc\\passwd",
          "/api/files/a%5c..%5c..",
          "/api/files/%00",
          "/api/files/%ff",
          "/api/files/%",
          "/api/files/%c0%ae%c0%ae/a",
        ]
      ) {
        const { status } = await send(target, `GET ${path}${END}`);
        assert(status === 400 || status === 404, `${path}: ${status}`);
        statuses.push(status);
      }
      return tally(statuses);
    }),
}];
