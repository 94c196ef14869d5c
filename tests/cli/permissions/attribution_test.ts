import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { attribute } from "../../../src/cli/permissions/attribution.ts";
import type { AccessPlace, Frame } from "../../../src/cli/permissions/audit.ts";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import { ModuleGraph } from "../../../src/cli/permissions/modules.ts";
import type { Permission } from "../../../src/exports/permissions.ts";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";

const FRAMEWORK = new URL("../../../src/server/serve.ts", import.meta.url).href;
const [A, B] = ["file:///p/api/a/route.ts", "file:///p/api/b/route.ts"];
const MAIN = "file:///p/main.ts";
const LIB = "file:///p/lib/pool.ts";
const TEST = "file:///p/main_test.ts";
const HELPER = "file:///p/helper.ts";
const PLUGIN = "file:///p/plugins/computed.ts";
const EVIL = "file:///p/node_modules/.deno/evil@1.0.0/node_modules/evil/x.js";

const code = (...specifiers: string[]) =>
  specifiers.map((specifier) => ({ code: { specifier } }));

const SOURCES = {
  routes: [A, B],
  entries: [MAIN],
  tests: [TEST],
  start: [{ kind: "read", value: "/p/api" }] as const,
  graph: new ModuleGraph({
    modules: [
      { specifier: A, dependencies: code("npm:/evil@1.0.0", LIB) },
      { specifier: B, dependencies: code(LIB) },
      { specifier: LIB },
      { specifier: MAIN, dependencies: code(FRAMEWORK) },
      { specifier: TEST, dependencies: code(MAIN, HELPER, LIB) },
      { specifier: "npm:/evil@1.0.0", npmPackage: "evil@1.0.0" },
    ],
    redirects: {},
    npmPackages: { "evil@1.0.0": { dependencies: [] } },
  }),
};

function frame(url: string, name?: string): Frame {
  return { url, line: 7, ...(name !== undefined && { name }) };
}

/** Where an access with a stack ends up, in an own list or the other lists. */
function placeOf(
  frames: readonly Frame[],
  { isListening = false, fits = true, isSure = fits, ...want }:
    & Partial<Permission>
    & Partial<AccessPlace> = {},
): unknown {
  const { byFile, shared, implied, tests } = attribute([{
    kind: "env",
    value: "X",
    run: 1,
    missingRun: 1,
    places: [{ frames, fits, isSure, isListening }],
    ...want,
  }], SOURCES);
  const owners = [...byFile].filter(([, uses]) => uses.length > 0);
  if (tests.length > 0) return "tests";
  if (implied.length > 0) return "implied";
  if (shared.length > 0) {
    const [{ file, by, isSure }] = shared as [typeof shared[number]];
    return [isSure ? "shared" : "unknown", file, by?.url];
  }
  return owners.map(([url, uses]) => [url, uses[0]!.by?.url]);
}

Deno.test("an access belongs to the innermost route of its stack, by the dependency", () => {
  assertEquals(
    placeOf([
      frame(EVIL, "steal"),
      frame(LIB, "query"),
      frame(A, "GET"),
      frame(FRAMEWORK, "respond"),
      frame(TEST),
    ]),
    [[A, EVIL]],
  );
  // A route that is called by a handler of another.
  assertEquals(placeOf([frame(A, "GET"), frame(B, "GET")]), [[A, A]]);
});

Deno.test("code at the top level belongs to the routes that import it", () => {
  assertEquals(placeOf([frame(LIB)]), [[A, LIB], [B, LIB]]);
  assertEquals(placeOf([frame(EVIL, "read"), frame(EVIL)]), [[A, EVIL]]);
  assertEquals(placeOf([frame(MAIN)]), ["shared", MAIN, MAIN]);
});

Deno.test("without a route it is shared, with the innermost file of the application", () => {
  assertEquals(placeOf([frame(EVIL, "x"), frame(LIB, "work")]), [
    "shared",
    LIB,
    EVIL,
  ]);
  assertEquals(placeOf([frame(EVIL, "timer")]), ["shared", undefined, EVIL]);
  assertEquals(placeOf([], { fits: false }), [
    "unknown",
    undefined,
    undefined,
  ]);
});

Deno.test("an access is of the tests only if they surely made it", () => {
  assertEquals(placeOf([frame(TEST, "setUp")]), "tests");
  assertEquals(placeOf([frame(HELPER, "read"), frame(TEST)]), "tests");
  assertEquals(placeOf([frame(EVIL, "x"), frame(TEST)]), "tests");
  assertEquals(placeOf([frame(FRAMEWORK, "scan"), frame(TEST)]), "tests");
  const unsure = ["unknown", undefined, TEST];
  assertEquals(placeOf([frame(TEST, "x")], { isSure: false }), unsure);
  assertEquals(placeOf([frame(TEST, "x")], { fits: false }), unsure);
  // Temporary files have other names each time.
  const value = temporaryFolder();
  assertEquals(
    placeOf([frame(TEST)], { kind: "write", value, isSure: false }),
    "tests",
  );
  // The application has a part in it.
  assertEquals(placeOf([frame(HELPER, "x"), frame(A, "GET")]), [[A, HELPER]]);
  assertEquals(placeOf([frame(LIB, "x"), frame(TEST)]), ["shared", LIB, LIB]);
  // It is imported by a name that the graph does not know.
  assertEquals(placeOf([frame(PLUGIN)]), ["shared", PLUGIN, PLUGIN]);
});

Deno.test("what the start needs, and addresses of servers, are no uses", () => {
  const scan = [frame(FRAMEWORK, "scan"), frame(MAIN)];
  assertEquals(placeOf(scan, { kind: "read", value: "/p/api" }), []);
  assertEquals(placeOf(scan, { kind: "read", value: "/p/api/a" }), []);
  assertEquals(
    placeOf([frame(EVIL, "x"), ...scan], { kind: "read", value: "/p/key" }),
    ["shared", MAIN, EVIL],
  );
  assertEquals(placeOf(scan), ["shared", MAIN, MAIN]);
  const listen = {
    kind: "net",
    value: "0.0.0.0:0",
    isListening: true,
  } as const;
  assertEquals(
    placeOf([frame(FRAMEWORK, "serve"), frame(MAIN)], listen),
    "implied",
  );
  // Deno itself does so for "deno serve", and needs no permission for it.
  assertEquals(placeOf([], listen), "tests");
  assertEquals(placeOf([frame(EVIL, "x"), frame(MAIN)], listen), [
    "shared",
    MAIN,
    EVIL,
  ]);
  assertEquals(
    placeOf([frame(FRAMEWORK, "serve"), frame(TEST)], listen),
    "tests",
  );
});

Deno.test("a module that is imported has the stack of something else, or none", () => {
  const read = (value: string) =>
    ({ kind: "read", value, isSure: false }) as const;
  assertEquals(placeOf([frame(B, "GET")], read("/p/lib/pool.ts")), "implied");
  // The program imports it itself.
  assertEquals(placeOf([frame(B, "GET")], read("/p/main.ts")), "tests");
  assertEquals(placeOf([frame(A, "GET")], read("/p/helper.ts")), "tests");
  const unknown = ["unknown", undefined, undefined];
  assertEquals(placeOf([], read("/p/plugins/computed.ts")), unknown);
  assertEquals(placeOf([frame(TEST)], read("/p/data.json")), unknown);
  // This one is read as a file.
  assertEquals(
    placeOf([frame(B, "GET")], { ...read("/p/main.ts"), isSure: true }),
    [[B, B]],
  );
  assertEquals(placeOf([frame(B, "GET")], read("/p/data.txt")), [[B, B]]);
});

Deno.test("several places of one access: a known one counts, and no test hides another", () => {
  const place = (frames: Frame[], fits = true): AccessPlace => ({
    frames,
    fits,
    isSure: fits,
    isListening: false,
  });
  const attributed = (...places: AccessPlace[]) => {
    const { byFile, shared, tests } = attribute([{
      kind: "net",
      value: "db:1",
      run: 1,
      missingRun: 0,
      places,
    }], SOURCES);
    return [byFile.get(A)!.length, shared.length, tests.length];
  };
  const test = place([frame(TEST)]);
  assertEquals(attributed(test, test), [0, 0, 1]);
  assertEquals(attributed(test, place([frame(A, "GET")])), [1, 0, 0]);
  assertEquals(attributed(test, place([frame(TEST)], false)), [0, 1, 0]);
  assertEquals(
    attributed(place([frame(TEST)], false), place([frame(A, "GET")])),
    [1, 0, 0],
  );
  assertEquals(attributed(), [0, 1, 0]);
});

Deno.test("what a folder declares covers its routes, and what its middleware uses", async () => {
  const files = (declared: string) => ({
    "api/(staff)/middleware.js": `${declared}
export default (_, next) => { Deno.env.get("TOKEN"); return next(); };`,
    "api/(staff)/a/route.js":
      `export const GET = () => new Response(Deno.env.get("TOKEN"));`,
    "api/b/route.js":
      `export const GET = () => new Response(Deno.env.get("TOKEN"));`,
    "main_test.ts": testOf("/api/a", "/api/b"),
  });
  const check = (path: string) =>
    boughIn(
      path,
      "permissions",
      "main.ts",
      "--from=deno test --no-check -A main_test.ts",
      "--check",
    );
  await using declared = await createProject(
    files(`export const permissions = { env: ["TOKEN"] };`),
  );
  const { stderr } = await check(declared.path);
  assert(!stderr.includes("(staff)"), stderr);
  assertStringIncludes(
    stderr,
    '"api/b/route.js" (/api/b) used --allow-env=TOKEN',
  );

  await using none = await createProject(files(""));
  const { stderr: all } = await check(none.path);
  assertStringIncludes(
    all,
    '"api/(staff)/middleware.js" used --allow-env=TOKEN',
  );
  assertStringIncludes(all, '"api/(staff)/a/route.js" (/api/a) used');
});

Deno.test("a middleware file that only declares covers its routes, and no folder above", async () => {
  await using folder = await createProject({
    "api/middleware.js":
      `export default (_, next) => { Deno.env.get("INNER"); Deno.env.get("OUTER"); return next(); };
export const permissions = { env: ["OUTER"] };`,
    "api/(staff)/middleware.js":
      `export const permissions = { env: ["INNER", "TOP"] }; Deno.env.get("TOP");`,
    "api/(staff)/deep/middleware.js":
      `export default (_, next) => { Deno.env.get("INNER"); return next(); };`,
    "api/(staff)/deep/route.js":
      `export const GET = () => { Deno.env.get("OUTER"); return new Response(Deno.env.get("INNER")); };`,
    "api/(staff)/deep/below/route.js":
      `export const permissions = { env: ["TOP"] }; export const GET = () => new Response();`,
    "main_test.ts": testOf("/api/deep", "/api/deep/below"),
  });
  const { stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check -A main_test.ts",
    "--check",
  );
  assertEquals(stderr.match(/^"api.*$/gm), [
    '"api/middleware.js" used --allow-env=INNER in api/middleware.js:1, but does not declare it; add env: ["INNER"] to its permissions',
  ], stdout);
});

Deno.test("--listen=env declares what serve({ env: true }) uses", async () => {
  await using folder = await createProject({
    "api/route.js": `export const GET = () => new Response();`,
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
const server = await app.serve({ env: true });
await server.shutdown();`,
  });
  const check = async (...args: string[]) =>
    await boughIn(
      folder.path,
      "permissions",
      "api",
      `--from=deno run --no-check --env-file=own.env -A main.ts`,
      ...args,
    );
  await folder.write("own.env", "PORT=0\nHOST=127.0.0.1\n");
  const undeclared = await check("--check");
  assertEquals(undeclared.code, 1);
  assertStringIncludes(
    undeclared.stderr,
    "the application used --allow-env=HOST",
  );
  assertEquals((await check("--listen=env", "--write=serve")).code, 0);
  const { code, stdout, stderr } = await check(
    "--listen=env",
    "--write=serve",
    "--check",
    "--json",
  );
  assertEquals(code, 0, stderr);
  const { needed } = JSON.parse(stdout);
  assertEquals(needed, [
    { kind: "read", value: "api" },
    { kind: "net", value: "0.0.0.0" },
    { kind: "net", value: "127.0.0.1" },
    { kind: "env", value: "HOST" },
    { kind: "env", value: "PORT" },
  ]);
});

Deno.test("a running server is learned from, with the address that it listens on", async () => {
  await using folder = await createProject({
    "api/route.js": `export const permissions = { env: ["TOKEN"] };
export const GET = () => new Response(Deno.env.get("TOKEN"));`,
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) {
  const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
  await (await fetch("http://127.0.0.1:" + server.addr.port + "/api")).text();
}`,
  });
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "--from=deno run --no-check -A main.ts",
    "--time=2",
    "--json",
  );
  assertEquals(code, 0, stderr);
  const { files, shared, needed } = JSON.parse(stdout);
  assertEquals(files[0].used[0].value, "TOKEN", stderr);
  // It connects to a port that differs from run to run.
  assertEquals(shared, [
    { kind: "net", value: "127.0.0.1", by: "main.ts:5", declared: false },
  ]);
  assertEquals(needed, [
    { kind: "read", value: "api" },
    { kind: "net", value: "127.0.0.1" },
    { kind: "env", value: "TOKEN" },
  ]);
});
