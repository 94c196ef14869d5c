import { assert, assertEquals, assertThrows } from "@std/assert";
import { join, resolve, toFileUrl } from "@std/path";
import { UsageError } from "../../../src/cli/command.ts";
import type { Use } from "../../../src/cli/permissions/attribution.ts";
import { Audit } from "../../../src/cli/permissions/audit.ts";
import {
  covers,
  smallest,
  temporaryFolder,
} from "../../../src/cli/permissions/coverage.ts";
import { Log, permissionOf } from "../../../src/cli/permissions/log.ts";
import {
  displayName,
  ModuleGraph,
} from "../../../src/cli/permissions/modules.ts";
import {
  configOf,
  Project,
  setOf,
  statesOf,
} from "../../../src/cli/permissions/permission_set.ts";
import {
  entriesOf,
  testsOf,
  withPermissions,
} from "../../../src/cli/permissions/shell_command.ts";
import { runUnder, widerThan } from "../../../src/cli/permissions/proof.ts";
import type {
  Permission,
  PermissionKind,
} from "../../../src/exports/permissions.ts";
import { TestFolder } from "../../support/application.ts";

const ROOT = Deno.build.os === "windows" ? "C:\\" : "/";
function wants(
  kind: PermissionKind,
  ...values: (string | true)[]
): Permission[] {
  return values.map((value) => ({ kind, value }));
}

Deno.test("withPermissions() gives all permissions to commands of Deno that have none", () => {
  for (
    const [text, expected] of [
      ["deno test", "deno test -A"],
      ["deno run main.ts x", "deno run -A main.ts x"],
      [
        "a && deno serve main.ts; deno bench",
        "a && deno serve -A main.ts; deno bench -A",
      ],
      ["deno test && deno run -A x.ts", "deno test -A && deno run -A x.ts"],
      ["deno fmt", "deno fmt"],
      ["deno task test", "deno task test"],
    ] as const
  ) assertEquals(withPermissions(text), expected);
  for (
    const flag of [
      "-A",
      "-P",
      "-P=set",
      "--permission-set=set",
      "--allow-all",
      "--allow-env=A",
      "-R=data",
      "-RW",
    ]
  ) {
    assertEquals(
      withPermissions(`deno run ${flag} x.ts`),
      `deno run ${flag} x.ts`,
    );
  }
});

Deno.test("entriesOf() and testsOf() tell modules of the application from tests", () => {
  const text = "deno run -A src/main.ts x.ts && deno test --no-check own.ts";
  assertEquals(entriesOf(text), ["src/main.ts"]);
  assertEquals(entriesOf("deno test x_test.ts"), []);
  for (const end of "ts tsx js jsx mts cts mjs cjs".split(" ")) {
    assertEquals(entriesOf(`deno run -A a.${end} x`), [`a.${end}`]);
  }
  for (const path of ["a.tsv", "a.json", "ats", "a.ts.gz", "a.dts"]) {
    assertEquals(entriesOf(`deno serve ${path}`), [], path);
  }
  const url = (path: string) => toFileUrl(resolve(path)).href;
  assertEquals(
    testsOf(text, [
      url("a_test.ts"),
      url("test.js"),
      url("a.test.tsx"),
      url("__tests__/a.ts"),
      url("a_bench.ts"),
      url("contest.ts"),
      url("test/main.ts"),
    ]),
    [
      "own.ts",
      "a_test.ts",
      "test.js",
      "a.test.tsx",
      "__tests__/a.ts",
      "a_bench.ts",
    ]
      .map(url),
  );
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
  assert(cover("net", "*.example", "example"));
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

Deno.test("Audit reads what Deno writes, and knows which stacks are sure", () => {
  const audit = new Audit();
  const add = (permission: string, value: string | null, ...stack: string[]) =>
    audit.add(JSON.stringify({
      v: 1,
      datetime: `${Math.random()}`,
      permission,
      value,
      ...(stack.length > 0 && { stack }),
    }));
  const at = "file:///p/api/route.ts:3:4";
  const frame = { url: "file:///p/api/route.ts", line: 3 };
  const read = "Object.readTextFileSync (ext:deno_fs/30_fs.js:1:2)";
  const place = {
    frames: [frame],
    fits: true,
    isSure: true,
    isListening: false,
  };
  const places = (kind: PermissionKind, value: string | null) =>
    audit.placesOf(kind, value);

  for (let count = 0; count < 2; count++) add("read", "a", read, at);
  assertEquals(places("read", "a"), [place]);
  assertEquals(places("read", "none"), []);
  // The line is the same, and so may be the stack of what came before.
  add("read", "b", read, at);
  assertEquals(places("read", "b"), [{ ...place, isSure: false }]);
  add("net", "db:5432", read, at);
  assertEquals(places("net", "db:5432"), [
    { ...place, fits: false, isSure: false },
  ]);
  const env = "Object.getEnv [as get] (ext:deno_os/30_os.js:1:2)";
  for (const name of ["A", "null"]) add("env", name, env, `async GET (${at})`);
  assertEquals(places("env", "null"), [
    { ...place, frames: [{ ...frame, name: "GET" }] },
  ]);
  assertEquals(places("env", null), []);
  const fetching = "mainFetch (ext:deno_fetch/26_fetch.js:2:2)";
  add("net", "https://a.example/x?y", fetching, at);
  add("net", "a.example:443", fetching, at);
  add("net", "b.example:443", fetching, at);
  assertEquals(places("net", "a.example:443"), [place]);
  assertEquals(places("net", "b.example:443"), [{ ...place, isSure: false }]);
  add("net", "0.0.0.0:80", "listen (ext:deno_net/01_net.js:1:1)");
  assertEquals(places("net", "0.0.0.0:80"), [
    { frames: [], fits: true, isSure: true, isListening: true },
  ]);
  const next = "op_fs_read_dir_async_next (ext:core/00_infra.js:1:1)";
  add("read", "c.ts", next, at);
  assert(!places("read", "c.ts")[0]!.fits);
  add("import", "esm.sh:443");
  audit.add('{"v":1,"permission":"env","val');
  assertEquals(audit.modules, [frame.url]);

  // In the next run, another access may come first.
  audit.begin();
  add("read", "b", read, at);
  assertEquals(places("read", "b"), [{ ...place, isSure: false }, place]);
});

Deno.test("Audit has the URLs of modules, also where Deno writes their characters as they are", () => {
  const audit = new Audit();
  const stack = ["file:///p/api/caf\u00e9/route.ts:1:1"];
  audit.add(JSON.stringify({ v: 1, permission: "env", value: "KEY", stack }));
  const [{ frames } = { frames: [] }] = audit.placesOf("env", "KEY");
  assertEquals(frames[0]?.url, "file:///p/api/caf%C3%A9/route.ts");
});

Deno.test("Audit knows the modules of Deno that make accesses of a kind", () => {
  // The names of the modules of the program say nothing.
  const at = "file:///fs/worker/net/process/ffi/os.ts:1:1";
  const fits = (kind: PermissionKind, ...inner: string[]) => {
    const audit = new Audit();
    const stack = [...inner, at];
    audit.add(JSON.stringify({ v: 1, permission: kind, value: "x", stack }));
    return audit.placesOf(kind, "x")[0]!.fits;
  };
  const calls = {
    fs: "open (ext:deno_fs/30_fs.js:1:2)",
    node: "Object.open (ext:deno_node/internal/fs/promises.mjs:1:2)",
    worker: "createWorker (ext:runtime/11_workers.js:1:2)",
    net: "connect (ext:deno_net/01_net.js:1:2)",
    tls: "startTls (ext:deno_net/02_tls.js:1:2)",
    http: "request (ext:deno_node/http.ts:1:2)",
    os: "getEnv (ext:deno_os/30_os.js:1:2)",
    process: "get (ext:deno_node/_process/process.ts:1:2)",
    ffi: "dlopen (ext:deno_ffi/00_ffi.js:1:2)",
  };
  const kinds = ["read", "write", "net", "env", "sys", "ffi", "run"] as const;
  const found = Object.fromEntries(kinds.map((kind) => [
    kind,
    Object.entries(calls).filter(([, call]) => fits(kind, call))
      .map(([name]) => name),
  ]));
  assertEquals(found, {
    read: ["fs", "node", "worker"],
    write: ["fs", "node"],
    net: ["net", "tls", "http"],
    env: ["os", "process"],
    sys: ["os", "process"],
    ffi: ["ffi"],
    run: [],
  });
  // These only log the stack of an earlier access.
  for (const name of ["op_read_next", "fchmodSync", "fchown"]) {
    const call = `${name} (ext:deno_fs/30_fs.js:1:2)`;
    for (const kind of ["read", "write"] as const) {
      assert(!fits(kind, call), name);
      assert(!fits(kind, calls.fs, call), name);
    }
  }
});

Deno.test("permissionOf() spells a path from the root, and the folder for temporary files", () => {
  const { pid } = Deno;
  const of = (kind: PermissionKind, value: string | null) =>
    permissionOf({ kind, value, pid }).value;
  assertEquals(of("write", "<TMP>"), temporaryFolder());
  assertEquals(of("env", null), true);
  assertEquals(of("read", "data/a"), resolve("data/a"));
  assertEquals(of("read", join(ROOT, "data")), join(ROOT, "data"));
  assertEquals(of("run", "./tool"), resolve("tool"));
  assertEquals(of("run", "git"), "git");
  assertEquals(of("env", "a/b"), "a/b");
  assertEquals(of("net", "a.example:80"), "a.example:80");
});

Deno.test("Log keeps each access once, and no more than its limit", async () => {
  const log = new Log(3);
  const [a, b, c, d] = wants("env", "A", "B", "C", "D") as [
    Permission,
    Permission,
    Permission,
    Permission,
  ];
  const set = setOf({ env: ["B"] }, ".");
  const add = (want: Permission) => log.add(want, { kind: "env", value: "A" });
  log.run++;
  [a, a, wants("import", "jsr.io:443")[0]!].forEach(add);
  // Deno grants that host anyway.
  await log.compare(set);
  assert(!log.isFull);
  log.run++;
  [b, c].forEach(add);
  assert(log.isFull);
  add(d);
  await log.compare(set);
  assertEquals(log.accesses, [
    { ...a, run: 1, missingRun: 1, places: [] },
    { ...b, run: 2, missingRun: 0, places: [] },
    { ...c, run: 2, missingRun: 2, places: [] },
  ]);
});

Deno.test("statesOf() is what Deno grants", async () => {
  const set = setOf({
    read: { allow: ["data"], deny: ["data/secret"] },
    net: ["10.0.0.0/8", "unix:/s"],
    env: { allow: ["A*"], ignore: ["B"] },
  }, ".");
  const states = {
    granted: [
      ...wants("read", resolve("data/x")),
      ...wants("net", "10.1.2.3:80", "unix:/s"),
      ...wants("env", "A1"),
      ...wants("import", "jsr.io:443"),
    ],
    denied: [...wants("read", resolve("data/secret/x")), ...wants("env", "B")],
    prompt: [
      ...wants("read", resolve("other"), true),
      ...wants("net", "11.1.2.3:80", "no host"),
      ...wants("run", "git"),
    ],
  };
  for (const [state, asked] of Object.entries(states)) {
    assertEquals(await statesOf(set, asked), asked.map(() => state));
  }
});

Deno.test("widerThan() widens what one line asks for differently, to a host or folder", () => {
  const use = (want: Permission, run: number, line = 7): Use => ({
    ...want,
    run,
    missingRun: run,
    by: { url: "file:///p/a.ts", line },
    isSure: true,
  });
  const wider = (
    kind: PermissionKind,
    first: string,
    second: string,
    line?: number,
  ) =>
    widerThan(
      [use({ kind, value: first }, 1), use({ kind, value: second }, 2, line)],
      2,
    );
  assertEquals(wider("net", "h:1", "h:2"), wants("net", "h"));
  assertEquals(wider("net", "h:1", "i:1"), []);
  assertEquals(wider("net", "h:1", "h:2", 8), []);
  assertEquals(wider("env", "A", "B"), []);
  const path = (name: string) => join(ROOT, "data", name);
  assertEquals(
    wider("write", path("x/1/a"), path("x/2/a")),
    wants("write", path("x")),
  );
  // Not the folder of the project, nor one around it.
  assertEquals(wider("read", resolve("a"), resolve("b")), []);
  assertEquals(wider("read", join(ROOT, "a"), resolve("b")), []);
  // Both were asked for in one run.
  const both = wants("net", "h:1", "h:2").map((want) => use(want, 2));
  assertEquals(widerThan(both, 2), []);
});

Deno.test("a command that asks for too many different things is stopped", async () => {
  const { stopped } = await runUnder(setOf({}, "."), {
    command:
      `deno eval "for (;;) { Deno.env.get('X' + Math.random()); await 0; }"`,
    time: 30,
  }, new Log(10));
  assertEquals(stopped, "size");
});

Deno.test("ModuleGraph follows packages, and leaves out what only the framework uses", () => {
  const framework = new URL("../../../mod.ts", import.meta.url).href;
  const code = (...specifiers: string[]) =>
    specifiers.map((specifier) => ({ code: { specifier } }));
  const graph = new ModuleGraph({
    modules: [
      {
        specifier: "file:///a.ts",
        dependencies: [...code("npm:x@1", framework), {}, { code: {} }],
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
  assertEquals(displayName(z), "npm:@s/z");
  // With a package.json, a package is known by its files.
  const x = "file:///p/node_modules/x/index.js";
  const files = new ModuleGraph({
    modules: [{ specifier: "file:///a.ts", dependencies: code(x) }, {
      specifier: x,
    }],
    redirects: {},
  });
  assert(files.uses("file:///a.ts", "file:///p/node_modules/x/other.js"));
  assertEquals(
    displayName("https://jsr.io/@std/fs/1.0.0/walk.ts"),
    "jsr:@std/fs@1.0.0",
  );
  assertEquals(displayName("https://esm.sh/x"), "https://esm.sh/x");
  assertEquals(
    displayName(import.meta.url),
    "tests/cli/permissions/parts_test.ts",
  );
});

Deno.test("Project reads sets of each form, and writes only what differs", async () => {
  await using folder = await TestFolder.create({
    "below/x": "",
    "deno.jsonc": `{
  "permissions": {
    // For the server.
    "serve": {
      // The routes.
      "read": ["api"],
      "net": true,
      "env": { "allow": ["A"], "deny": ["SECRET"], "ignore": ["OTHER"], "note": "x" },
      "run": false,
      "note": "mine"
    },
    "all": { "all": true, "read": ["./api"] }
  },
}
`,
  });
  const below = join(folder.path, "below");
  const project = Project.find(below)!;
  const api = join(folder.path, "api");
  assertEquals(project.set("serve"), {
    allow: [...wants("read", api), ...wants("net", true), ...wants("env", "A")],
    deny: wants("env", "SECRET"),
    ignore: wants("env", "OTHER"),
  });
  assertEquals(project.set("none"), undefined);
  assertThrows(
    () => project.set("all"),
    UsageError,
    '"all": true, which grants everything',
  );

  const outside = join(ROOT, "outside");
  const isChanged = project.write("serve", [
    ...wants("read", join(folder.path, "a"), api),
    ...wants("write", outside, join(folder.path, "data")),
    ...wants("net", true),
    ...wants("env", "B", "A"),
  ]);
  assert(isChanged);
  const text = await Deno.readTextFile(project.path);
  assertEquals(
    text,
    `{
  "permissions": {
    // For the server.
    "serve": {
      // The routes.
      "read": [
        "api",
        "./a"
      ],
      "net": true,
      "env": { "allow": [
          "A",
          "B"
        ], "deny": ["SECRET"], "ignore": ["OTHER"], "note": "x" },
      "run": false,
      "note": "mine",
      "write": [
        "./data",
        "${outside}"
      ]
    },
    "all": { "all": true, "read": ["./api"] }
  },
}
`,
  );
  const again = Project.find(folder.path)!;
  const { allow } = again.set("serve")!;
  assertEquals(allow, [
    ...wants("read", api, join(folder.path, "a")),
    ...wants("write", join(folder.path, "data"), outside),
    ...wants("net", true),
    ...wants("env", "A", "B"),
  ]);
  assert(!again.write("serve", allow));

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
    Project.find(below)!.set("up")!.allow,
    wants("read", parent, join(parent, "x")),
  );
  // It was replaced as a whole, with its mode, and through a link.
  if (Deno.build.os !== "windows") await Deno.chmod(project.path, 0o640);
  await folder.link({ "linked/deno.jsonc": "../deno.jsonc" });
  Project.find(join(folder.path, "linked"))!.write("up", []);
  assert((await Deno.lstat(join(folder.path, "linked/deno.jsonc"))).isSymlink);
  assertEquals(Project.find(below)!.set("up")!.allow, []);
  if (Deno.build.os !== "windows") {
    assertEquals((await Deno.stat(project.path)).mode! & 0o777, 0o640);
  }
  assertEquals(
    [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort(),
    ["below", "deno.jsonc", "linked"],
  );

  await folder.write("deno.jsonc", "{ no JSON");
  assertThrows(() => Project.find(below), UsageError, "is not valid JSON");
});

Deno.test("a set for Deno has its lists, with absolute paths", () => {
  const config = {
    read: { allow: ["data"], deny: ["data/secret"], ignore: ["opt"] },
    run: ["git", "./tool"],
    net: true,
    sys: false,
  } as const;
  const set = setOf(config, resolve("p"));
  assertEquals(
    Object.entries(configOf(set)).filter(([, lists]) =>
      Object.keys(lists).length > 0
    ),
    [
      ["read", {
        allow: [resolve("p/data")],
        deny: [resolve("p/data/secret")],
        ignore: [resolve("p/opt")],
      }],
      ["net", { allow: true }],
      ["run", { allow: ["git", resolve("p/tool")] }],
    ],
  );
});

Deno.test("ModuleGraph.read() reads any number of modules, and leaves nothing behind", async () => {
  const names = Array.from({ length: 400 }, (_, id) => `m${id}.ts`);
  await using folder = await TestFolder.create(
    Object.fromEntries(names.map((name) => [name, "export {};"])),
  );
  const urls = names.map((name) => toFileUrl(join(folder.path, name)).href);
  const graph = await ModuleGraph.read(urls, undefined);
  assert(graph.reaches(urls[0]!, urls[0]!));
  assert(!graph.reaches(urls[0]!, urls.at(-1)!));
  assertEquals([...Deno.readDirSync(folder.path)].length, names.length);
});
