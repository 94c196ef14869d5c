/** Clients such as SDK 1 and Inspector 2 reject a result that its tool does not describe. */
import { HttpError, respond } from "@bough/framework";
import { mcp } from "@bough/framework/mcp";
import Ajv from "ajv";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import type { JsonSchema } from "../../src/openapi/mod.ts";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { REVISIONS, TestClient } from "./client.ts";

const schema = {
  get: {
    params: z.object({ id: z.coerce.number().int() }),
    response: { 200: z.object({ id: z.number() }) },
    mcp: { name: "read" },
  },
};

/** The response of the route, by the argument `id`. */
const RESPONSES: Readonly<Record<string, () => Response>> = {
  1: () => respond(schema.get, 200, { id: 1 }),
  2: () => {
    throw new HttpError(404, "No such book", { id: 2 });
  },
  3: () => {
    throw new Error("secret");
  },
  4: () => new Response("no", { status: 409 }),
  5: () => new Response(null, { status: 303, headers: { location: "/" } }),
};

/** The arguments of a call, and the text of its result. */
const CALLS: readonly (readonly [Record<string, unknown>, RegExp])[] = [
  [{ params: { id: 1 } }, /^\{"id":1\}$/],
  [{ params: { id: 2 } }, /^\{"type":.*"status":404,"detail":"No such book",/],
  [{ params: { id: 3 } }, /^\{"type":.*"status":500\}$/],
  [{ params: { id: 4 } }, /^no$/],
  [{ params: { id: 5 } }, /^303 See Other$/],
  [
    { params: { id: "x" } },
    /"detail":"The request does not fit its schema","errors":\[\{"in":"params","pointer":"#\/id","detail":"Invalid input: expected number, received NaN"\}\]\}$/,
  ],
  [{ params: { id: ".." } }, /the values of \\"params\\" do not lead/],
  [
    { params: { id: 1 }, nope: 1 },
    /\\"nope\\" is not an argument; the arguments are: params/,
  ],
];

for (const { name: revision, options } of REVISIONS) {
  Deno.test(`only a success has structured content, which its output schema describes (behaviour 10.8, ${revision})`, async () => {
    const app = TestApplication.of({
      "books/[id]/route.ts": {
        schema,
        GET: ({ params }) => RESPONSES[params.id!]!(),
      },
    }, { plugins: [mcp()] });
    await using server = await app.serve();
    using _ = new CapturedLog();
    await using connected = await TestClient.connect(
      server.url("/mcp"),
      { options },
    );
    const { client } = connected;
    const { tools: [tool] } = await client.listTools();
    const fits = new Ajv.default().compile(
      tool!.outputSchema as JsonSchema,
    );
    for (const [args, text] of CALLS) {
      const { content, structuredContent, isError } = await client.callTool({
        name: "read",
        arguments: args,
      });
      const [{ text: found }] = content as unknown as [{ text: string }];
      assertEquals(text.test(found), true, found);
      const isFound = Object.is(args, CALLS[0]![0]);
      assertEquals([isError, fits(structuredContent)], [!isFound, isFound]);
      assertEquals(structuredContent !== undefined, isFound, found);
    }
  });
}
