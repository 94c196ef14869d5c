import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { boughIn } from "../cli/support.ts";
import { TestFolder, type TestModule } from "../support/application.ts";
import { route } from "./documents.ts";
import {
  changedBookshop,
  changesOf,
  documentOf,
  exampleFolder,
  get,
  post,
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
const REFINED: Readonly<
  Record<string, readonly [before: z.ZodRawShape, after: z.ZodRawShape]>
> = {
  "a member": [{ a }, { a, b: string.optional() }],
  "an optional member": [
    { a: a.optional() },
    { a: a.optional(), b: string.optional() },
  ],
  "a member next to a wider one": [
    { a, b: string.max(5) },
    { a, b: string.max(9) },
  ],
  "a member of a member": [
    { m: z.object({ a }) },
    { m: z.object({ a, b: string.optional() }) },
  ],
  "a member of items": [
    { m: z.array(z.object({ a })).min(1) },
    { m: z.array(z.object({ a, b: string.optional() })).min(1) },
  ],
  "a member of a branch": [
    { m: z.union([z.object({ kind, a }), z.object({ kind: z.null() })]) },
    {
      m: z.union([
        z.object({ kind, a }),
        z.object({ kind: z.null(), a: string.max(5).optional() }),
        z.object({ kind: z.literal("y") }),
      ]),
    },
  ],
};

for (const [name, pair] of Object.entries(REFINED)) {
  Deno.test(`a refinement of ${name} counts only after a change of it`, async () => {
    const [first, second] = [z.object(pair[0]), z.object(pair[1])] as const;
    assertEquals(await changes(post(first), post(second)), []);
    const inner = [first, second].map((m) => post(z.object({ m })));
    assertEquals(await changes(inner[0]!, inner[1]!), []);
    if (name !== "a member next to a wider one") {
      const refined = [first, second].map((each) =>
        post(each.refine(() => false))
      );
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
  const methods = (most: number) =>
    route({ get: {}, head: { query: z.object({ a: string.max(most) }) } });
  assertEquals(
    await changes(methods(9), methods(5)),
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

Deno.test("in the bookshop, each change has its line, and none is unknown", async () => {
  await using earlier = await TestFolder.create({
    "api.json": await documentOf(exampleFolder("bookshop"), "main.ts"),
  });
  await using shop = await changedBookshop("schemas.ts", {
    '["placed", "packed", "sent"]': '["placed", "sent", "lost"]',
    ".min(0).max(1_000_000)": ".min(1).max(1_000_000)",
    "max(500)": "max(5_000)",
    "/^\\d{1,3}$/": "/^\\d{1,2}$/",
  });
  const { stdout, stderr } = await boughIn(
    shop.path,
    ...["diff", "main.ts", `--against=${earlier.path}/api.json`, "--json"],
  );
  assert(stdout !== "", stderr);
  const found: string[] = JSON.parse(stdout).changes.map((
    { verdict, rule, place }: Record<string, string>,
  ) => `${verdict} ${rule} ${place}`);
  assertEquals([...new Set(found)].sort(), [
    "breaking request-narrowed body#/cents",
    "breaking request-narrowed body#/status",
    "breaking request-narrowed query#/limit",
    "breaking request-narrowed query#/offset",
    "breaking response-widened 200 body#/*/data/status",
    "breaking response-widened 200 body#/status",
    "breaking response-widened 201 body#/status",
  ]);
});
