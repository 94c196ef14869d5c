import { assertEquals, assertStringIncludes } from "@std/assert";
import { attribute } from "../../../src/cli/permissions/attribution.ts";
import type { AccessPlace, Frame } from "../../../src/cli/permissions/audit.ts";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import { ModuleGraph } from "../../../src/cli/permissions/modules.ts";
import type { Permission } from "../../../src/core/exports/permissions.ts";
import { boughIn } from "../support.ts";
import { createProject, testOf } from "./project.ts";
import { TimeLimit } from "./support.ts";

const FRAMEWORK =
  new URL("../../../src/core/server/serve.ts", import.meta.url).href;
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

/** The routes that own an access with a stack, or the list that has the access. */
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

Deno.test("an access belongs to the innermost route of its stack, and names the dependency", () => {
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
  // A handler that calls the handler of another route.
  assertEquals(placeOf([frame(A, "GET"), frame(B, "GET")]), [[A, A]]);
});

Deno.test("code at the top level belongs to the routes that import it", () => {
  assertEquals(placeOf([frame(LIB)]), [[A, LIB], [B, LIB]]);
  assertEquals(placeOf([frame(EVIL, "read"), frame(EVIL)]), [[A, EVIL]]);
  assertEquals(placeOf([frame(MAIN)]), ["shared", MAIN, MAIN]);
});

Deno.test("an access without a route is shared, and names the innermost file of the application", () => {
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

Deno.test("an access belongs to the tests only if its stack is certain", () => {
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

Deno.test("accesses at startup, and addresses of servers, do not count as uses", () => {
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
  // With "deno serve", Deno itself listens, without a permission.
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

Deno.test("an import may have the stack of another access, or an empty stack", () => {
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

Deno.test("a known place of an access counts, and a test does not hide other places", () => {
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

Deno.test("declarations of a folder cover its routes and its middleware, but not its parents", async () => {
  const get = (name: string) =>
    `export const GET = () => new Response(Deno.env.get("${name}"));`;
  const use = (...names: string[]) =>
    `export default (_, next) => { ${
      names.map((name) => `Deno.env.get("${name}");`).join(" ")
    } return next(); };`;
  await using folder = await createProject({
    "api/(staff)/middleware.js": `${use("TOKEN")}
export const permissions = { env: ["TOKEN"] };`,
    "api/(staff)/a/route.js": get("TOKEN"),
    "api/(open)/middleware.js": use("TOKEN"),
    "api/(open)/b/route.js": get("TOKEN"),
    "api/c/route.js": get("TOKEN"),
    "api/outer/middleware.js": `${use("INNER", "OUTER")}
export const permissions = { env: ["OUTER"] };`,
    // This file only declares.
    "api/outer/(inner)/middleware.js":
      `export const permissions = { env: ["INNER", "TOP"] }; Deno.env.get("TOP");`,
    "api/outer/(inner)/deep/middleware.js": use("INNER"),
    "api/outer/(inner)/deep/route.js":
      `export const GET = () => { Deno.env.get("OUTER"); return new Response(Deno.env.get("INNER")); };`,
    "api/outer/(inner)/deep/below/route.js":
      `export const permissions = { env: ["TOP"] }; export const GET = () => new Response();`,
    "main_test.ts": testOf(
      ...["/api/a", "/api/b", "/api/c", "/api/outer/deep"],
      "/api/outer/deep/below",
    ),
  });
  const { stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "main.ts",
    "--from=deno test --no-check -A main_test.ts",
    "--check",
  );
  const found = stderr.match(/^"api.*? used .*?(?=,| in)/gm);
  assertEquals(
    found?.toSorted(),
    [
      '"api/(open)/b/route.js" (/api/b) used --allow-env=TOKEN',
      '"api/(open)/middleware.js" used --allow-env=TOKEN',
      '"api/c/route.js" (/api/c) used --allow-env=TOKEN',
      '"api/outer/middleware.js" used --allow-env=INNER',
    ],
    stdout,
  );
  assertStringIncludes(
    stderr,
    '"api/outer/middleware.js" used --allow-env=INNER in api/outer/middleware.js:1, but does not declare it; add env: ["INNER"] to its permissions',
  );
});

Deno.test("--listen=env declares the permissions of serve({ env: true })", async () => {
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

Deno.test("--time stops a server, whose accesses include the address that it listens on", async () => {
  await using folder = await createProject({
    "api/route.js": `export const permissions = { env: ["TOKEN"] };
export const GET = () => new Response(Deno.env.get("TOKEN"));`,
    "main.ts": `import { Framework } from "@bough/framework";
export const app = new Framework({ apiDir: "api" });
if (import.meta.main) {
  const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
  await (await fetch("http://127.0.0.1:" + server.addr.port + "/api")).text();
  console.log("served");
}`,
  });
  using limit = new TimeLimit("served");
  const { code, stdout, stderr } = await boughIn(
    folder.path,
    "permissions",
    "--from=deno run --no-check -A main.ts",
    `--time=${limit.seconds}`,
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
