import { assert, assertEquals } from "@std/assert";
import { join, resolve } from "@std/path";
import { temporaryFolder } from "../../../src/cli/permissions/coverage.ts";
import { Log, permissionOf } from "../../../src/cli/permissions/log.ts";
import { setOf } from "../../../src/cli/permissions/permission_set.ts";
import type {
  Permission,
  PermissionKind,
} from "../../../src/core/exports/permissions.ts";
import { permissionsOf, ROOT } from "./support.ts";

Deno.test("permissionOf() resolves paths, and the folder for temporary files", () => {
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

Deno.test("Log keeps each access once, up to its limit", async () => {
  const log = new Log(3);
  const [a, b, c, d] = permissionsOf("env", "A", "B", "C", "D") as [
    Permission,
    Permission,
    Permission,
    Permission,
  ];
  const set = setOf({ env: ["B"] }, ".");
  const add = (want: Permission) => log.add(want, { kind: "env", value: "A" });
  log.run++;
  [a, a, permissionsOf("import", "jsr.io:443")[0]!].forEach(add);
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
