import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { z } from "zod";
import { responseWarnings } from "../../src/cli/check/warnings.ts";
import type { RouteInfo } from "../../src/options/plugin.ts";
import { TestFolder } from "../support/application.ts";
import { boughIn } from "./support.ts";

const TREE = {
  "api/orders/[id]/events/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = {
      get: {
        params: z.object({ id: z.string() }),
        events: { status: z.object({ id: z.int() }), done: z.object({}) },
      },
    };
    export const GET = () => new Response("");`,
  "api/chat/route.ts": `
    import { z } from "npm:zod@^4.1.13";
    export const schema = {
      get: { socket: { receive: z.string(), send: z.string() } },
    };
    export const GET = () => new Response("", { status: 426 });`,
};

Deno.test("bough routes marks what streams events or opens a socket", async () => {
  await using folder = await TestFolder.create(TREE);
  const text = await boughIn(folder.path, "routes");
  assertEquals([text.code, text.stderr], [0, ""]);
  assertStringIncludes(text.stdout, "get: socket(receive send)");
  assertStringIncludes(text.stdout, "get: params events(status done)");

  const json = await boughIn(folder.path, "routes", "--json");
  const [chat, events] = JSON.parse(json.stdout);
  assertEquals(chat.schema, { get: ["socket"] });
  assertEquals(chat.operations, {
    get: {
      socket: { value: ["receive", "send"], file: "api/chat/route.ts" },
    },
  });
  assertEquals(events.schema, { get: ["params", "events"] });
  assertEquals(events.operations.get.events, {
    value: ["status", "done"],
    file: "api/orders/[id]/events/route.ts",
  });
});

Deno.test("bough check finds nothing in live routes, and bough build and types write them", async () => {
  await using folder = await TestFolder.create(TREE);
  for (
    const args of [
      ["check"],
      ["build"],
      ["types"],
      ["types", "--standalone", "--output=standalone.ts"],
    ]
  ) {
    const { code, stderr } = await boughIn(folder.path, ...args);
    assertEquals([code, stderr], [0, ""], args.join(" "));
  }
  const types = await Deno.readTextFile(join(folder.path, "standalone.ts"));
  assertStringIncludes(
    types,
    `events: { "status": Schema<components["schemas"]["OrdersIdEventsGetStatus"]>; "done": `,
  );
  assertStringIncludes(
    types,
    `socket: { receive: Schema<components["schemas"]["ChatGetReceive"]>; send: `,
  );
});

Deno.test("bough openapi writes the version that it is asked for", async () => {
  await using folder = await TestFolder.create(TREE);
  const { code, stdout } = await boughIn(
    folder.path,
    "openapi",
    "--openapi-version=3.2",
  );
  assertEquals([code, JSON.parse(stdout).openapi], [0, "3.2.0"]);
  const wrong = await boughIn(folder.path, "openapi", "--openapi-version=3");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "--openapi-version must be 3.1 or 3.2");
});

Deno.test("responseWarnings() looks at events, and at what a socket sends", () => {
  const filled = z.object({ a: z.string().default("") });
  const warned = (schema: object) =>
    responseWarnings([
      { file: "route.ts", schema: { get: schema } } as unknown as RouteInfo,
    ]).map(({ message }) => message.split(" ", 1)[0]);
  assertEquals(warned({ events: { status: filled, done: z.object({}) } }), [
    'schema.get.events["status"]',
  ]);
  assertEquals(warned({ socket: { receive: filled, send: filled } }), [
    "schema.get.socket.send",
  ]);
});

Deno.test("an event that has no JSON form is a finding", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts": `
      import { z } from "npm:zod@^4.1.13";
      export const schema = { get: { events: { tick: z.bigint() } } };
      export const GET = () => new Response("");`,
  });
  const { code, stdout } = await boughIn(folder.path, "check");
  assertEquals(code, 1);
  assertStringIncludes(stdout, 'schema.get.events["tick"] has no JSON Schema');
});
