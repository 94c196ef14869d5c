import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";
import deno from "../../deno.json" with { type: "json" };
import { TestFolder } from "../support/application.ts";

/**
 * The rooms of the house, lowest first: each imports only from those below it, and
 * from itself. Entry points stand above the core, which knows none of them.
 */
const ROOMS = [
  ["src/methods.ts", "src/common/"],
  ["src/routing/"],
  ["src/types/", "src/errors.ts", "src/response.ts"],
  ["src/record/"],
  ["src/body/"],
  ["src/schema/"],
  ["src/request/"],
  ["src/faults.ts", "src/exports/"],
  ["src/options/"],
  ["src/start/"],
  ["src/server/"],
  ["src/framework.ts"],
  ["mod.ts", "src/plumbing.ts"],
  ["src/openapi/types.ts"],
  ["src/openapi/flat_schema.ts", "src/openapi/document/"],
  ["src/openapi/examples/"],
  ["src/openapi/page/"],
  [
    "src/hono/",
    "src/live/",
    "src/log/",
    "src/dev/",
    "src/openapi/",
    "src/uploads/",
  ],
  ["src/mcp/"],
  ["src/protect/"],
  [
    "src/testing/identity.ts",
    "src/testing/operation.ts",
    "src/testing/options.ts",
    "src/testing/patience.ts",
    "src/testing/plan.ts",
    "src/testing/process_watch.ts",
  ],
  ["src/testing/send/"],
  ["src/testing/generate/"],
  ["src/testing/checks.ts"],
  ["src/testing/search/"],
  ["src/testing/report/"],
  ["src/testing/properties/"],
  ["src/client/", "src/testing/"],
  ["src/diff/"],
  ["src/cli/command.ts", "src/cli/files.ts", "src/cli/table.ts"],
  ["src/cli/application.ts", "src/cli/check/", "src/cli/permissions/"],
  ["src/cli/explain.ts", "src/cli/generate/"],
  ["src/cli/"],
];

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly type?: { readonly specifier: string };
  }[];
}

const ROOT = new URL("../../", import.meta.url).href;

/** What each module of the package imports, types included. */
async function modules(): Promise<Map<string, string[]>> {
  const graph = new Map<string, string[]>();
  for (const entryPoint of Object.values<string>(deno.exports)) {
    for (const { specifier, dependencies = [] } of await graphOf(entryPoint)) {
      const path = specifier.slice(ROOT.length);
      if (!specifier.startsWith(ROOT) || !/^(?:mod\.ts|src\/)/.test(path)) {
        continue;
      }
      const targets = dependencies.map(({ code, type }) => {
        const target = (code ?? type)?.specifier ?? "";
        return target.startsWith(ROOT) ? target.slice(ROOT.length) : target;
      });
      graph.set(path, targets);
    }
  }
  return graph;
}

async function graphOf(entryPoint: string): Promise<readonly Module[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fromFileUrl(new URL(entryPoint, ROOT))],
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).modules;
}

/** An entry point is no part of the folder that it stands in. */
function roomOf(path: string): number {
  const own = ROOMS.findIndex((names) => names.includes(path));
  return own !== -1
    ? own
    : ROOMS.findIndex((names) => names.some((name) => path.startsWith(name)));
}

Deno.test("nothing imports upward", async () => {
  const graph = await modules();
  assert(graph.size > 80, `only ${graph.size} modules`);
  const upward = [];
  for (const [path, targets] of graph) {
    assert(roomOf(path) !== -1, `${path} is in no room`);
    for (const target of targets) {
      if (target.startsWith("src/") && roomOf(target) > roomOf(path)) {
        upward.push(`${path} imports ${target}`);
      }
    }
  }
  assertEquals(upward, []);
});

Deno.test("no import leads back to where it came from", async () => {
  const graph = await modules();
  const done = new Set<string>();

  /** The way from a module back to one that is on the way, if there is one. */
  function circle(path: string, way: readonly string[]): readonly string[] {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of graph.get(path) ?? []) {
      const found = circle(target, [...way, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  }

  for (const path of graph.keys()) assertEquals(circle(path, []), []);
});

Deno.test("no module is named like a test: Deno would leave it out of coverage", async () => {
  const names = [...(await modules()).keys()]
    .filter((path) => /(?:^|[/._])test\.[cm]?[jt]sx?$/.test(path));
  assertEquals(names, []);
});

Deno.test("the client loads no type of a handler's request, which needs Deno's", async () => {
  const graph = await modules();
  const reached = new Set(["src/client/mod.ts"]);
  for (const path of reached) {
    for (const target of graph.get(path) ?? []) {
      if (/^src\/(?:client|types)\//.test(target)) reached.add(target);
    }
  }
  assert(reached.has("src/types/route_map.ts"));
  assert(!reached.has("src/types/request.ts"));
});

Deno.test("the core depends on @std alone", async () => {
  const core = roomOf("mod.ts");
  const outside = [...await modules()]
    .filter(([path]) => roomOf(path) <= core)
    .flatMap(([, targets]) => targets)
    .filter((target) => !/^src\/|^vendor\//.test(target));
  for (const target of outside) {
    assert(/^(?:jsr:\/?|https:\/\/jsr\.io\/)@std\//.test(target), target);
  }
});

Deno.test("only the entry point mcp loads the SDK of its protocol", async () => {
  for (const [name, entryPoint] of Object.entries<string>(deno.exports)) {
    const loaded = (await graphOf(entryPoint)).map(({ specifier }) => specifier)
      .filter((specifier) =>
        specifier.includes("modelcontextprotocol") ||
        /src\/mcp\/(?:mod|call)\.ts$/.test(specifier)
      );
    assertEquals(loaded.length > 0, name === "./mcp", `${name} ${loaded}`);
  }
});

Deno.test("what a server loads is ASCII: a text with other characters takes longer to load", async () => {
  const core = roomOf("mod.ts");
  for (const path of (await modules()).keys()) {
    if (roomOf(path) > core) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    // deno-lint-ignore no-control-regex
    assertEquals(/[^\x00-\x7f]/.exec(text)?.[0], undefined, path);
  }
});

Deno.test("matching code knows nothing of files, Request or Deno", async () => {
  for (const [path, targets] of await modules()) {
    if (!path.startsWith("src/routing/")) continue;
    assertEquals(targets.filter((to) => !to.startsWith("src/routing/")), []);
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const code = text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
    assert(!/\b(?:Deno|Request|Response)\b/.test(code), path);
  }
});

Deno.test("the core chooses the system for paths itself, which spares a start Node's modules", async () => {
  const core = roomOf("mod.ts");
  for (const [path, targets] of await modules()) {
    if (roomOf(path) > core) continue;
    const choosing = targets.filter((target) =>
      /@std\/path(?!.*\/(?:posix|windows)\/)/.test(target)
    );
    assertEquals(choosing, [], path);
  }
});

Deno.test("a program that serves a plain folder loads at most 50 modules of Bough", async () => {
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
  assert(loaded.length <= 50, `${loaded.length}: ${loaded.sort().join(", ")}`);
});

Deno.test("mod.ts exports at most 40 names: what only declarations need is in ../types", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", fromFileUrl(new URL("mod.ts", ROOT))],
  }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as {
    nodes: Record<string, { symbols: { name: string }[] }>;
  };
  const [names = []] = Object.values(nodes).map(({ symbols }) =>
    symbols.map(({ name }) => name)
  );
  assert(names.includes("Framework"), "names were not counted");
  assert(names.length <= 40, `${names.length}: ${names.join(", ")}`);
});

Deno.test("each folder of tests/ is one of src/ or has a row in its README", async () => {
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
