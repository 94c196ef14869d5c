import { METHODS } from "../../src/core/methods.ts";
import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { dirname, fromFileUrl, join, relative } from "@std/path";
import deno from "../../deno.json" with { type: "json" };
import { TestFolder } from "../support/application.ts";

/** The core, which each application loads, in `src/core/`, lowest first. */
const CORE = [
  "methods.ts common/",
  "routing/",
  "types/ errors.ts own_errors.ts",
  "request/",
  "schema/",
  "operation/",
  "start/",
  "server/",
  "framework.ts",
];

/** The parts that an application may add, in `src/`, lowest first. */
const ADDED = [
  "shared/",
  "client/ hono/ live/ log/ openapi/ uploads/",
  "mcp/ protect/",
  "files/",
  "testing/",
  "diff/",
  "cli/",
  "dev/",
];

/**
 * The modules of the map, lowest first. Each module imports only from its own row and from
 * rows below it, so the core never imports what an application may add.
 */
const ROOMS = [
  ...CORE.map((names) => names.split(" ").map((name) => `src/core/${name}`)),
  ["mod.ts", "src/plumbing.ts"],
  ...ADDED.map((names) => names.split(" ").map((name) => `src/${name}`)),
];

/**
 * The names of the core, outside of `common/`, that contract tests and the comparison of
 * documents import themselves: at most twelve, so that the core may change the rest.
 */
const DIRECT = [
  ...["METHODS", "SCHEMA_PARTS", "allowOf", "contractsFor", "isSafe"],
  ...["jsonMismatch", "lenientForm", "membersIn", "mismatchOf"],
  ...["needsCredentials", "refusedIssues", "workOf"],
];

/** The modules that name several methods together, with the reason. */
const LISTING: Readonly<Record<string, string>> = {
  "src/core/methods.ts": "decides what they mean",
  "src/core/start/declarations.ts": "has an example in a message",
  "src/dev/inspector/copies.ts": "writes commands for curl, which needs no -X",
  "src/mcp/tools.ts": "excludes the methods without content",
  "src/protect/idempotent.ts": "declares its contract",
  "src/protect/preconditions.ts": "declares its contracts",
  "src/testing/operation.ts": "leaves OPTIONS and HEAD to the property methods",
  "src/testing/properties/resource.ts": "sees what PUT and PATCH create",
};

/** The most lines of code that each folder may have; see `CONTRIBUTING.md`. */
const BUDGET: Readonly<Record<string, number>> = {
  "src": 104,
  "src/cli": 3_625,
  "src/client": 1_221,
  "src/core": 407,
  "src/core/common": 898,
  "src/core/operation": 1_092,
  "src/core/request": 1_268,
  "src/core/routing": 596,
  "src/core/schema": 2_683,
  "src/core/server": 507,
  "src/core/start": 2_153,
  "src/core/types": 729,
  "src/dev": 2_995,
  "src/diff": 1_837,
  "src/files": 431,
  "src/hono": 120,
  "src/live": 1_259,
  "src/log": 73,
  "src/mcp": 508,
  "src/openapi": 515,
  "src/protect": 1_357,
  "src/shared": 2_988,
  "src/testing": 7_983,
  "src/uploads": 852,
};

const ROOT = new URL("../../", import.meta.url).href;
const ENTRY_POINTS = Object.entries<string>(deno.exports)
  .map(([name, path]) => [name, new URL(path, ROOT).href] as const);

interface Reference {
  readonly specifier: string;
}

interface Module extends Reference {
  readonly dependencies?: readonly {
    readonly code?: Reference;
    readonly type?: Reference;
    readonly isDynamic?: boolean;
  }[];
}

/** All modules that the entry points import, types and other packages included. */
const ALL: readonly Module[] = await allModules();

/** The imports of each module. */
const IMPORTS: ReadonlyMap<string, readonly string[]> = importsOf(ALL);

/** The imports of each module, except those by `import()`. */
const STATIC_IMPORTS: ReadonlyMap<string, readonly string[]> = importsOf(
  ALL.map(({ specifier, dependencies = [] }) => ({
    specifier,
    dependencies: dependencies.filter(({ isDynamic }) => !isDynamic),
  })),
);

/**
 * The imports of each module of the package, without the pages that it imports as text;
 * paths of the package start at its root.
 */
const MODULES: ReadonlyMap<string, readonly string[]> = new Map(
  [...IMPORTS].map(([url, targets]) =>
    [pathOf(url), targets.map(pathOf).filter(isModule)] as const
  ).filter(([path]) => isModule(path) && /^(?:mod\.ts|src\/)/.test(path)),
);

function isModule(path: string): boolean {
  return !path.endsWith(".md");
}

async function allModules(): Promise<readonly Module[]> {
  await using folder = await TestFolder.create({
    "all.ts": ENTRY_POINTS.map(([, url]) => `import "${url}";`).join("\n"),
  });
  const { modules } = await denoJson("info", join(folder.path, "all.ts")) as {
    modules: Module[];
  };
  return modules;
}

function importsOf(modules: readonly Module[]): Map<string, string[]> {
  return new Map(modules.map(({ specifier, dependencies = [] }) => [
    specifier,
    dependencies.map(({ code, type }) => (code ?? type)?.specifier ?? ""),
  ]));
}

async function denoJson(command: string, file: string): Promise<unknown> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [command, "--json", file],
    cwd: fromFileUrl(ROOT),
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

function pathOf(url: string): string {
  return url.startsWith(ROOT) ? url.slice(ROOT.length) : url;
}

/** The modules that a module loads, itself included. */
function loadedBy(
  module: string,
  graph: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const loaded = new Set([module]);
  for (const each of loaded) {
    for (const target of graph.get(each) ?? []) loaded.add(target);
  }
  return loaded;
}

/** The row of a module in `ROOMS`. A row with the name of the module comes first. */
function roomOf(path: string): number {
  const own = ROOMS.findIndex((names) => names.includes(path));
  return own !== -1
    ? own
    : ROOMS.findIndex((names) => names.some((name) => path.startsWith(name)));
}

Deno.test("a module imports only from modules below it in the map", () => {
  assert(MODULES.size > 80, `only ${MODULES.size} modules`);
  const upward = [];
  for (const [path, targets] of MODULES) {
    assert(roomOf(path) !== -1, `ROOMS has no row for ${path}`);
    for (const target of targets) {
      if (target.startsWith("src/") && roomOf(target) > roomOf(path)) {
        upward.push(`${path} imports ${target}`);
      }
    }
  }
  assertEquals(upward, []);
});

Deno.test("testing/ and diff/ import the core through shared/, except for these names", async () => {
  const found = new Set<string>();
  for (const [path, targets] of MODULES) {
    if (!/^src\/(?:testing|diff)\//.test(path)) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const target of targets) {
      if (!/^src\/core\/(?!common\/)/.test(target)) continue;
      const names = namesFrom(text, target);
      // Such as `import()`, which gives all names.
      if (names.length === 0) found.add(`${path} imports ${target}`);
      for (const name of names) found.add(name);
    }
  }
  assertEquals([...found].sort(), DIRECT);
  assert(DIRECT.length <= 12, `${DIRECT.length} names`);
});

Deno.test("methods.ts decides what a method means", async () => {
  const method = `(?:${METHODS.join("|")})`;
  const several = new RegExp(
    `\\b${method}\\b"?(?:\\||, "|" \\|\\| .*")${method}\\b`,
  );
  const found: string[] = [];
  for (const path of MODULES.keys()) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const code = text.replaceAll(/^ *(?:\/\*\*|\*|\/\/).*$/gm, "");
    if (several.test(code)) found.push(path);
  }
  assertEquals(found.sort(), Object.keys(LISTING));
});

/** The names that a module imports or exports from another module, by its file name. */
function namesFrom(text: string, target: string): string[] {
  return [...text.matchAll(/^(?:im|ex)port ([^;"]*?) from "([^"]+)";$/gm)]
    .filter(([, , specifier]) =>
      specifier!.endsWith(target.replace("src/core/", "/core/"))
    )
    .flatMap(([, names]) =>
      names!.replaceAll(/\btype\b|[{}\s]/g, "").split(",")
    )
    .filter((name) => name !== "");
}

Deno.test("shared/ re-exports nothing, so that its names are its own", async () => {
  for (const path of MODULES.keys()) {
    if (!path.startsWith("src/shared/")) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    assertEquals(/^export (?:type )?[*{].*/m.exec(text)?.[0], undefined, path);
  }
});

Deno.test("imports have no cycles", () => {
  const done = new Set<string>();

  /** The imports from a module to itself; empty without a cycle. */
  function circle(path: string, way: readonly string[]): readonly string[] {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of MODULES.get(path) ?? []) {
      const found = circle(target, [...way, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  }

  for (const path of MODULES.keys()) assertEquals(circle(path, []), []);
});

Deno.test("the client does not load the type of requests, which requires the types of Deno", () => {
  const loaded = loadedBy(
    "src/client/mod.ts",
    new Map([...MODULES].map(([path, targets]) => [
      path,
      targets.filter((target) => /^src\/(?:client|core\/types)\//.test(target)),
    ])),
  );
  assert(loaded.has("src/core/types/route_map.ts"));
  assert(!loaded.has("src/core/types/request.ts"));
});

Deno.test("the core imports only @std, for one system, and its modules are ASCII", async () => {
  const core = roomOf("mod.ts");
  for (const [path, targets] of MODULES) {
    if (roomOf(path) > core) continue;
    const wrong = targets.filter((target) =>
      // Modules that choose a system load Node's modules at startup.
      /@std\/path(?!.*\/(?:posix|windows)\/)/.test(target) ||
      !/^src\/|^vendor\/|^(?:jsr:\/?|https:\/\/jsr\.io\/)@std\//.test(target)
    );
    // It decompresses bodies with Node's modules.
    const isInflate = path === "src/core/request/inflate.ts";
    const others = wrong.filter((each) => !isInflate || !/^node:/.test(each));
    assertEquals(others, [], path);
    const text = await Deno.readTextFile(new URL(path, ROOT));
    // V8 loads ASCII faster.
    // deno-lint-ignore no-control-regex
    assertEquals(/[^\x00-\x7f]/.exec(text)?.[0], undefined, path);
  }
});

/** Modules that an entry point loads only by `import()`. */
const ON_DEMAND: readonly (readonly [entry: string, modules: RegExp])[] = [
  // A dev.ts may do without the inspector.
  ["./dev", /\bzod\b|src\/(?:cli|mcp|openapi)\/|dev\/inspector\//],
  // Only a walk through a folder needs @std/fs, which loads Node's modules.
  [".", /@std\/fs/],
];

Deno.test("entry points import on demand what few programs need", () => {
  for (const [entry, modules] of ON_DEMAND) {
    const [, url] = ENTRY_POINTS.find(([name]) => name === entry)!;
    const extra = (graph: typeof IMPORTS) =>
      [...loadedBy(url, graph)].filter((specifier) => modules.test(specifier));
    assert(extra(IMPORTS).length > 0, `nothing was found for ${entry}`);
    assertEquals(extra(STATIC_IMPORTS), [], entry);
  }
  const protocol = /modelcontextprotocol|src\/mcp\/(?:mod|call)\.ts$/;
  const loading = ENTRY_POINTS.filter(([, url]) =>
    [...loadedBy(url, STATIC_IMPORTS)].some((each) => protocol.test(each))
  );
  assertEquals(loading.map(([name]) => name), ["./mcp"]);
});

Deno.test("routing uses neither files nor Request nor Deno", async () => {
  for (const [path, targets] of MODULES) {
    if (!path.startsWith("src/core/routing/")) continue;
    assertEquals(
      targets.filter((to) => !to.startsWith("src/core/routing/")),
      [],
    );
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const code = text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
    assert(!/\b(?:Deno|Request|Response)\b/.test(code), path);
  }
});

Deno.test("a program that serves a folder loads at most 53 modules of Bough", async () => {
  await using folder = await TestFolder.create({
    "main.ts": `
      import { Framework } from "@bough/framework";
      const app = new Framework({ apiDir: "examples/minimal/api" });
      const server = await app.serve({ hostname: "127.0.0.1", port: 0 });
      const url = \`http://127.0.0.1:\${server.addr.port}/api/hello\`;
      console.log(await (await fetch(url)).text());
      await server.shutdown();
    `,
  });
  const coverage = join(folder.path, "coverage");
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", "--config=deno.json"],
      ...[`--coverage=${coverage}`, join(folder.path, "main.ts")],
    ],
    cwd: fromFileUrl(ROOT),
    stderr: "null",
  }).output();
  assertEquals(new TextDecoder().decode(stdout).trim(), "Hello!");
  const loaded = [];
  for await (const { name } of Deno.readDir(coverage)) {
    if (!name.endsWith(".json")) continue;
    const { url } = JSON.parse(await Deno.readTextFile(join(coverage, name)));
    if (url.startsWith(ROOT + "src/") || url === ROOT + "mod.ts") {
      loaded.push(url.slice(ROOT.length));
    }
  }
  assert(loaded.length > 30, "modules were not counted");
  assertEquals(loaded.filter((path) => path.startsWith("src/dev/")), []);
  assert(loaded.length <= 53, `${loaded.length}: ${loaded.sort().join(", ")}`);
});

Deno.test("mod.ts exports at most 42 names; types for declarations are in plumbing.ts", async () => {
  const { nodes } = await denoJson("doc", "mod.ts") as {
    nodes: Record<string, { symbols: { name: string }[] }>;
  };
  const [names = []] = Object.values(nodes).map(({ symbols }) =>
    symbols.map(({ name }) => name)
  );
  assert(names.includes("Framework"), "names were not counted");
  assert(names.length <= 42, `${names.length}: ${names.join(", ")}`);
});

Deno.test("each folder of src/ stays within its budget of lines of code", async () => {
  const lines: Record<string, number> = {};
  const root = fromFileUrl(ROOT);
  const options = { includeDirs: false, exts: ["ts", "js", "css", "html"] };
  for await (const { path } of walk(join(root, "src"), options)) {
    const names = dirname(relative(root, path)).split(/[/\\]/);
    const folder = names.slice(0, names[1] === "core" ? 3 : 2).join("/");
    const text = await Deno.readTextFile(path);
    const code = text.replaceAll(/^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*)$/gm, "");
    lines[folder] ??= 0;
    lines[folder] += code.split("\n").filter((line) => line.trim()).length;
  }
  const over = Object.entries(lines)
    .filter(([folder, count]) => !(count <= BUDGET[folder]!))
    .map(([folder, count]) => `${folder} has ${count}`);
  assertEquals(
    over,
    [],
    "remove lines, or raise the number in BUDGET in a commit of its own, which names the lines removed elsewhere, or the gain that users measured",
  );
  // A folder that is gone has no budget.
  assertEquals(Object.keys(BUDGET).sort(), Object.keys(lines).sort());
});

Deno.test("each folder of tests/ mirrors a folder of src/, or has a row in tests/README.md", async () => {
  const page = await Deno.readTextFile(new URL("tests/README.md", ROOT));
  const [text] = page.split("## Instruments");
  const rows = [
    ...text!.matchAll(/^\| `([a-z_/]+(?:\/|_(?:test|slow)\.ts))` /gm),
  ]
    .map(([, name]) => name!);
  const [tests, source] = ["tests", "src"].map((folder) =>
    fromFileUrl(new URL(folder, ROOT))
  ) as [string, string];
  const mirrored = await foldersIn(source);
  const others = [];
  for await (const { name, isDirectory } of Deno.readDir(tests)) {
    if (isDirectory && mirrored.has(name)) {
      const inner = await foldersIn(join(tests, name));
      const added = [...inner.difference(await foldersIn(join(source, name)))];
      // A row for a folder includes the folders below it.
      const highest = added.filter((path) =>
        !added.some((other) => path.startsWith(`${other}/`))
      );
      others.push(...highest.map((path) => `${name}/${path}/`));
    } else if (name !== "README.md") {
      others.push(isDirectory ? `${name}/` : name);
    }
  }
  assertEquals(others.sort(), rows.sort());
});

/** The folders in a folder, as paths from there. */
async function foldersIn(root: string): Promise<Set<string>> {
  const folders = new Set<string>();
  for await (const { path } of walk(root, { includeFiles: false })) {
    folders.add(relative(root, path));
  }
  return folders;
}
