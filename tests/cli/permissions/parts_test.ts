import { assert, assertEquals, assertThrows } from "@std/assert";
import { join, resolve, toFileUrl } from "@std/path";
import { UsageError } from "../../../src/cli/command.ts";
import {
  auditedArgs,
  entryOf,
} from "../../../src/cli/permissions/audited_command.ts";
import {
  expandTasks,
  wordsOf,
} from "../../../src/cli/permissions/command_text.ts";
import { covers, smallest } from "../../../src/cli/permissions/coverage.ts";
import { ModuleGraph } from "../../../src/cli/permissions/graph.ts";
import { Log } from "../../../src/cli/permissions/log.ts";
import { spelled } from "../../../src/cli/permissions/modules.ts";
import { Project } from "../../../src/cli/permissions/project.ts";
import type { Want } from "../../../src/routes/permission_flags.ts";
import type { PermissionKind } from "../../../src/routes/permissions_export.ts";
import { TestFolder } from "../../support/application.ts";

const ROOT = Deno.build.os === "windows" ? "C:\\" : "/";
const FILES = [`--allow-read=${ROOT}`, `--allow-write=${ROOT}`];
const ALL = [
  "--allow-net",
  "--allow-env",
  "--allow-sys",
  "--allow-run",
  "--allow-ffi",
  "--allow-import",
  ...FILES,
];

function wants(kind: PermissionKind, ...values: (string | true)[]): Want[] {
  return values.map((value) => ({ kind, value }));
}

Deno.test("auditedArgs() adds the preload, and lists in place of all files", () => {
  const audited = (line: string, allowAll = true) =>
    auditedArgs(line.split(" "), {
      preload: "file:///p.ts",
      cwd: resolve("/own project"),
      allowAll,
      isUnscoped: (set, kind) => set === "wide" && kind === "read",
    });
  const preload = "--preload=file:///p.ts";
  assertEquals(audited("test"), ["test", preload, ...ALL]);
  assertEquals(audited("test", false), ["test", preload]);
  assertEquals(audited("test api -A"), ["test", preload, "api", ...ALL]);
  assertEquals(audited("run -R --allow-net main.ts -A"), [
    "run",
    preload,
    FILES[0]!,
    "--allow-net",
    "main.ts",
    "-A",
  ]);
  assertEquals(audited("run -W=data npm:x -A"), [
    "run",
    preload,
    "-W=data",
    "npm:x",
    "-A",
  ]);
  assertEquals(audited("test -P=wide"), [
    "test",
    preload,
    FILES[0]!,
    "-P=wide",
  ]);
  assertEquals(audited("test --permission-set=other x"), [
    "test",
    preload,
    "--permission-set=other",
    "x",
  ]);
  for (
    const [module, url] of [
      ["main.ts", toFileUrl(resolve("/own project/main.ts")).href],
      ["jsr:@a/b", "jsr:@a/b"],
    ] as const
  ) {
    const serve = audited(`serve --require own.cjs -E=KEY ${module} x.ts`);
    const [served] = serve.splice(-2, 1);
    assertEquals(serve, ["serve", "--require", "own.cjs", "-E=KEY", "x.ts"]);
    assertEquals(
      decodeURIComponent(served!),
      `data:text/javascript,import "file:///p.ts";
export default (await import("${url}")).default;`,
    );
  }
  assertEquals(audited("fmt -A"), ["fmt", "-A"]);
  assertEquals(entryOf(["run", "-A", "src/main.ts", "x.ts"]), "src/main.ts");
  assertEquals(entryOf(["test", "x_test.ts"]), undefined);
});

Deno.test("expandTasks() puts commands in the place of their tasks", () => {
  const tasks = {
    test: "deno test -A",
    all: { command: "deno task test", dependencies: ["build"] },
    build: { command: "deno run build.ts" },
    group: { dependencies: ["build"] },
    circle: "deno task circle",
  };
  const expand = (text: string) => expandTasks(text, tasks);
  assertEquals(expand("deno test"), "deno test");
  assertEquals(expand("deno task test api/"), "deno test -A api/");
  assertEquals(expand("deno task all"), "deno run build.ts && deno test -A");
  for (const name of ["none", "group", "circle"]) {
    assertThrows(() => expand(`deno task ${name}`), UsageError, "--from names");
  }
});

Deno.test("wordsOf() leaves to a shell what only that understands", () => {
  assertEquals(wordsOf("deno test -A  'a b' --x=\"c d\""), [
    "deno",
    "test",
    "-A",
    "a b",
    "--x=c d",
  ]);
  for (
    const text of [
      "a && b",
      "a | b",
      "a > b",
      "A=1 b",
      "a $HOME",
      'a "$HOME"',
      "a *.ts",
      "a 'b",
    ]
  ) {
    assertEquals(wordsOf(text), undefined, text);
  }
});

Deno.test("covers() knows folders, patterns and ports", () => {
  const cover = (kind: PermissionKind, given: string | true, used: string) =>
    covers({ kind, value: given }, { kind, value: used });
  assert(cover("read", "data", resolve("data/a.txt")));
  assert(cover("read", "data/", "data"));
  assert(!cover("read", "data", "database"));
  assert(!cover("read", "data/a", "data"));
  assert(!cover("read", "data", "other/..data"));
  assert(cover("read", ".", "..data"));
  assert(cover("env", "AWS_*", "AWS_KEY"));
  assert(!cover("env", "AWS", "AWS_KEY"));
  assert(cover("net", "a.example", "a.example:443"));
  assert(!cover("net", "a.example:443", "a.example:80"));
  assert(cover("net", "*.example", "a.example:1"));
  assert(!cover("net", "*.example", "badexample"));
  assert(cover("run", true, "git"));
  assert(!cover("run", "git", "gitx"));
  assert(!covers({ kind: "env", value: "A" }, { kind: "env", value: true }));
  assert(!covers({ kind: "env", value: "A" }, { kind: "sys", value: "A" }));
});

Deno.test("smallest() makes lists that a person can read", () => {
  const files = ["a", "b", "c", "d"].map((name) => resolve("data", name));
  assertEquals(smallest(wants("read", ...files), []), [
    { kind: "read", value: resolve("data") },
  ]);
  assertEquals(smallest(wants("read", ...files.slice(1)), []).length, 3);
  // Not the folder of the project, nor one with more than these.
  const top = ["a", "b", "c", "d"].map((name) => resolve(name));
  assertEquals(smallest(wants("read", ...top), []).length, 4);
  const kept = wants("read", "data/public");
  assertEquals(smallest(wants("read", ...files), kept).length, 5);
  assertEquals(
    smallest(
      [
        ...wants("env", "KEY", "AWS_A"),
        ...wants("net", "a.example:1", "a.example", "b.example:1"),
      ],
      [...wants("env", "AWS_*"), ...wants("read", true)],
    ),
    [
      ...wants("read", true),
      ...wants("net", "a.example", "b.example:1"),
      ...wants("env", "AWS_*", "KEY"),
    ],
  );
  assertEquals(smallest(wants("env", "A", true, "B"), []), wants("env", true));
});

Deno.test("Log folds entries, and reads what Deno writes", async () => {
  const entry = (
    permission: string,
    value: string | null,
    ...stack: string[]
  ) =>
    JSON.stringify({
      v: 1,
      datetime: `${Math.random()}`,
      permission,
      value,
      stack,
    });
  const at = "file:///p/api/route.ts:3:4";
  await using folder = await TestFolder.create({
    "log.jsonl": [
      entry(
        "env",
        "A",
        "Object.getEnv [as get] (ext:deno_os/30_os.js:1:2)",
        `async GET (${at})`,
      ),
      entry(
        "env",
        "A",
        "Object.getEnv [as get] (ext:deno_os/30_os.js:1:2)",
        `async GET (${at})`,
      ),
      entry(
        "env",
        "A",
        "get (ext:x:1:2)",
        "async GET (file:///p/api/route.ts:3:9)",
      ),
      entry("env", null, "Object.toObject (ext:x:1:2)", at),
      entry("env", "true", "get (ext:x:1:2)", at),
      entry("net", "https://a.example/x?y", "fetch (ext:x:1:1)"),
      entry("net", "a.example:443", "mainFetch (ext:x:1:1)"),
      entry("net", "http://b.example:8080/", "fetch (ext:x:1:1)"),
      entry("net", "db.example:443", "connect (ext:x:1:1)"),
      entry("net", "0.0.0.0:80", "listen (ext:x:1:1)", at),
      entry("write", "a.txt", "Object.readTextFileSync (ext:x:1:1)"),
      entry("read", "a.txt", "Object.readTextFileSync (ext:x:1:1)"),
      entry("env", "BOUGH_FOLDER_" + encodeURIComponent(resolve("child"))),
      entry("read", "a.txt", "Object.readTextFileSync (ext:x:1:1)", at),
      entry("env", "BOUGH_RUN_" + encodeURIComponent("/bin/my git")),
      entry("magic", "x"),
      // What the preload left the stack out of is known, or shared.
      entry("env", "A", "<anonymous> (ext:deno_os/30_os.js:1:2)"),
      entry("env", "B", "<anonymous> (ext:deno_os/30_os.js:1:2)"),
      '{"v":1,"permission":"env","val',
    ].join("\n"),
  });
  const log = new Log(resolve("."));
  await log.add(join(folder.path, "log.jsonl"));
  const frame = { url: "file:///p/api/route.ts", line: 3 };
  assertEquals(log.accesses, [
    { kind: "env", value: "A", frames: [{ ...frame, name: "GET" }] },
    { kind: "env", value: true, frames: [frame] },
    { kind: "env", value: "true", frames: [frame] },
    { kind: "net", value: "a.example", frames: [] },
    { kind: "net", value: "b.example:8080", frames: [] },
    { kind: "net", value: "db.example:443", frames: [] },
    { kind: "net", value: "0.0.0.0:80", frames: [frame], isListening: true },
    { kind: "read", value: resolve("a.txt"), frames: [] },
    { kind: "read", value: resolve("child/a.txt"), frames: [frame] },
    { kind: "run", value: "/bin/my git", frames: [] },
    { kind: "env", value: "B", frames: [] },
  ]);
});

Deno.test("Log knows whether every process had the preload", async () => {
  const entry = (permission: string, value: string) =>
    JSON.stringify({ permission, value, stack: [] });
  await using folder = await TestFolder.create({
    "seen.jsonl": [entry("env", "BOUGH_FOLDER_"), entry("read", "a")].join(
      "\n",
    ),
    "check.jsonl": entry("import", "jsr.io:443"),
    "empty.jsonl": "",
    "other.jsonl": entry("env", "A"),
  });
  const log = new Log(resolve("/p"));
  for (const name of ["seen", "check", "empty"]) {
    await log.add(join(folder.path, `${name}.jsonl`));
    assert(log.seesRun, name);
  }
  assertEquals(log.accesses[0]?.value, resolve("/p/a"));
  await log.add(join(folder.path, "other.jsonl"));
  assert(!log.seesRun);
});

Deno.test("ModuleGraph follows packages, and leaves out what only the framework uses", () => {
  const framework = new URL("../../../mod.ts", import.meta.url).href;
  const code = (...specifiers: string[]) =>
    specifiers.map((specifier) => ({ code: { specifier } }));
  const graph = new ModuleGraph({
    modules: [
      {
        specifier: "file:///a.ts",
        dependencies: [...code("npm:x@1", framework), {}],
      },
      { specifier: framework, dependencies: code("npm:y@1") },
      { specifier: "npm:/x@1.0.0", npmPackage: "x@1.0.0" },
      { specifier: "npm:/y@1.0.0", npmPackage: "y@1.0.0" },
    ],
    redirects: { "npm:x@1": "npm:/x@1.0.0", "npm:y@1": "npm:/y@1.0.0" },
    npmPackages: {
      "x@1.0.0": { dependencies: ["@s/z@2.0.0_x@1.0.0"] },
      "@s/z@2.0.0_x@1.0.0": { dependencies: ["x@1.0.0"] },
    },
  });
  const z =
    "file:///p/node_modules/.deno/@s+z@2.0.0/node_modules/@s/z/index.js";
  const y = "file:///cache/npm/registry.example/y/1.0.0/y.js";
  assert(graph.uses("file:///a.ts", z));
  assert(graph.reaches("file:///a.ts", y));
  assert(!graph.uses("file:///a.ts", y));
  assert(!graph.reaches("file:///a.ts", "file:///b.ts"));
  assertEquals(spelled(z), "npm:@s/z");
  assertEquals(
    spelled("https://jsr.io/@std/fs/1.0.0/walk.ts"),
    "jsr:@std/fs@1.0.0",
  );
  assertEquals(spelled("https://esm.sh/x"), "https://esm.sh/x");
  assertEquals(spelled(import.meta.url), "tests/cli/permissions/parts_test.ts");
});

Deno.test("Project reads sets of each form, and writes only what differs", async () => {
  await using folder = await TestFolder.create({
    "below/x": "",
    "deno.jsonc": `{
  "permissions": {
    // For the server.
    "serve": {
      // The routes.
      "read": ["./api"],
      "net": true,
      "env": { "allow": ["A"], "deny": ["SECRET"] },
      "run": false
    }
  },
}
`,
  });
  const below = join(folder.path, "below");
  const project = Project.find(below)!;
  const api = join(folder.path, "api");
  assertEquals(project.set("serve"), [
    ...wants("read", api),
    ...wants("net", true),
    ...wants("env", "A"),
  ]);
  assertEquals(project.set("none"), undefined);
  assert(project.isUnscoped("serve", "net"));
  assert(!project.isUnscoped("serve", "read"));
  assert(!project.isUnscoped("none", "read"));

  const outside = join(ROOT, "outside");
  project.write("serve", [
    ...wants("read", api),
    ...wants("write", outside, join(folder.path, "data")),
    ...wants("env", "B", "A"),
  ]);
  const text = await Deno.readTextFile(project.path);
  assert(text.includes("// For the server.\n"), text);
  assert(text.includes("// The routes.\n"), text);
  const again = Project.find(folder.path)!;
  assertEquals(again.set("serve"), [
    ...wants("read", api),
    ...wants("write", join(folder.path, "data"), outside),
    ...wants("env", "A", "B"),
  ]);
  assert(text.includes('"SECRET"'), text);

  for (const indent of ["\t", "    ", "  "]) {
    for (const eol of ["\n", "\r\n"]) {
      const form = (value: unknown) =>
        JSON.stringify(value, null, indent).replaceAll("\n", eol);
      await folder.write("deno.jsonc", form({ imports: {}, vendor: true }));
      Project.find(below)!.write("serve", wants("env", "A"));
      assertEquals(
        await Deno.readTextFile(project.path),
        form({
          imports: {},
          vendor: true,
          permissions: { serve: { env: ["A"] } },
        }),
      );
    }
  }
  const parent = resolve(folder.path, "..");
  Project.find(below)!.write("up", wants("read", parent, join(parent, "x")));
  assertEquals(
    Project.find(below)!.set("up"),
    wants("read", parent, join(parent, "x")),
  );

  await folder.write("deno.jsonc", "{ no JSON");
  assertThrows(() => Project.find(below), UsageError, "is no JSON");
});

Deno.test("ModuleGraph.read() leaves no folder behind", async () => {
  await using folder = await TestFolder.create({ "a.ts": "export {};" });
  const name = Deno.build.os === "windows" ? "TMP" : "TMPDIR";
  const before = Deno.env.get(name);
  const root = toFileUrl(join(await Deno.realPath(folder.path), "a.ts")).href;
  Deno.env.set(name, folder.path);
  try {
    const graph = await ModuleGraph.read([root], undefined);
    assert(graph.reaches(root, root));
  } finally {
    if (before === undefined) Deno.env.delete(name);
    else Deno.env.set(name, before);
  }
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), [
    "a.ts",
  ]);
});
