import { assertEquals } from "@std/assert";
import { ChangedFolder } from "./support.ts";

function events(schemas: string): string {
  return `
    import { z } from "zod";
    export const schema = { get: { events: ${schemas} } };
    export const GET = () => new Response();`;
}

function socket(receive: string, send: string): string {
  return `
    import { z } from "zod";
    export const schema = { get: { socket: { receive: ${receive}, send: ${send} } } };
    export const GET = () => new Response();`;
}

const TICK = "z.object({ n: z.int() })";

for (
  const [name, before, after, expected] of [
    [
      "an event may have a new member",
      events(`{ tick: ${TICK} }`),
      events("{ tick: z.object({ n: z.int(), m: z.int() }) }"),
      [],
    ],
    [
      "the data of an event has another type",
      events(`{ tick: ${TICK} }`),
      events("{ tick: z.object({ n: z.string() }) }"),
      ["breaking 200 body#/*/data/n all"],
    ],
    [
      "an event is new",
      events(`{ tick: ${TICK} }`),
      events(`{ tick: ${TICK}, tock: ${TICK} }`),
      ["breaking 200 body#/*/event typed"],
    ],
    [
      "an event is gone",
      events(`{ tick: ${TICK}, tock: ${TICK} }`),
      events(`{ tick: ${TICK} }`),
      [],
    ],
    [
      "a stream is gone",
      events(`{ tick: ${TICK} }`),
      "export const GET = () => new Response();",
      ["breaking 200 text/event-stream all"],
    ],
    [
      "a socket receives fewer messages",
      socket("z.string().max(9)", TICK),
      socket("z.string().max(5)", TICK),
      ["breaking socket.receive# all"],
    ],
    [
      "a socket receives more messages, and sends fewer",
      socket("z.string().max(5)", "z.int()"),
      socket("z.string().max(9)", "z.int().max(9)"),
      [],
    ],
    [
      "a socket sends other messages",
      socket("z.string()", TICK),
      socket("z.string()", "z.object({ m: z.int() })"),
      ["breaking socket.send#/n all"],
    ],
    [
      "the schemas of a socket are gone",
      socket("z.string()", TICK),
      "export const GET = () => new Response();",
      [
        "breaking socket.receive all",
        "breaking socket.send all",
        "breaking 101 all",
        "breaking 200 typed",
      ],
    ],
  ] as const
) {
  for (const version of ["3.1", "3.2"]) {
    Deno.test(`${name}, in OpenAPI ${version}`, async () => {
      const main = `
        import { Framework } from "@bough/framework";
        import { openapi } from "@bough/framework/openapi";
        const info = { title: "", version: "1" };
        export const app = new Framework({
          apiDir: new URL("./api", import.meta.url),
          plugins: [openapi({ info, openapiVersion: "${version}" })],
        });`;
      const [old = {}, now = {}] = [before, after].map((route) => ({
        "main.ts": main,
        "api/route.ts": route,
      }));
      await using folder = await ChangedFolder.create(old, now, "main.ts");
      const found = (await folder.changes("main.ts"))
        .map(({ verdict, place, clients }) => `${verdict} ${place} ${clients}`);
      assertEquals(found, [...expected]);
    });
  }
}
