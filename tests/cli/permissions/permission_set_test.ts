import { assertEquals, assertRejects } from "@std/assert";
import { join, resolve } from "@std/path";
import { UsageError } from "../../../src/cli/command.ts";
import {
  Project,
  statesOf,
} from "../../../src/cli/permissions/permission_set.ts";
import { TestFolder } from "../../support/application.ts";

const CONFIG = `{
  // A comment.
  "permissions": {
    "serve": {
      "read": { "allow": ["data", "/srv"], "deny": ["data/secret"] },
      "env": { "allow": ["A"], "ignore": ["B", "C"] },
      "net": true,
      "run": ["git"]
    }
  }
}
`;

Deno.test("a set of deno.json has absolute paths, and keeps what it denies", async () => {
  await using folder = await TestFolder.create({
    "deno.jsonc": CONFIG,
    "below/x": "",
  });
  const project = Project.find(join(folder.path, "below"))!;
  const data = join(folder.path, "data");
  const { allow, others } = project.set("serve");
  assertEquals(allow, [
    { kind: "read", value: data },
    { kind: "read", value: "/srv" },
    { kind: "net", value: true },
    { kind: "env", value: "A" },
    { kind: "run", value: "git" },
  ]);
  assertEquals(others, [`--deny-read=${data}/secret`, "--ignore-env=B,C"]);
  assertEquals(project.set("none"), { allow: [], others: [] });

  project.write("serve", [
    { kind: "read", value: folder.path },
    { kind: "read", value: data },
    { kind: "read", value: "/srv" },
    { kind: "env", value: true },
  ]);
  assertEquals(
    await Deno.readTextFile(project.path),
    CONFIG.replace(/"serve": \{[^]*?\n {4}\}/, () =>
      `"serve": {
      "read": {
        "allow": [
          ".",
          "./data",
          "/srv"
        ],
        "deny": [
          "data/secret"
        ]
      },
      "env": {
        "allow": true,
        "ignore": [
          "B",
          "C"
        ]
      }
    }`),
  );
});

Deno.test("Project writes no home folder, so another machine can use the set", () => {
  const project = Project.find(".")!;
  const home = Deno.env.get("HOME");
  try {
    Deno.env.set("HOME", resolve(project.path, "../.."));
    const value = resolve(project.path, "../../other/x");
    const shown = project.shown({ kind: "read", value });
    assertEquals(shown, { kind: "read", value: "../other/x" });
  } finally {
    if (home === undefined) Deno.env.delete("HOME");
    else Deno.env.set("HOME", home);
  }
});

Deno.test("statesOf() returns the states that Deno reports", async () => {
  const folder = Deno.cwd();
  const set = {
    allow: [
      { kind: "read", value: folder },
      { kind: "read", value: "/proc" },
      { kind: "net", value: "10.0.0.0/8" },
      { kind: "env", value: "A*" },
    ],
    others: [`--deny-read=${folder}/secret`, "--ignore-env=B"],
  } as const;
  const asked = [
    ["granted", "read", join(folder, "none")],
    ["denied", "read", join(folder, "secret/x")],
    ["prompt", "read", "/elsewhere"],
    ["granted", "net", "10.1.2.3:80"],
    ["prompt", "net", "11.1.2.3:80"],
    ["granted", "env", "A1"],
    ["denied", "env", "B"],
    ["prompt", "env", true],
    ["granted", "import", "jsr.io:443"],
    // Deno requires --allow-all for it.
    ...Deno.build.os === "linux"
      ? [["prompt", "read", "/proc/self/status"] as const]
      : [],
  ] as const;
  assertEquals(
    await statesOf(set, asked.map(([, kind, value]) => ({ kind, value }))),
    asked.map(([state]) => state),
  );
  await assertRejects(
    () =>
      statesOf({ allow: [{ kind: "sys", value: "nonsense" }], others: [] }, []),
    UsageError,
    "Deno cannot use the permission set: ",
  );
});
