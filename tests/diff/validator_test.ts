import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { boughIn } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";
import {
  changedBookshop,
  ChangedFolder,
  documentOf,
  exampleFolder,
  post,
} from "./support.ts";

async function changes(before: string, after: string) {
  await using folder = await ChangedFolder.create(
    { "api/[id]/route.ts": before },
    { "api/[id]/route.ts": after },
  );
  return (await folder.changes()).map(({ verdict, rule, place, message }) =>
    `${verdict} ${rule} ${place}: ${message}`
  );
}

function get(query: string): string {
  return `
    import { z } from "zod";
    export const schema = { get: { query: z.object(${query}) } };
    export const GET = () => new Response();`;
}

Deno.test("a refinement of a changed body is one unknown line", async () => {
  const pair = "z.object({ a: z.string(), b: z.string()MORE })";
  assertEquals(
    await changes(
      post(pair.replace("MORE", "")),
      post(
        pair.replace("MORE", ", c: z.string().optional()") +
          '.refine(({ a, b }) => a === b, "a and b must be equal")',
      ),
    ),
    [
      'unknown refinement body: the schema of the route refuses {"a":"A","b":"B","c":"C"}, which the document accepts: a and b must be equal',
    ],
  );
  assertEquals(
    await changes(
      post(pair.replace("MORE", ".max(9)")),
      post(
        pair.replace("MORE", ".max(5)") +
          '.refine(({ a, b }) => a === b, "a and b must be equal")',
      ),
    ),
    [
      'breaking request-narrowed body#/b: "maxLength" 9 became 5',
      'unknown refinement body: the schema of the route refuses {"a":"A","b":"B"}, which the document accepts: a and b must be equal',
    ],
  );
});

Deno.test("a value that the schema still accepts makes a change unknown", async () => {
  assertEquals(
    await changes(
      post("z.object({ a: z.string().max(9) })"),
      post("z.object({ a: z.string().meta({ maxLength: 5 }) })"),
    ),
    [
      'unknown request-narrowed body#/a: "maxLength" 9 became 5; but the schema of the route accepts the value',
    ],
  );
});

Deno.test("coerced and transformed parameters are validated as strings", async () => {
  for (
    const [before, after, message] of [
      ["z.coerce.number().max(9)", "z.coerce.number().max(5)", '"maximum" 9'],
      [
        "z.coerce.number().int()",
        "z.coerce.number().int().min(1)",
        '"minimum"',
      ],
      [
        "z.string().max(9).transform(Number)",
        "z.string().max(5).transform(Number)",
        '"maxLength" 9',
      ],
      [
        'z.string().pipe(z.enum(["a", "b"]))',
        'z.enum(["a"])',
        '"enum" became ["a"]',
      ],
    ] as const
  ) {
    const [found, ...others] = await changes(
      get(`{ a: ${before} }`),
      get(`{ a: ${after} }`),
    );
    assertStringIncludes(
      found ?? "",
      `breaking request-narrowed query#/a: ${message}`,
    );
    assertEquals(others, []);
  }
});

Deno.test("path parameters are validated as strings", async () => {
  const route = (id: string) => `
    import { z } from "zod";
    export const schema = { get: { params: z.object({ id: ${id} }) } };
    export const GET = () => new Response();`;
  assertEquals(
    await changes(
      route("z.coerce.number().int()"),
      route("z.coerce.number().int().min(1)"),
    ),
    ['breaking request-narrowed params#/id: "minimum" became 1'],
  );
});

Deno.test("the schemas of params receive the names of the path, without the wildcard", async () => {
  const route = (most: number) => `
    import { z } from "zod";
    const params = z.strictObject({ bookId: z.coerce.number().max(${most}) })
      .refine(({ bookId }) => bookId !== 4, "not 4");
    export const schema = { get: { params } };
    export const GET = () => new Response();`;
  const file = "api/[bookId]/[...]/route.ts";
  await using folder = await ChangedFolder.create(
    { [file]: route(9) },
    { [file]: route(5) },
  );
  const found = (await folder.changes()).map((
    { verdict, place },
  ) => [verdict, place]);
  assertEquals(found, [["breaking", "params#/bookId"]]);
});

Deno.test("a HEAD of its own is validated by its own schema", async () => {
  const route = (most: number) => `
    import { z } from "zod";
    const query = z.object({ a: z.string().max(${most}) });
    export const schema = { head: { query } };
    export const GET = () => new Response();
    export const HEAD = () => new Response();`;
  assertEquals(
    await changes(route(9), route(5)),
    ['breaking request-narrowed query#/a: "maxLength" 9 became 5'],
  );
});

Deno.test("a rule inside a transform is one unknown line", async () => {
  assertEquals(
    await changes(
      post("z.object({ a: z.string(), b: z.string().max(9) })"),
      post(`z.object({
        a: z.string().transform((text, context) => {
          context.addIssue("must be a planet");
          return text;
        }),
        b: z.string().max(5),
      })`),
    ),
    [
      'breaking request-narrowed body#/b: "maxLength" 9 became 5',
      'unknown refinement body: the schema of the route refuses {"a":"A","b":"B"}, which the document accepts: must be a planet',
    ],
  );
});

Deno.test("a schema that throws is one unknown line", async () => {
  assertEquals(
    await changes(
      post("z.object({ a: z.string().max(9) })"),
      post(
        "z.object({ a: z.string().max(5) }).refine(() => { throw new Error() })",
      ),
    ),
    [
      'breaking request-narrowed body#/a: "maxLength" 9 became 5',
      'unknown refinement body: the schema of the route refuses {"a":"A"}, which the document accepts: it throws an error',
    ],
  );
});

for (
  const [file, pair, expected] of [
    [
      "schemas.ts",
      ['["placed", "packed", "sent"]', '["placed", "packed"]'],
      ["breaking request-narrowed body#/status"],
    ],
    [
      "schemas.ts",
      [".min(0).max(1_000_000)", ".min(1).max(1_000_000)"],
      ["breaking request-narrowed body#/cents"],
    ],
    [
      "schemas.ts",
      ['["placed", "packed", "sent"]', '["placed", "packed", "sent", "lost"]'],
      ["breaking response-widened"],
    ],
    ["schemas.ts", ["max(500)", "max(5_000)"], []],
    ["schemas.ts", ["/^\\d{1,3}$/", "/^\\d{1,2}$/"], [
      "breaking request-narrowed query#/limit",
      "breaking request-narrowed query#/offset",
    ]],
  ] as const
) {
  Deno.test(`in the bookshop, ${pair[0]} becomes ${pair[1]}`, async () => {
    const document = await documentOf(exampleFolder("bookshop"), "main.ts");
    await using file_ = await TestFolder.create({ "api.json": document });
    await using shop = await changedBookshop(file, pair);
    const { stdout, stderr } = await boughIn(
      shop.path,
      ...["diff", "main.ts", `--against=${file_.path}/api.json`, "--json"],
    );
    assert(stdout !== "", stderr);
    const found: string[] = JSON.parse(stdout).changes.map((
      { verdict, rule, place }: Record<string, string>,
    ) => `${verdict} ${rule} ${place}`);
    for (const each of expected) {
      assert(found.some((one) => one.startsWith(each)), found.join("\n"));
    }
    if (expected.length === 0) assertEquals(found, []);
    assert(!found.some((each) => each.startsWith("unknown")), found.join("\n"));
  });
}
