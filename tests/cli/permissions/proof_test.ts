import { assertEquals } from "@std/assert";
import { join, resolve } from "@std/path";
import type { Use } from "../../../src/cli/permissions/attribution.ts";
import { Log } from "../../../src/cli/permissions/log.ts";
import { setOf } from "../../../src/cli/permissions/permission_set.ts";
import { runUnder, widerThan } from "../../../src/cli/permissions/proof.ts";
import type {
  Permission,
  PermissionKind,
} from "../../../src/core/exports/permissions.ts";
import { permissionsOf, ROOT } from "./support.ts";

Deno.test("widerThan() widens values of one line that differ between runs, to a host or folder", () => {
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
  assertEquals(wider("net", "h:1", "h:2"), permissionsOf("net", "h"));
  assertEquals(wider("net", "h:1", "i:1"), []);
  assertEquals(wider("net", "h:1", "h:2", 8), []);
  assertEquals(wider("env", "A", "B"), []);
  const path = (name: string) => join(ROOT, "data", name);
  assertEquals(
    wider("write", path("x/1/a"), path("x/2/a")),
    permissionsOf("write", path("x")),
  );
  // Not the folder of the project, nor one around it.
  assertEquals(wider("read", resolve("a"), resolve("b")), []);
  assertEquals(wider("read", join(ROOT, "a"), resolve("b")), []);
  // Both were asked for in one run.
  const both = permissionsOf("net", "h:1", "h:2").map((want) => use(want, 2));
  assertEquals(widerThan(both, 2), []);
});

Deno.test("runUnder() stops a command with too many different accesses", async () => {
  const { stopped } = await runUnder(setOf({}, "."), {
    command:
      `deno eval "for (;;) { Deno.env.get('X' + Math.random()); await 0; }"`,
    time: 30,
  }, new Log(10));
  assertEquals(stopped, "size");
});
