// Slow: 300 trees, each loaded in four ways, 4 CPU seconds.
/** Eager and lazy routes, of folders and of manifests, respond in the same way. */
import {
  errorFormat,
  Framework,
  HttpError,
  type RouteManifest,
} from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { z } from "zod";
import { pathBelow } from "../../../src/core/start/discover.ts";
import {
  CapturedLog,
  TestFolder,
  type TestModule,
} from "../../support/application.ts";
import { discovered } from "../../support/discovery.ts";

const TREES = 300;

const OPTIONAL = { requiredKeys: [] };
const schemas = {
  query: fc.constant(z.object({ q: z.coerce.number() })),
  headers: fc.constant(z.object({ h: z.string() })),
  deprecated: fc.constantFrom(false, { sunset: "2026-12-31", use: "/[x0]" }),
};
const contract = fc.record({
  ...schemas,
  methods: fc.constantFrom(["GET"], ["POST", "PUT"]),
  security: fc.constantFrom([{ bearer: [] }], [{ bearer: [] }], []),
}, OPTIONAL);
const schema = fc.record({
  ...schemas,
  security: fc.constantFrom([], [{ bearer: ["admin"] }]),
}, OPTIONAL);
const body = fc.record(
  { body: fc.constant(z.object({ b: z.number() })) },
  OPTIONAL,
);

type Seen = Parameters<NonNullable<TestModule["GET"]>>[0];
const seen = ({ params, pattern, security, validated }: Seen) =>
  JSON.stringify([params, pattern, security, validated]);

/** A guard by security or by a header, which adds what it sees to the response. */
const run: NonNullable<TestModule["default"]> & CallableFunction = async (
  request,
  next,
) => {
  const before = seen(request as Seen);
  const scopes = request.headers.get("scopes");
  const [way] = request.security ?? [];
  const isAllowed = way === undefined ||
    scopes !== null && way.bearer!.every((scope) => scope === scopes);
  if (!isAllowed) throw new HttpError(401, before);
  if (request.headers.get("refused") === "1") {
    return new Response(before, { status: 403 });
  }
  if (request.headers.has("reads")) await request.text();
  const response = await next();
  response.headers.append("x-seen", before + seen(request as Seen));
  return response;
};
const guard = fc.record({
  contract,
  errors: fc.constant(errorFormat({
    contentType: "application/json",
    schema: z.object({ failed: z.number() }),
    format: ({ status }) => ({ failed: status }),
  })),
}, { requiredKeys: ["contract"] }).map((exports): TestModule => ({
  ...exports,
  default: run,
}));
// A contract that opens a guarded route prevents the import.
const closed = contract.filter(({ security }) => security?.length !== 0);
/** The middleware that a route file exports: a list, or an object by method. */
const list = fc.array(
  fc.array(closed, { maxLength: 2 }).map((contracts) =>
    Object.assign(run.bind(null), { contracts })
  ),
  { minLength: 1, maxLength: 2 },
);
const own = fc.option(
  fc.oneof(
    list,
    fc.record({ GET: list, POST: list }, { requiredKeys: ["POST"] }),
  ),
  { nil: undefined, freq: 3 },
);

/** A route whose handlers respond with what they see, or throw. */
const working = fc.tuple(schema, body, own).map((
  [schema, body, middleware],
): TestModule => {
  const respond = async (request: Seen) => {
    const isThrown = !request.headers.has("h") || request.url.endsWith("=x");
    if (isThrown) throw new Error("secret");
    const rest = await request.text().catch(({ name }) => name);
    return new Response(seen(request) + rest);
  };
  return {
    schema: { get: schema, post: { ...schema, ...body } },
    GET: respond,
    POST: respond,
    ...(middleware && { middleware }),
  };
});
/** A route whose import fails if it is lazy; if it is eager, it handles no request. */
const BROKEN: TestModule = { PATCH: () => new Response() };
const route = fc.oneof(
  { arbitrary: working, weight: 4 },
  fc.constant(BROKEN),
);

// Names of parameters must differ within a path.
const folders = fc.array(fc.constantFrom("a", "b", "[x]", "(g)"), {
  maxLength: 3,
}).map((names) =>
  names.map((name, index) => name === "[x]" ? `[x${index}]` : name)
);
const tree = fc.record({
  guards: fc.array(fc.tuple(folders, guard), { maxLength: 5 }),
  routes: fc.array(fc.tuple(folders, route), { minLength: 1, maxLength: 4 }),
});
type Tree = typeof tree extends fc.Arbitrary<infer Value> ? Value : never;

const METHODS = [
  "GET",
  "GET",
  "HEAD",
  "POST",
  "POST",
  "PUT",
  "OPTIONS",
  "BREW",
];
const requests = fc.array(
  fc.record({
    route: fc.nat(),
    method: fc.constantFrom(...METHODS),
    query: fc.constantFrom("", "?q=1", "?q=x"),
    headers: fc.dictionary(
      fc.constantFrom("h", "scopes", "refused", "reads"),
      fc.constantFrom("admin", "1"),
    ).map((headers) => ({ "content-type": "application/json", ...headers })),
    body: fc.constantFrom('{"b":1}', "{}", "["),
  }),
  { minLength: 12, maxLength: 12 },
);

/** Writes the empty files of a tree; returns the exports by path. */
async function write(
  { guards, routes }: Tree,
  folder: TestFolder,
): Promise<Map<string, TestModule>> {
  const modules = new Map([
    ...guards.map(([at, each]) =>
      [[...at, "middleware.ts"].join("/"), each] as const
    ),
    ...routes.map(([at, each]) =>
      [[...at, "r", "route.ts"].join("/"), each] as const
    ),
  ]);
  for (const path of modules.keys()) await folder.write(join("api", path), "");
  return modules;
}

type Outcome = readonly [
  status: number,
  headers: readonly (readonly [string, string])[],
  body: string,
];

/** The responses to requests that arrive at once; the error if startup fails. */
async function outcomesOf(
  app: Framework,
  sent: readonly { readonly url: string; readonly init: RequestInit }[],
): Promise<readonly Outcome[] | string> {
  try {
    await app.start();
  } catch (error) {
    return (error as Error).name;
  }
  return await Promise.all(sent.map(async ({ url, init }): Promise<Outcome> => {
    const response = await app.fetch(new Request(url, init));
    return [response.status, [...response.headers], await response.text()];
  }));
}

/** The outcome of a broken route, or of a route without handlers, if a guard responds. */
function byGuard(outcome: Outcome): Outcome | undefined {
  return [204, 405, 500, 501].includes(outcome[0]) ? undefined : outcome;
}

Deno.test({
  name:
    "300 random trees have the same responses, eager and lazy, as folders and as manifests (behaviour 10.6)",
  ignore: Deno.build.os === "windows",
  async fn() {
    using _log = new CapturedLog();
    const counts = new Map<string | number, number>();
    const count = (what: string | number) =>
      counts.set(what, (counts.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(tree, requests, async (tree, requests) => {
        await using folder = await TestFolder.create({ "api/readme.txt": "" });
        const modules = await write(tree, folder);
        const apiDir = join(folder.path, "api");
        const { files, middleware } = await discovered(apiDir, "");
        const exportsAt = (location: string) =>
          modules.get(location.slice(apiDir.length + 1))!;
        const load = (location: string, lazy: boolean) =>
          lazy && exportsAt(location) === BROKEN
            ? Promise.reject(new Error("broken"))
            : Promise.resolve(exportsAt(location));
        const fromFolder = (lazy: boolean) =>
          new Framework({
            apiDir,
            lazy,
            load: (_dir, path) => load(join(apiDir, path), lazy),
          });
        const fromManifest = (lazy: boolean) => {
          const manifest: Record<string, RouteManifest[string]> = {};
          for (const file of [...files, ...middleware]) {
            manifest[pathBelow(file)] = lazy
              ? () => load(file.location, lazy)
              : exportsAt(file.location);
          }
          return new Framework({ manifest });
        };

        const sent = requests.map(({ route, query, body, ...init }) => {
          const file = files[route % files.length]!;
          const names = file.folders.filter((name) => name !== "(g)");
          const hasBody = /POST|PUT/.test(init.method);
          return {
            url: `http://h/api/${names.join("/")}${query}`,
            init: { ...init, ...(hasBody && { body }) },
            file,
          };
        });
        const eager = await outcomesOf(fromFolder(false), sent);
        const lazy = await outcomesOf(fromFolder(true), sent);
        assertEquals(await outcomesOf(fromManifest(false), sent), eager);
        assertEquals(await outcomesOf(fromManifest(true), sent), lazy);
        if (typeof eager === "string" || typeof lazy === "string") {
          assertEquals(lazy, eager);
          count("startup failed");
          return;
        }
        for (const [index, { url, init, file }] of sent.entries()) {
          const [one, other] = [lazy[index]!, eager[index]!];
          const isBroken = exportsAt(file.location) === BROKEN;
          const what = `${url} ${JSON.stringify(init)}`;
          if (isBroken) assertEquals(byGuard(one), byGuard(other), what);
          else assertEquals(one, other, what);
          count(isBroken ? `broken ${one[0]}` : one[0]);
          if (exportsAt(file.location).middleware !== undefined) {
            count(`own ${one[0]}`);
          }
          if (one[1].some(([name]) => name === "sunset")) count("deprecated");
        }
      }),
      { numRuns: TREES, seed: 43 },
    );
    for (
      const what of [
        ...[200, 204, 400, 401, 403, 405, 500, 501, "broken 500"],
        ...["broken 401", "deprecated", "startup failed"],
        ...["own 200", "own 204", "own 400", "own 401", "own 405"],
      ]
    ) {
      assert((counts.get(what) ?? 0) >= 10, `${what}: ${counts.get(what)}`);
    }
  },
});
