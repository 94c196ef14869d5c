import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { assert, assertEquals } from "@std/assert";
import type { JsonSchema } from "../../src/openapi/mod.ts";
import { Draw } from "../../src/shared/values/draw.ts";
import type { Edit } from "../../src/shared/values/edits.ts";
import { valuesOf } from "../../src/shared/values/values.ts";
import { TestClient } from "./client.ts";
import { SCHEMAS } from "./schemas.ts";
import { create } from "./support.ts";

/** Values that a library accepts, although its own JSON Schema does not. */
const EXCEPTIONS: Readonly<Record<string, (body: unknown) => boolean>> = {
  // zod skips this name.
  partialKeys: (body) => Object.hasOwn(Object(body), "__proto__"),
  // Valibot takes an empty list for an empty object.
  valibotRecord: isEmptyList,
  valibotStrict: isEmptyList,
};

function isEmptyList(body: unknown): boolean {
  return Array.isArray(body) && body.length === 0;
}

/** Values of a schema, at its limits, and beyond, as JSON. */
function samples(schema: JsonSchema): unknown[] {
  const values = valuesOf(schema);
  const [edges, beyond] = [values.edits("edges"), values.edits("beyond")];
  const each = [edges, beyond, []].map((edits: readonly Edit[]) =>
    Array.from({ length: 40 }, (_, seed) => {
      const draw = new Draw(seed);
      let value = values.plain(draw);
      for (let left = edits.length && draw.pick(4); left > 0; left--) {
        value = draw.from(edits)(value);
      }
      return value;
    })
  );
  const alone = [...edges, ...beyond].map((edit) => edit({}));
  const texts = [...each.flat(), ...alone]
    .map((value) => JSON.stringify(value) ?? "null");
  return texts.map((text) => JSON.parse(text));
}

Deno.test("the schema of a tool accepts the same values as its route", async () => {
  const names = Object.keys(SCHEMAS);
  assertEquals(names.length, 40);
  const files = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, body]) => [`${name}/route.ts`, {
      schema: { post: { body, mcp: { name } } },
      POST: () => Response.json(true),
    }]),
  );
  const application = create(files);
  await using connected = await TestClient.connect(application);
  const { tools } = await connected.client.listTools();
  assertEquals(tools.map(({ name }) => name).sort(), names.toSorted());
  const ajv = new Ajv2020.default({ strict: false });
  addFormats.default(ajv);
  const different: string[] = [];
  const excepted = new Set<string>();
  for (const { name, inputSchema } of tools) {
    const isValid = ajv.compile(inputSchema);
    const { properties, $defs } = inputSchema as JsonSchema;
    const { body: part } = properties as Record<string, JsonSchema>;
    const count = { accepted: 0, refused: 0 };
    for (const body of samples({ ...part, ...($defs ? { $defs } : {}) })) {
      const response = await application.fetch(`/api/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      assert([200, 400].includes(response.status));
      const outcome = response.status === 200 ? "accepted" : "refused";
      count[outcome]++;
      if (isValid({ body }) === (outcome === "accepted")) continue;
      if (EXCEPTIONS[name]?.(body)) excepted.add(name);
      else different.push(`${name}: ${outcome} ${JSON.stringify(body)}`);
    }
    assert(
      Math.min(...Object.values(count)) > 5,
      JSON.stringify({ name, count }),
    );
  }
  assertEquals(different, []);
  assertEquals([...excepted], Object.keys(EXCEPTIONS).sort());
});
