/** The entries of a set, from the questions of processes. */
import { assertEquals } from "@std/assert";
import { tmpdir } from "node:os";
import { join, resolve } from "@std/path";
import { covers, Needs } from "../../../src/cli/permissions/needs.ts";
import type { PermissionKind } from "../../../src/core/types/permissions.ts";
import { TestFolder } from "../../support/application.ts";
import { WorkingFolder } from "../../support/working_folder.ts";

type Asked = readonly [kind: PermissionKind, value: string | null];

function entriesOf(
  asked: readonly Asked[],
  { closed = [Deno.cwd()], kept = [] as readonly Asked[] } = {},
): (readonly [string, string | true])[] {
  const needs = new Needs(closed);
  for (const [kind, value] of asked) needs.ask({ pid: Deno.pid, kind, value });
  const all = kept.map(([kind, value]) => ({
    kind,
    value: value ?? true as const,
  }));
  return needs.entries(needs.all, all)
    .map(({ kind, value }) => [kind, value] as const);
}

Deno.test("entries name a folder for new files, and for more than two files", async () => {
  const paths = "one/a two/a two/b many/a many/b many/c x/1/a x/2/a x/3/a";
  await using folder = await TestFolder.create(
    Object.fromEntries(paths.split(" ").map((path) => [path, ""])),
  );
  using _ = new WorkingFolder(folder.path);
  const here = folder.path;
  const read = (...paths: readonly string[]) =>
    paths.map((path): Asked => ["read", resolve(here, path)]);
  const listed = (...paths: readonly string[]) =>
    entriesOf(read(...paths)).map(([, path]) => `${path}`.slice(here.length));
  assertEquals(listed("one/a"), ["/one/a"]);
  assertEquals(listed("two/a", "two/b", "two/a"), ["/two/a", "/two/b"]);
  assertEquals(listed("many/a", "many/b", "many/c"), ["/many"]);
  assertEquals(listed("many/a", "many"), ["/many"]);
  assertEquals(listed("x/1", "x/2/a", "x/2", "x/3"), ["/x"]);
  // New files have other names in the next run, and so have new folders.
  assertEquals(listed("one/new", "one/x/y/new"), ["/one"]);
  // The project itself is too general, and so is a folder around it.
  assertEquals(listed("new", "new/x", "a", "b"), ["/new", "/a", "/b"]);
  const above = ["/none", "/etc/none1", "/etc/none2", "/etc/none3"];
  assertEquals(entriesOf(read(...above)).map(([, path]) => path), above);
});

Deno.test("a file that the run created stays in the entry of its folder", async () => {
  await using folder = await TestFolder.create({ "uploads/a": "" });
  using _ = new WorkingFolder(folder.path);
  const needs = new Needs([Deno.cwd()]);
  const { pid } = Deno;
  const uploads = join(folder.path, "uploads");
  needs.ask({ pid, kind: "write", value: join(uploads, "day/new") });
  await folder.write("uploads/day/new", "");
  needs.ask({ pid, kind: "read", value: join(uploads, "day/new") });
  assertEquals(needs.entries(needs.all, []), [
    { kind: "write", value: uploads },
    { kind: "read", value: uploads },
  ]);
});

Deno.test("entries suit other machines: temporary files, local addresses and Deno itself", () => {
  const temporary = tmpdir();
  for (
    const [kind, value, ...entries] of [
      ["write", "<TMP>", temporary],
      ["write", join(temporary, "x/y"), temporary],
      ["net", "0.0.0.0:8000", "0.0.0.0", "127.0.0.1"],
      ["net", "127.0.0.1:49152", "0.0.0.0", "127.0.0.1"],
      ["net", "localhost:5432", "localhost"],
      ["net", "db.example:5432"],
      ["net", "unix:/run/x.sock"],
      ["run", Deno.execPath(), "deno"],
      ["run", "git"],
      ["run", "./tool", resolve("tool")],
      ["read", "none-of-these", resolve("none-of-these")],
      ["env", "KEY"],
      ["sys", "cpus"],
    ] as const
  ) {
    const found = entriesOf([[kind, value]], {
      closed: ["/project", Deno.cwd()],
    });
    const expected = entries.length > 0 ? entries : [value];
    assertEquals(found, expected.map((entry) => [kind, entry]), value);
  }
});

Deno.test("an entry for all values replaces others, and kept entries stay", () => {
  assertEquals(entriesOf([["env", "A"], ["env", null], ["env", "B"]]), [
    ["env", true],
  ]);
  assertEquals(
    entriesOf([["env", "APP_A"], ["env", "B"], ["net", "a.example:80"]], {
      kept: [["env", "APP_*"], ["net", "a.example"]],
    }),
    [["env", "APP_*"], ["net", "a.example"], ["env", "B"]],
  );
});

Deno.test("covers() knows folders, prefixes, hosts and all values", () => {
  const is = (entry: Asked, other: Asked) => {
    const [first, second] = [entry, other]
      .map(([kind, value]) => ({ kind, value: value ?? true as const }));
    return covers(first!, second!);
  };
  for (
    const [entry, other] of [
      [["read", "/a"], ["read", "/a/b"]],
      [["env", "A_*"], ["env", "A_B"]],
      [["env", null], ["env", "A"]],
      [["net", "a.example"], ["net", "a.example:80"]],
      [["net", "*.example"], ["net", "a.example:80"]],
    ] as const
  ) {
    assertEquals(is(entry, other), true, `${entry}`);
    assertEquals(is(other, entry), false, `${other}`);
  }
  assertEquals(is(["read", "/a"], ["read", "/ab"]), false);
  assertEquals(is(["read", "/a"], ["write", "/a"]), false);
  assertEquals(is(["run", "git"], ["run", "gitk"]), false);
  assertEquals(is(["net", "*.example"], ["net", "aexample:80"]), false);
});
