/** Parameters that carry credentials are sent as the options say, and are never generated. */
import { openapi } from "@bough/framework/openapi";
import type { CheckOptions } from "@bough/framework/testing";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { TestApplication } from "../support/application.ts";
import { checkFast, type Modules } from "./support.ts";

const key = (place: string, name: string) => ({
  type: "apiKey" as const,
  in: place as "header",
  name,
});

const PLUGIN = openapi({
  info: { title: "Notes", version: "1" },
  securitySchemes: {
    header: key("header", "X-Api-Key"),
    query: key("query", "apiKey"),
    cookie: key("cookie", "session"),
  },
});

/** Tests a schema, and returns the report and the values that requests sent by name. */
async function sent(
  get: object,
  options: CheckOptions,
): Promise<{ values: Set<string | null>[]; untested: readonly object[] }> {
  const [names, keys] = [["x-api-key", "authorization", "cookie"], ["apiKey"]];
  const values = [...names, ...keys].map(() => new Set<string | null>());
  const files: Modules = {
    "notes/route.ts": {
      schema: { get },
      GET: ({ url, headers }) => {
        const { searchParams } = new URL(url);
        const all = [
          ...names.map((name) => headers.get(name)),
          ...keys.map((name) => searchParams.get(name)),
        ];
        all.forEach((value, index) => values[index]!.add(value));
        return Response.json({});
      },
    },
  };
  const { app } = TestApplication.of(files, { plugins: [PLUGIN] });
  const { untested } = await checkFast(app, {
    ...{ seed: 3, runs: 60, properties: ["failure", "accepted", "refused"] },
    ...options,
  });
  return { values, untested };
}

Deno.test("optional parameters that carry credentials are never generated", async () => {
  const optional = z.string().optional();
  const { values, untested } = await sent({
    query: z.object({ apiKey: optional, text: optional }),
    headers: z.object({
      ...{ "x-api-key": optional, authorization: optional },
      cookie: optional,
    }),
  }, { as: { "x-api-key": "k-123456" } });
  assertEquals(untested, []);
  assertEquals(
    values.map((each) => [...each]),
    [["k-123456"], [null], [null], [null]],
  );
});

Deno.test("a required header is sent as the identity has it, and a query as generators say", async () => {
  const get = {
    query: z.object({ apiKey: z.string() }),
    headers: z.object({ "x-api-key": z.string().min(8) }),
  };
  const as = { "x-api-key": "k-123456" };
  const generators = {
    "GET /notes": { query: [{ apiKey: "q-1" }], only: true },
  };
  const { values, untested } = await sent(get, { as, generators });
  assertEquals(untested, []);
  assertEquals(values.map((each) => [...each])[0], ["k-123456"]);
  assertEquals(values.at(-1)!, new Set(["q-1"]));
});

Deno.test("a required credential that no option sends leaves its operation untested", async () => {
  const headers = z.object({ "x-api-key": z.string() });
  const query = z.object({ apiKey: z.string() });
  for (
    const [part, get, option] of [
      ['headers: "x-api-key"', { headers }, "as"],
      ['query: "apiKey"', { query }, "generators"],
    ] as const
  ) {
    const { values, untested } = await sent(get, {});
    assert(values.every((each) => each.size === 0));
    const reason =
      `${part} carries a credential, which is not generated; send it with "${option}"`;
    assertEquals(untested, [{ operation: "GET /api/notes", reason }]);
  }
});
