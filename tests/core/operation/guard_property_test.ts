import type { Middleware } from "@bough/framework";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compilePattern } from "../../../src/core/routing/pattern.ts";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { KeptConnection } from "../../support/kept_connection.ts";

const TREES = 100;
const REQUESTS = 50;

const folder = fc.constantFrom("a", "b", "A", "[x]", "(g)", "(h)");
const folders = fc.array(folder, { maxLength: 4 });
const routeFolder = fc.tuple(folders, fc.boolean()).map(([names, wildcard]) =>
  wildcard ? [...names, "[...]"] : names
);
const method = fc.constantFrom(
  ..."GET HEAD POST PUT DELETE OPTIONS PURGE get".split(" "),
);
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constant("/") },
  { weight: 6, arbitrary: fc.constantFrom(..."a b A c 7".split(" ")) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ..."// . .. %2e%2e %2F %5C \\ %61 %41 %62 %2561 ;a ? # %00 %".split(" "),
    ),
  },
);
const target = fc.array(piece, { maxLength: 10 })
  .map((pieces) => "/api/" + pieces.join(""));

const passed = new WeakMap<Request, string[]>();

/** Middleware that adds the name of its folder to the request and to the response. */
const guard = (folder: string): TestModule => ({
  async default(request, next) {
    passed.set(request, [...passed.get(request) ?? [], folder]);
    const response = await next();
    response.headers.append("x-guard", encodeURIComponent(folder));
    return response;
  },
});

const respond = (request: Request) => Response.json(passed.get(request) ?? []);
const ROUTE: TestModule = { GET: respond, POST: respond };

const notePattern: Middleware = async (request, next) => {
  const response = await next();
  if (request.pattern !== undefined) {
    response.headers.set("x-pattern", encodeURIComponent(request.pattern));
  }
  return response;
};

/** The folders of routes by pattern; routes with the same key count once. */
function distinct(routes: readonly string[][]): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const names of routes) {
    // Names of parameters must differ within a path.
    const folders = names.map((name, index) =>
      name === "[x]" ? `[x${index}]` : name
    );
    byKey.set(compilePattern(["api"], folders).key, folders);
  }
  return new Map(
    [...byKey.values()].map((folders) => [
      compilePattern(["api"], folders).text,
      folders,
    ]),
  );
}

Deno.test("a path reaches a guarded route only through its guards", async () => {
  let guarded = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(routeFolder, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.array(fc.tuple(method, target), {
        minLength: REQUESTS,
        maxLength: REQUESTS,
      }),
      async (routeFolders, picks, requests) => {
        const routes = distinct(routeFolders);
        const inside = [...routes.values()].flatMap((names) =>
          names.map((_, depth) => names.slice(0, depth + 1).join("/"))
        );
        const guards = new Set(
          picks.flatMap((pick) => inside[pick % inside.length] ?? []),
        );
        const files = Object.fromEntries([
          ...[...routes.values()].map((names) =>
            [[...names, "route.ts"].join("/"), ROUTE] as const
          ),
          ...[...guards].map((path) =>
            [`${path}/middleware.ts`, guard(path)] as const
          ),
        ]);
        const application = TestApplication.of(files, {
          middleware: [notePattern],
        });
        await using server = await application.serve();
        using client = new KeptConnection(server.port);
        for (const [method, target] of requests) {
          const response = await client.send(
            `${method} ${target} HTTP/1.1\r\nHost: localhost`,
          );
          const pattern = response.headers.get("x-pattern");
          if (pattern === null) {
            assert([400, 404, 501].includes(response.status), target);
            continue;
          }
          const names = routes.get(decodeURIComponent(pattern))!;
          const expected = names
            .map((_, depth) => names.slice(0, depth + 1).join("/"))
            .filter((path) => guards.has(path));
          guarded += expected.length;
          const header = response.headers.get("x-guard");
          const passed = header === null ? [] : header.split(", ");
          assertEquals(
            passed.map(decodeURIComponent),
            expected.toReversed(),
            `${method} ${target}`,
          );
          if (response.status === 200 && response.body !== "") {
            assertEquals(JSON.parse(response.body), expected);
          }
        }
      },
    ),
    { numRuns: TREES },
  );
  assert(guarded > 100, `only ${guarded} guards were passed`);
});
