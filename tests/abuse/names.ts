import { assertEquals } from "@std/assert";
import { z } from "zod";
import { FolderApplication, type TestModule } from "../support/application.ts";
import { type AbuseCase, attack, attackApplication, HELLO } from "./case.ts";

const NAMES = ["__proto__", "constructor", "prototype", "toString"];

const QUOTED = NAMES.map((name) => `\`${name}\``).join(", ");

const CHECKED: TestModule = {
  schema: {
    get: { query: z.looseObject({}) },
    post: { body: z.record(z.string(), z.unknown()) },
  },
  GET: ({ validated }) => Response.json(Object.keys(validated.query).length),
  POST: ({ validated }) => Response.json(Object.keys(validated.body).length),
};

function assertUnpolluted(): void {
  assertEquals(Object.keys(Object.prototype), []);
  const empty = {} as Record<string, unknown>;
  assertEquals(empty.polluted, undefined);
}

/** Names with a meaning in JavaScript. */
export const SPECIAL_NAMES: readonly AbuseCase[] = [{
  abuse: `${QUOTED} as keys of JSON, a form and a query`,
  must: "ordinary keys; no prototype changes",
  attempt: () =>
    attack({ files: { "checked/route.ts": CHECKED } }, async ({ server }) => {
      const url = server.url("/api/checked");
      const json = NAMES.map((name) => `"${name}":{"polluted":1}`).join(",");
      const pairs = NAMES.flatMap((name) => [
        `${name}=1`,
        `${name}[polluted]=1`,
        `${name}.polluted=1`,
      ]).join("&");
      const send = async (
        target: string,
        body?: string,
        type = "application/json",
      ): Promise<number> => {
        const response = await fetch(
          target,
          body === undefined
            ? {}
            : { method: "POST", body, headers: { "content-type": type } },
        );
        await response.body?.cancel();
        return response.status;
      };
      const statuses = [
        await send(url, `{${json}}`),
        await send(url, `{"a":{${json}}}`),
        await send(url, pairs, "application/x-www-form-urlencoded"),
        await send(`${url}?${pairs}`),
      ];
      assertEquals(statuses, [200, 200, 200, 200]);
      assertUnpolluted();
      return "200 × 4, nothing polluted";
    }),
}, {
  abuse: `${QUOTED} as names of folders, parameters and in paths`,
  must: "ordinary names",
  attempt: async () => {
    const files: Record<string, string> = { "hello/route.js": HELLO };
    for (const name of NAMES) {
      files[`static/${name}/route.js`] =
        `export const GET = () => new Response("${name}");`;
      files[`${name}/[${name}]/route.js`] =
        `export const GET = ({ params }) => Response.json(Object.entries(params));`;
    }
    await using application = await FolderApplication.create(files);
    return await attackApplication(application, 0, async ({ server }) => {
      for (const name of NAMES) {
        const fixed = await fetch(server.url(`/api/static/${name}`));
        assertEquals(await fixed.text(), name);
        const named = await fetch(server.url(`/api/${name}/value`));
        assertEquals(await named.json(), [[name, "value"]]);
        const missing = await fetch(server.url(`/api/static/x/${name}`));
        await missing.body?.cancel();
        assertEquals(missing.status, 404);
      }
      assertUnpolluted();
      return `${NAMES.length} served statically, ${NAMES.length} captured`;
    });
  },
}];
