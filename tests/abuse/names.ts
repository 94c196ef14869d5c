import { assertEquals } from "@std/assert";
import { type AbuseCase, attack } from "./case.ts";

const NAMES = ["__proto__", "constructor", "prototype", "toString"];

const QUOTED = NAMES.map((name) => `\`${name}\``).join(", ");

const CHECKED = `import { z } from "npm:zod@^4.1.13";
  export const schema = {
    get: { query: z.looseObject({}) },
    post: { body: z.record(z.string(), z.unknown()) },
  };
  export const GET = ({ validated }) => Response.json(Object.keys(validated.query).length);
  export const POST = ({ validated }) => Response.json(Object.keys(validated.body).length);`;

function assertUnpolluted(): void {
  assertEquals(Object.keys(Object.prototype), []);
  const empty = {} as Record<string, unknown>;
  assertEquals(empty.polluted, undefined);
}

/** Names that mean something to JavaScript. */
export const SPECIAL_NAMES: readonly AbuseCase[] = [{
  abuse: `${QUOTED} as keys of JSON, a form and a query`,
  must: "values like any others; no prototype is changed",
  attempt: () =>
    attack({ files: { "checked/route.js": CHECKED } }, async ({ server }) => {
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
  must: "each is a name like any other",
  attempt: () => {
    const files: Record<string, string> = {};
    for (const name of NAMES) {
      files[`static/${name}/route.js`] =
        `export const GET = () => new Response("${name}");`;
      files[`${name}/[${name}]/route.js`] =
        `export const GET = ({ params }) => Response.json(Object.entries(params));`;
    }
    return attack({ files }, async ({ server }) => {
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
