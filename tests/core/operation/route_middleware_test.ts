/** Middleware that a route file exports (behaviour 5.6). */
import { Framework, RouteError } from "@bough/framework";
import { assertEquals, assertRejects } from "@std/assert";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { ECHO, level, noting, outcome, text } from "./support.ts";

const ok = () => new Response();

/** The name of each middleware that a request passes, outermost first. */
async function passed(
  files: Readonly<Record<string, TestModule>>,
  method: string,
): Promise<string> {
  const passes: string[][] = [];
  for (const lazy of [false, true]) {
    const application = TestApplication.of(files, { lazy });
    const { status, headers } = await application.fetch("/api", { method });
    const names = headers.get("x-seen")?.split(", ") ?? [];
    passes.push([
      `${status}`,
      ...names.map((name) => name.split(" ")[0]!).reverse(),
    ]);
  }
  assertEquals(passes[0], passes[1]);
  return passes[0]!.join(" ");
}

/** The faults of the exports of one route file, below other files. */
async function faultsBelow(
  exports: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, TestModule>> = {},
): Promise<readonly string[]> {
  const manifest = { ...files, "route.ts": exports };
  const error = await assertRejects(
    () => new Framework({ manifest }).start(),
    RouteError,
  );
  return error.faults.map(({ path, reason }) => `${path}: ${reason}`);
}

const LIST = [noting("one"), noting("two")];
const BY_METHOD = {
  GET: [noting("get")],
  POST: [noting("a"), noting("b")],
};
const OWN = {
  HEAD: [noting("head")],
  OPTIONS: [noting("options")],
};

Deno.test("a list runs for every request to the route, inside the folders, and an object for the handler of its key (behaviour 5.6)", async () => {
  const more = { ...ECHO, HEAD: ok, OPTIONS: ok };
  for (
    const [exports, outcomes] of [
      [{ ...ECHO, middleware: LIST }, {
        GET: "200 folder one two",
        HEAD: "200 folder one two",
        POST: "200 folder one two",
        OPTIONS: "204 folder one two",
        PUT: "405 folder one two",
        BREW: "501 folder one two",
      }],
      [{ ...ECHO, middleware: BY_METHOD }, {
        GET: "200 folder get",
        HEAD: "200 folder get",
        POST: "200 folder a b",
        OPTIONS: "204 folder",
        PUT: "405 folder",
      }],
      // The key GET does not cover a HEAD with its own handler.
      [{ ...more, middleware: BY_METHOD }, { HEAD: "200 folder" }],
      [{ ...more, middleware: OWN }, {
        GET: "200 folder",
        HEAD: "200 folder head",
        OPTIONS: "200 folder options",
      }],
    ] as const
  ) {
    const files = { "middleware.ts": level("folder", {}), "route.ts": exports };
    for (const [method, expected] of Object.entries(outcomes)) {
      assertEquals(await passed(files, method), expected, method);
    }
  }
});

Deno.test("contracts of a route's middleware check requests as those of a folder do (behaviour 5.6)", async () => {
  const contracts = [{ query: text("a") }, {
    query: text("b"),
    methods: ["GET"],
  }];
  const own = noting("own", ...contracts);
  const schema = { get: { query: text("c") }, post: { query: text("c") } };
  const [asFolder, asList, asObject] = [
    { "middleware.ts": { default: own }, "route.ts": { ...ECHO, schema } },
    { "route.ts": { ...ECHO, schema, middleware: [own] } },
    {
      "route.ts": { ...ECHO, schema, middleware: { GET: [own], POST: [own] } },
    },
  ].map((files) => TestApplication.of(files));
  for (const method of ["GET", "HEAD", "POST", "PUT", "OPTIONS"]) {
    for (const query of ["", "?a=1", "?a=1&b=1", "?a=1&c=1", "?a=1&b=1&c=1"]) {
      const target = `/api${query}`;
      const expected = await outcome(asFolder!, target, { method });
      assertEquals(await outcome(asList!, target, { method }), expected);
      if (method === "PUT" || method === "OPTIONS") continue;
      assertEquals(await outcome(asObject!, target, { method }), expected);
    }
  }
});

Deno.test("a contract by method covers only the requests of its key (behaviour 5.6)", async () => {
  const guard = noting("own", { security: [{ bearer: [] }] });
  const application = TestApplication.of({
    "route.ts": {
      GET: ({ security }) => Response.json(security ?? "none"),
      POST: ({ security }) => Response.json(security ?? "none"),
      middleware: { POST: [guard] },
    },
  });
  const read = async (method: string) =>
    await (await application.fetch("/api", { method })).json();
  assertEquals(await read("GET"), "none");
  assertEquals(await read("POST"), [{ bearer: [] }]);
  const [route] = await application.app.routes();
  assertEquals(route!.operations.get("GET")!.security, undefined);
  const { value, file } = route!.operations.get("POST")!.security!;
  assertEquals([value, file], [[{ bearer: [] }], "route.ts"]);
});

Deno.test("app.routes() names the route file, and the methods of an object (behaviour 9.7)", async () => {
  const own = noting("own");
  const application = TestApplication.of({
    "middleware.ts": level("folder", {}),
    "a/route.ts": { ...ECHO, middleware: [own, own] },
    "b/route.ts": { ...ECHO, middleware: { GET: [own, own], POST: [own] } },
    "c/route.ts": ECHO,
  });
  const routes = await application.app.routes();
  assertEquals(routes.map(({ middleware }) => middleware), [
    ["middleware.ts", "a/route.ts"],
    ["middleware.ts", "b/route.ts (GET, POST)"],
    ["middleware.ts"],
  ]);
});

Deno.test("an invalid export middleware prevents startup (behaviour 5.6)", async () => {
  const list =
    "must be a list of functions, such as [(request, next) => next()]";
  const any = `${list}, or an object of such lists by method`;
  const middleware = "must be a function, such as (request, next) => next()";
  for (
    const [value, ...reasons] of [
      [ok, `middleware ${any}, got a function`],
      [undefined, `middleware ${any}, got undefined`],
      [null, `middleware ${any}, got null`],
      ["x", `middleware ${any}, got "x"`],
      [[], `middleware ${any}, got []`],
      [{}, `middleware ${any}, got an object`],
      [[ok, 5], `middleware[1] ${middleware}, got 5`],
      [
        { GET: [ok], PUT: [ok] },
        "middleware.PUT has no handler; export PUT or remove the key",
      ],
      [
        { get: [ok], HEAD: [ok] },
        'middleware.get is unknown; did you mean "GET"?',
        "middleware.HEAD has no handler; export HEAD or remove the key",
      ],
      [{ GET: ok }, `middleware.GET ${list}, got a function`],
      [{ GET: [] }, `middleware.GET ${list}, got []`],
      [{ POST: [{}] }, `middleware.POST[0] ${middleware}, got an object`],
      [
        { POST: [Object.assign(() => ok(), { contracts: [{ tag: [] }] })] },
        "middleware.POST[0].contracts[0].tag is unknown",
      ],
    ] as const
  ) {
    const found = await faultsBelow({ ...ECHO, middleware: value });
    const expected = reasons.map((reason) => `route.ts: ${reason}`);
    assertEquals(
      found.map((fault, index) => fault.slice(0, expected[index]?.length)),
      expected,
    );
  }
});

Deno.test("a contract of a route's middleware cannot open a guarded route (behaviour 10.7)", async () => {
  const guarded = {
    "middleware.ts": level("guard", { security: [{ b: [] }] }),
  };
  const open = noting("open", { security: [{ b: [] }, {}] });
  const fault =
    'route.ts: contract.security allows anonymous requests, but "middleware.ts" is a guard outside of it; move the file out of the guarded folder, or open single methods with schema.get.security';
  for (const middleware of [[open], { POST: [open] }]) {
    assertEquals(await faultsBelow({ ...ECHO, middleware }, guarded), [fault]);
    const lazy = TestApplication.of({
      ...guarded,
      "route.ts": { ...ECHO, middleware },
    }, { lazy: true });
    await assertRejects(() => lazy.app.routes(), RouteError, fault.slice(10));
  }
  // A guard for another method remains in force.
  const guard = noting("guard", { security: [{ b: [] }] });
  const apart = { ...ECHO, middleware: { GET: [guard], POST: [open] } };
  await TestApplication.of({ "route.ts": apart }).app.start();
});
