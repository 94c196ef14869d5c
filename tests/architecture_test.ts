import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

/** The rooms of the house, lowest first: each imports only from those below. */
const ROOMS = [
  ["src/method.ts", "src/printable.ts", "src/timer.ts"],
  ["src/errors.ts", "src/log_error.ts"],
  ["src/routing/"],
  ["src/http/"],
  ["src/routes/"],
  ["src/plugin.ts"],
  ["src/options.ts"],
  ["src/resolve_options.ts"],
  ["src/scan.ts"],
  [
    "src/drain.ts",
    "src/lasting_server.ts",
    "src/load_routes.ts",
    "src/plugin_routes.ts",
    "src/serve.ts",
    "src/uncaught.ts",
  ],
  ["src/start.ts"],
  ["src/framework.ts"],
  ["mod.ts"],
];

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly type?: { readonly specifier: string };
  }[];
}

const ROOT = new URL("../", import.meta.url).href;

async function modules(): Promise<Map<string, string[]>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "info",
      "--json",
      fromFileUrl(new URL("../mod.ts", import.meta.url)),
    ],
    stderr: "null",
  }).output();
  const graph: { modules: readonly Module[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const all = graph.modules.filter(({ specifier }) =>
    specifier.startsWith(ROOT)
  );
  return new Map(all.map(({ specifier, dependencies = [] }) => [
    specifier.slice(ROOT.length),
    dependencies.flatMap(({ code, type }) => {
      const target = (code ?? type)?.specifier ?? "";
      return [target.startsWith(ROOT) ? target.slice(ROOT.length) : target];
    }),
  ]));
}

function roomOf(path: string): number {
  return ROOMS.findIndex((names) =>
    names.some((name) => path === name || path.startsWith(name))
  );
}

Deno.test("nothing imports upward", async () => {
  const graph = await modules();
  assert(graph.size > 15, `only ${graph.size} modules`);
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

Deno.test("the core depends on @std alone", async () => {
  const outside = [...(await modules()).values()].flat()
    .filter((target) => !/^src\/|^vendor\//.test(target));
  for (const target of outside) {
    assert(/^(?:jsr:\/?|https:\/\/jsr\.io\/)@std\//.test(target), target);
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
