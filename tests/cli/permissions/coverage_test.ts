import { assert, assertEquals } from "@std/assert";
import { resolve } from "@std/path";
import { covers, smallest } from "../../../src/cli/permissions/coverage.ts";
import type { PermissionKind } from "../../../src/core/exports/permissions.ts";
import { permissionsOf } from "./support.ts";

Deno.test("covers() compares folders, patterns and ports", () => {
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

Deno.test("smallest() shortens lists, so that people can read them", () => {
  const files = ["a", "b", "c", "d"].map((name) => resolve("data", name));
  assertEquals(smallest(permissionsOf("read", ...files), []), [
    { kind: "read", value: resolve("data") },
  ]);
  assertEquals(
    smallest(permissionsOf("read", ...files.slice(1)), []).length,
    3,
  );
  // Not the folder of the project, nor one with more than these.
  const top = ["a", "b", "c", "d"].map((name) => resolve(name));
  assertEquals(smallest(permissionsOf("read", ...top), []).length, 4);
  const kept = permissionsOf("read", "data/public");
  assertEquals(smallest(permissionsOf("read", ...files), kept).length, 5);
  assertEquals(
    smallest(
      [
        ...permissionsOf("env", "KEY", "AWS_A"),
        ...permissionsOf("net", "a.example:1", "a.example", "b.example:1"),
      ],
      [...permissionsOf("env", "AWS_*"), ...permissionsOf("read", true)],
    ),
    [
      ...permissionsOf("read", true),
      ...permissionsOf("net", "a.example", "b.example:1"),
      ...permissionsOf("env", "AWS_*", "KEY"),
    ],
  );
  assertEquals(
    smallest(permissionsOf("env", "A", true, "B"), []),
    permissionsOf("env", true),
  );
});
