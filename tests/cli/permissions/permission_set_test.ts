import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { join, resolve } from "@std/path";
import { UsageError } from "../../../src/cli/command.ts";
import {
  configOf,
  Project,
  setOf,
  statesOf,
} from "../../../src/cli/permissions/permission_set.ts";
import { TestFolder } from "../../support/application.ts";
import { permissionsOf, ROOT } from "./support.ts";

Deno.test("statesOf() returns the states that Deno reports", async () => {
  const set = setOf({
    read: { allow: ["data"], deny: ["data/secret"] },
    net: ["10.0.0.0/8", "unix:/s"],
    env: { allow: ["A*"], ignore: ["B"] },
  }, ".");
  const states = {
    granted: [
      ...permissionsOf("read", resolve("data/x")),
      ...permissionsOf("net", "10.1.2.3:80", "unix:/s"),
      ...permissionsOf("env", "A1"),
      ...permissionsOf("import", "jsr.io:443"),
    ],
    denied: [
      ...permissionsOf("read", resolve("data/secret/x")),
      ...permissionsOf("env", "B"),
    ],
    prompt: [
      ...permissionsOf("read", resolve("other"), true),
      ...permissionsOf("net", "11.1.2.3:80", "no host"),
      ...permissionsOf("run", "git"),
    ],
  };
  for (const [state, asked] of Object.entries(states)) {
    assertEquals(await statesOf(set, asked), asked.map(() => state));
  }
});

Deno.test({
  name: "statesOf() returns impossible for files that only --allow-all grants",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const set = setOf({ read: true }, ".");
    const asked = permissionsOf("read", "/proc/self/status", "/proc", "/none");
    assertEquals(await statesOf(set, asked), [
      "impossible",
      "impossible",
      "granted",
    ]);
  },
});

Deno.test("Project reads sets of each form, and writes only changes", async () => {
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
    allow: [
      ...permissionsOf("read", api),
      ...permissionsOf("net", true),
      ...permissionsOf("env", "A"),
    ],
    deny: permissionsOf("env", "SECRET"),
    ignore: permissionsOf("env", "OTHER"),
  });
  assertEquals(project.set("none"), undefined);
  assertThrows(
    () => project.set("all"),
    UsageError,
    '"all": true, which grants everything',
  );

  const outside = join(ROOT, "outside");
  const isChanged = project.write("serve", [
    ...permissionsOf("read", join(folder.path, "a"), api),
    ...permissionsOf("write", outside, join(folder.path, "data")),
    ...permissionsOf("net", true),
    ...permissionsOf("env", "B", "A"),
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
    ...permissionsOf("read", api, join(folder.path, "a")),
    ...permissionsOf("write", join(folder.path, "data"), outside),
    ...permissionsOf("net", true),
    ...permissionsOf("env", "A", "B"),
  ]);
  assert(!again.write("serve", allow));

  for (const indent of ["\t", "    ", "  "]) {
    for (const eol of ["\n", "\r\n"]) {
      const form = (value: unknown) =>
        JSON.stringify(value, null, indent).replaceAll("\n", eol);
      await folder.write("deno.jsonc", form({ imports: {}, vendor: true }));
      Project.find(below)!.write("serve", permissionsOf("env", "A"));
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
  Project.find(below)!.write(
    "up",
    permissionsOf("read", parent, join(parent, "x")),
  );
  assertEquals(
    Project.find(below)!.set("up")!.allow,
    permissionsOf("read", parent, join(parent, "x")),
  );
  Project.find(below)!.write(
    "tool",
    permissionsOf("run", join(folder.path, "tool"), "git"),
  );
  const tool = await Deno.readTextFile(project.path);
  assertMatch(tool, /"run": \[\s+"\.\/tool",\s+"git"\s+\]/);
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

Deno.test("Project keeps comments in lists, and changes of others", async () => {
  await using folder = await TestFolder.create({
    "deno.jsonc": `{
  "permissions": {
    "serve": {
      "env": [
        // For payments.
        "BANK_KEY",
        "OLD" // Until May.
      ]
    }
  }
}
`,
  });
  const project = Project.find(folder.path)!;
  project.write("serve", permissionsOf("env", "BANK_KEY", "OLD", "NEW"));
  const text = await Deno.readTextFile(project.path);
  assertStringIncludes(text, '// For payments.\n        "BANK_KEY",');
  assertStringIncludes(text, "// Until May.");
  assertEquals(Project.find(folder.path)!.set("serve"), {
    allow: permissionsOf("env", "BANK_KEY", "OLD", "NEW"),
    deny: [],
    ignore: [],
  });

  const edited = text.replace("{", '{ "vendor": true,');
  await Deno.writeTextFile(project.path, edited);
  assertThrows(
    () => project.write("serve", permissionsOf("env", "BANK_KEY")),
    UsageError,
    "changed during the run; run the command again",
  );
  assertEquals(await Deno.readTextFile(project.path), edited);
});

Deno.test("configOf() returns a set for Deno, with absolute paths", () => {
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

Deno.test("Project writes no home folder, so another machine can use the set", async () => {
  await using home = await TestFolder.create({ "shop/deno.json": "{}" });
  const before = Deno.env.get("HOME");
  Deno.env.set("HOME", home.path);
  try {
    const project = Project.find(join(home.path, "shop"))!;
    const paths = [join(home.path, "other/x"), join(ROOT, "srv")];
    project.write("serve", permissionsOf("read", ...paths));
    const { permissions } = JSON.parse(await Deno.readTextFile(project.path));
    assertEquals(permissions.serve.read, ["../other/x", join(ROOT, "srv")]);
  } finally {
    if (before === undefined) Deno.env.delete("HOME");
    else Deno.env.set("HOME", before);
  }
});
