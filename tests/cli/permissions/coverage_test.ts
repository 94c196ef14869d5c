import { assert, assertEquals } from "@std/assert";
import { relative, resolve } from "@std/path";
import {
  covers,
  hasElsewhere,
  homeFolder,
  isCached,
  smallest,
  temporaryFolder,
} from "../../../src/cli/permissions/coverage.ts";
import { readIfExists } from "../../../src/cli/files.ts";
import type { PermissionKind } from "../../../src/core/types/permissions.ts";
import { permissionsOf, ROOT } from "./support.ts";

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

/** The values of the smallest list of files below `data`, and of kept ones. */
function foldersOf(
  names: readonly string[],
  ...kept: readonly string[]
): unknown[] {
  return smallest(
    permissionsOf("read", ...names.map((name) => resolve(name))),
    permissionsOf("read", ...kept),
  ).map(({ value }) => relative(Deno.cwd(), String(value)));
}

Deno.test("smallest() lists the folder of more than two files, or of generated names", () => {
  const [a, b, c] = ["data/a", "data/b", "data/c"] as const;
  assertEquals(foldersOf([a, b]), [a, b]);
  assertEquals(foldersOf([a, b, c]), ["data"]);
  // Folders count, too.
  const nested = ["x", "y", "z"].flatMap((folder) =>
    [1, 2, 3].map((name) => `data/${folder}/${name}`)
  );
  assertEquals(foldersOf(nested), ["data"]);
  const id = crypto.randomUUID();
  assertEquals(foldersOf([`data/${id}`]), ["data"]);
  assertEquals(foldersOf([`data/${id}/cover.png`]), ["data"]);
  assertEquals(foldersOf(["data/20260101_init.sql", "data/abc"]), ["data"]);
  const made = {
    kind: "write",
    value: resolve("data/a"),
    isNew: true,
  } as const;
  assertEquals(smallest([made], []), permissionsOf("write", resolve("data")));
});

Deno.test("smallest() lists no folder that contains the project or a kept path", () => {
  const files = ["data/a", "data/b", "data/c"];
  assertEquals(foldersOf(["a", "b", "c", "deadbeef"]), [
    "a",
    "b",
    "c",
    "deadbeef",
  ]);
  assertEquals(foldersOf(["../a", "../b", "../c"]), ["../a", "../b", "../c"]);
  assertEquals(foldersOf(files, "data/kept"), [...files, "data/kept"]);
  assertEquals(foldersOf(files, "data"), ["data"]);
  const root = ["a", "b", "c"].map((name) => ROOT + name);
  assertEquals(
    smallest(permissionsOf("read", ...root), []),
    permissionsOf("read", ...root),
  );
  // A new name is another one in the next run.
  assertEquals(foldersOf(["data/deadbeef"], "data/kept"), ["data"]);
});

Deno.test("smallest() lists neither the home folder nor a folder of the system", () => {
  const home = homeFolder()!;
  for (const folder of [home, resolve(ROOT, "etc")]) {
    const files = [1, 2, 3].map((name) => resolve(folder, `.${name}`));
    assertEquals(
      smallest(permissionsOf("read", ...files), []),
      permissionsOf("read", ...files),
    );
  }
  const generated = permissionsOf("read", resolve(home, "deadbeef"));
  assertEquals(smallest(generated, []), generated);
  const volume = resolve(ROOT, "data");
  assertEquals(
    smallest(permissionsOf("write", resolve(volume, "deadbeef")), []),
    permissionsOf("write", volume),
  );
});

Deno.test("smallest() lists the host of more than two ports, or of a port of the system", () => {
  const hosts = (...values: string[]) =>
    smallest(permissionsOf("net", ...values), []).map(({ value }) => value);
  assertEquals(hosts("a.example:1", "a.example:2"), [
    "a.example:1",
    "a.example:2",
  ]);
  assertEquals(hosts("a.example:1", "a.example:2", "a.example:3"), [
    "a.example",
  ]);
  assertEquals(hosts("127.0.0.1:0"), ["127.0.0.1"]);
  assertEquals(hosts("127.0.0.1:40123", "[::1]:80"), ["127.0.0.1", "[::1]:80"]);
});

Deno.test("smallest() leaves out covered entries", () => {
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

Deno.test("a set may have the place of another machine", () => {
  const [here] = permissionsOf("write", temporaryFolder());
  for (const there of ["/tmp", "/var/folders/x/T", "C:\\Users\\A\\Temp"]) {
    assert(hasElsewhere(permissionsOf("write", there), here!), there);
  }
  assert(!hasElsewhere(permissionsOf("read", "/tmp"), here!));
  assert(!hasElsewhere(permissionsOf("write", "/data"), here!));
  const [host] = permissionsOf("net", "192.0.2.1:53");
  assert(!hasElsewhere(permissionsOf("net", "10.0.0.1:53"), host!));
  const text = readIfExists("/etc/resolv.conf") ?? "";
  for (const [, ip] of text.matchAll(/^nameserver\s+(\S+)/gm)) {
    const [server] = permissionsOf("net", `${ip}:53`);
    assert(hasElsewhere(permissionsOf("net", "10.0.0.1:53"), server!), ip);
    assert(!hasElsewhere(permissionsOf("net", "10.0.0.1:80"), server!), ip);
  }
});

Deno.test("isCached() knows Deno's cache", () => {
  const cached = (value: string) => isCached({ kind: "read", value });
  assert(cached("/home/ada/.cache/deno/npm/registry.example/x/1.0.0/x.json"));
  assert(cached("/Users/ada/Library/Caches/deno/npm/x"));
  assert(!cached("/home/ada/deno/x"));
  assert(!isCached({ kind: "run", value: "/home/ada/.cache/deno/x" }));
});
