import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { boughIn } from "../cli/support.ts";
import { TestFolder, type TestModule } from "../support/application.ts";
import {
  changedBookshop,
  changesOf,
  documentOf,
  exampleFolder,
  get,
  post,
  respond,
} from "./support.ts";

async function changes(
  before: TestModule,
  after: TestModule,
  file = "[id]/route.ts",
): Promise<string[]> {
  const found = await changesOf({ [file]: before }, { [file]: after });
  return found.map(({ verdict, rule, place, message }) =>
    `${verdict} ${rule} ${place}: ${message}`
  );
}

const string = z.string();
const ab = z.object({ a: string, b: string });

function equal({ a, b }: z.infer<typeof ab>): boolean {
  return a === b;
}

const MESSAGE = "a and b must be equal";

Deno.test("a refinement of changed members is one unknown line", async () => {
  assertEquals(
    await changes(
      post(ab.extend({ b: string.max(9) })),
      post(ab.extend({ b: string.max(5) }).refine(equal, MESSAGE)),
    ),
    [
      'breaking request-narrowed body#/b: "maxLength" 9 became 5',
      'unknown refinement body: the schema of the route refuses {"a":"A","b":"B"}, which the document accepts: a and b must be equal',
    ],
  );
  assertEquals(
    await changes(post(z.object({ a: string.max(9) })), post(z.object({ a }))),
    [
      'unknown refinement body: the schema of the route refuses {"a":"A"}, which the document accepts: must be a planet',
    ],
  );
});

const a = string.transform((text, context) => {
  context.addIssue("must be a planet");
  return text;
});
const kind = z.literal("x");

// The old schema may have the same rules, which no document shows.
for (
  const [name, before, extended] of [
    ["a member", { a }, { a, b: string.optional() }],
    ["an optional member", { a: a.optional() }, {
      a: a.optional(),
      b: string.optional(),
    }],
    ["a member next to a wider one", { a, b: string.max(5) }, {
      a,
      b: string.max(9),
    }],
    ["a member of a member", { m: z.object({ a }) }, {
      m: z.object({ a, b: string.optional() }),
    }],
    ["a member of items", { m: z.array(z.object({ a })).min(1) }, {
      m: z.array(z.object({ a, b: string.optional() })).min(1),
    }],
    [
      "a member of a branch",
      { m: z.union([z.object({ kind, a }), z.object({ kind: z.null() })]) },
      {
        m: z.union([
          z.object({ kind, a }),
          z.object({ kind: z.null(), a: string.max(5).optional() }),
          z.object({ kind: z.literal("y") }),
        ]),
      },
    ],
  ] as const
) {
  Deno.test(`a refinement of ${name} counts only after a change of it`, async () => {
    const [first, second] = ([before, extended] as z.ZodRawShape[])
      .map((members) => z.object(members)) as [z.ZodObject, z.ZodObject];
    assertEquals(await changes(post(first), post(second)), []);
    const all = () => false;
    assertEquals(
      await changes(
        post(z.object({ m: first })),
        post(z.object({ m: second })),
      ),
      [],
    );
    if (name !== "a member next to a wider one") {
      const refined = [first, second].map((each) => post(each.refine(all)));
      assertEquals(await changes(refined[0]!, refined[1]!), []);
    }
  });
}

Deno.test("a refined parameter may stay next to a new one (recipe of pagination)", async () => {
  const cursor = z.object({ after: a.optional(), limit: string.optional() });
  for (const query of [cursor, cursor.refine(() => false)]) {
    assertEquals(
      await changes(
        get({ query }),
        get({ query: query.safeExtend({ sort: z.enum(["a"]).optional() }) }),
      ),
      [],
    );
  }
});

Deno.test("a change is unknown if the schema of the route still accepts the value", async () => {
  assertEquals(
    await changes(
      post(z.object({ a: string.max(9) })),
      post(z.object({ a: string.meta({ maxLength: 5 }) })),
    ),
    [
      'unknown request-narrowed body#/a: "maxLength" 9 became 5; but the schema of the route accepts the value',
    ],
  );
});

Deno.test("coerced and transformed parameters are validated as strings", async () => {
  const number = z.coerce.number();
  for (
    const [before, after, message] of [
      [number.max(9), number.max(5), '"maximum" 9'],
      [number.int(), number.int().min(1), '"minimum"'],
      [
        string.max(9).transform(Number),
        string.max(5).transform(Number),
        '"maxLength" 9',
      ],
      [
        string.pipe(z.enum(["a", "b"])),
        z.enum(["a"]),
        '"enum" became ["a"]',
      ],
    ] as const
  ) {
    const [found, ...others] = await changes(
      get({ query: z.object({ a: before }) }),
      get({ query: z.object({ a: after }) }),
    );
    assertStringIncludes(
      found ?? "",
      `breaking request-narrowed query#/a: ${message}`,
    );
    assertEquals(others, []);
  }
});

Deno.test("path parameters are validated as strings", async () => {
  const route = (id: z.ZodType) => get({ params: z.object({ id }) });
  const integer = z.coerce.number().int();
  assertEquals(
    await changes(route(integer), route(integer.min(1))),
    ['breaking request-narrowed params#/id: "minimum" became 1'],
  );
});

Deno.test("a schema of params gets the names of the path, without the wildcard", async () => {
  const route = (most: number) =>
    get({
      params: z.strictObject({ bookId: z.coerce.number().max(most) })
        .refine(({ bookId }) => bookId !== 4, "not 4"),
    });
  const found = await changes(route(9), route(5), "[bookId]/[...]/route.ts");
  assertEquals(found.map((each) => each.split(":")[0]), [
    "breaking request-narrowed params#/bookId",
  ]);
});

Deno.test("the schema of HEAD validates a HEAD with its own handler", async () => {
  const route = (most: number) => ({
    schema: { head: { query: z.object({ a: string.max(most) }) } },
    GET: respond,
    HEAD: respond,
  });
  assertEquals(
    await changes(route(9), route(5)),
    ['breaking request-narrowed query#/a: "maxLength" 9 became 5'],
  );
});

Deno.test("a schema that throws is one unknown line", async () => {
  assertEquals(
    await changes(
      post(z.object({ a: string.max(9) })),
      post(
        z.object({ a: string.max(5) }).refine(() => {
          throw new Error();
        }),
      ),
    ),
    [
      'breaking request-narrowed body#/a: "maxLength" 9 became 5',
      'unknown refinement body: the schema of the route refuses {"a":"A"}, which the document accepts: it throws an error',
    ],
  );
});

let document: Promise<string> | undefined;

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
    document ??= documentOf(exampleFolder("bookshop"), "main.ts");
    await using earlier = await TestFolder.create({
      "api.json": await document,
    });
    await using shop = await changedBookshop(file, pair);
    const { stdout, stderr } = await boughIn(
      shop.path,
      ...["diff", "main.ts", `--against=${earlier.path}/api.json`, "--json"],
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
