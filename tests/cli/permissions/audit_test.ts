import { assert, assertEquals } from "@std/assert";
import { Audit } from "../../../src/cli/permissions/audit.ts";
import type { PermissionKind } from "../../../src/core/types/permissions.ts";

Deno.test("Audit reads Deno's lines, and knows which stacks are certain", () => {
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
    count: 1,
  };
  const places = (kind: PermissionKind, value: string | null) =>
    audit.placesOf(kind, value);

  for (let count = 0; count < 2; count++) add("read", "a", read, at);
  assertEquals(places("read", "a"), [place]);
  assertEquals(places("read", "none"), []);
  // The line is the same, and so may be the stack of what came before.
  add("read", "b", read, at);
  assertEquals(places("read", "b"), [
    { ...place, isSure: false, count: 0 },
  ]);
  add("net", "db:5432", read, at);
  assertEquals(places("net", "db:5432"), [
    { ...place, fits: false, isSure: false, count: 0 },
  ]);
  const env = "Object.getEnv [as get] (ext:deno_os/30_os.js:1:2)";
  for (const name of ["A", "null"]) add("env", name, env, `async GET (${at})`);
  assertEquals(places("env", "null"), [place]);
  assertEquals(places("env", null), []);
  const fetching = "mainFetch (ext:deno_fetch/26_fetch.js:2:2)";
  add("net", "https://a.example/x?y", fetching, at);
  add("net", "a.example:443", fetching, at);
  add("net", "b.example:443", fetching, at);
  assertEquals(places("net", "a.example:443"), [place]);
  assertEquals(places("net", "b.example:443"), [
    { ...place, isSure: false, count: 0 },
  ]);
  add("net", "0.0.0.0:80", "listen (ext:deno_net/01_net.js:1:1)");
  assertEquals(places("net", "0.0.0.0:80"), [
    { frames: [], fits: true, isSure: true, count: 1 },
  ]);
  const next = "op_fs_read_dir_async_next (ext:core/00_infra.js:1:1)";
  add("read", "c.ts", next, at);
  assert(!places("read", "c.ts")[0]!.fits);
  add("import", "esm.sh:443");
  audit.add('{"v":1,"permission":"env","val');
  assertEquals(audit.modules, [frame.url]);
});

Deno.test("Audit counts the lines with a stack of their own", () => {
  const audit = new Audit();
  const lineOf = (permission: string, value: string, inner: string) =>
    JSON.stringify({ permission, value, stack: [inner, "file:///p/a.ts:1:1"] });
  const read = lineOf("read", "a", "readSync (ext:deno_fs/30_fs.js:1:2)");
  const env = lineOf("env", "A", "getEnv (ext:deno_os/30_os.js:1:2)");
  const [url, host] = ["http://a.example/", "a.example:80"].map((value) =>
    lineOf("net", value, "mainFetch (ext:deno_fetch/26_fetch.js:2:2)")
  ) as [string, string];
  const lines = [read, read, env, env, read, url, host, url, host, host];
  for (const line of lines) audit.add(line);
  const counts = [["read", "a"], ["env", "A"], [
    "net",
    "a.example:80",
  ]] as const;
  assertEquals(
    counts.map(([kind, value]) => audit.placesOf(kind, value)[0]?.count),
    [2, 2, 2],
  );
});

Deno.test("Audit escapes the URLs of modules, which Deno writes unescaped", () => {
  const audit = new Audit();
  const stack = ["file:///p/api/caf\u00e9/route.ts:1:1"];
  audit.add(JSON.stringify({ v: 1, permission: "env", value: "KEY", stack }));
  const [{ frames } = { frames: [] }] = audit.placesOf("env", "KEY");
  assertEquals(frames[0]?.url, "file:///p/api/caf%C3%A9/route.ts");
});

Deno.test("Audit knows Deno's modules for each kind of access", () => {
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
