import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { boughIn, copyOf, fixture } from "./support.ts";

Deno.test("bough routes shows events and sockets", async () => {
  const text = await boughIn(fixture("live"), "routes");
  assertEquals([text.code, text.stderr], [0, ""]);
  assertStringIncludes(text.stdout, "get: socket(receive send)");
  assertStringIncludes(text.stdout, "get: params events(status done)");

  const json = await boughIn(fixture("live"), "routes", "--json");
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

Deno.test("bough check, build and types accept live routes", async () => {
  await using folder = await copyOf("live");
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
  const line = types.replaceAll(/\s+/g, " ");
  assertStringIncludes(line, "events: { status: Schema<{ ");
  assertStringIncludes(line, "socket: { receive: Schema<string>; send: ");
});

Deno.test("bough openapi --openapi-version sets the version of the document", async () => {
  const openapi = (version: string) =>
    boughIn(fixture("live"), "openapi", `--openapi-version=${version}`);
  const { code, stdout } = await openapi("3.2");
  assertEquals([code, JSON.parse(stdout).openapi], [0, "3.2.0"]);
  const wrong = await openapi("3");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "--openapi-version must be 3.1 or 3.2");
});

Deno.test("bough check warns of an event without a JSON Schema", async () => {
  await using folder = await TestFolder.create({
    "api/route.ts": `
      import { z } from "npm:zod@^4.2.0";
      export const schema = { get: { events: { tick: z.bigint() } } };
      export const GET = () => new Response("");`,
  });
  const { code, stdout } = await boughIn(folder.path, "check");
  assertEquals(code, 1);
  assertStringIncludes(stdout, 'schema.get.events["tick"] has no JSON Schema');
});
