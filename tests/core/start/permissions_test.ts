import { assertEquals } from "@std/assert";
import * as posix from "@std/path/posix";
import { WINDOWS } from "../../../src/core/common/windows_paths.ts";
import { checkForm } from "../../../src/core/common/forms.ts";
import { checkMiddleware } from "../../../src/core/start/modules.ts";
import {
  flagsOf,
  pathOf,
  PERMISSIONS,
  permissionsOf,
} from "../../../src/core/start/permissions.ts";
import { faultsFrom } from "./exports_support.ts";

const SYSTEMS = { posix, windows: WINDOWS };

function faultsOf(permissions: unknown): string[] {
  return faultsFrom((report) =>
    checkForm(PERMISSIONS, permissions, "permissions", report)
  );
}

Deno.test("the form of permissions accepts each kind, as a list or as true", () => {
  const all = {
    read: ["data", new URL("file:///srv/data"), "file:///srv/data"],
    write: true,
    net: ["api.example.com:443", "*.example.com"],
    env: ["API_KEY", "AWS_*"],
    run: ["git"],
    sys: ["hostname"],
    ffi: ["lib.so"],
    import: ["esm.sh"],
  };
  assertEquals(faultsOf(all), []);
  assertEquals(faultsOf({ net: undefined }), []);
});

Deno.test("the form of permissions reports each error with its place", () => {
  const wrong = {
    'permissions must be an object such as { net: ["api.example.com"], env: ["API_KEY"] }, got an array':
      [["net"]],
    'permissions.network is unknown; did you mean "net"? The members are "read", "write", "net", "env", "run", "sys", "ffi", "import"':
      [{ network: [] }],
    'permissions.env must be a list, or true for all, got "KEY"; write ["KEY"]':
      [{ env: "KEY" }],
    "permissions.env must be a list, or true for all, got false": [{
      env: false,
    }],
    "permissions.env[1] must be a non-empty string, got 5": [{ env: ["A", 5] }],
    'permissions.env[0] must be a non-empty string, got ""': [{ env: [""] }],
    'permissions.read[0] must be a path or the "file:" URL of a local path, without "%2F", got URL "https://example.com/"':
      [{ read: [new URL("https://example.com/")] }],
    'permissions.ffi[0] must be a path or the "file:" URL of a local path, without "%2F", got "file:///lib%2Fx.so"':
      [{ ffi: ["file:///lib%2Fx.so"] }],
    'permissions.write[0] must be a path or the "file:" URL of a local path, without "%2F", got URL "file:///%FF"':
      [{ write: [new URL("file:///%FF")] }],
    'permissions.net[0] must be a non-empty string, got URL "file:///x"': [{
      net: [new URL("file:///x")],
    }],
  };
  for (const [reason, [value]] of Object.entries(wrong)) {
    assertEquals(faultsOf(value), [reason]);
  }
});

Deno.test("a middleware file that declares permissions needs no middleware", () => {
  const faultsOfFile = (exports: Record<string, unknown>) =>
    faultsFrom((report) => checkMiddleware(exports, report));
  const guard = () => new Response();
  const missing =
    "the default export is missing; export default a function, such as (request, next) => next(), or a list of functions";
  assertEquals(
    [
      { permissions: { env: ["KEY"] } },
      { permissions: {} },
      { permissions: { env: ["KEY"] }, guard },
      { permission: { net: ["a.example"] }, default: guard },
    ].map(faultsOfFile),
    [[], [missing], [missing], [
      'export "permission" has no effect; name it "permissions"',
    ]],
  );
});

Deno.test("flagsOf() merges and sorts the values of a kind", () => {
  const flags = (permissions: Parameters<typeof permissionsOf>[0]) =>
    flagsOf(permissionsOf(permissions));
  assertEquals(flags({ net: ["b:1", "a", "b:1"], env: ["K"] }), [
    "--allow-net=a,b:1",
    "--allow-env=K",
  ]);
  assertEquals(flags({ net: true, sys: [] }), ["--allow-net"]);
  assertEquals(flags({ read: ["a,b"] }), ["--allow-read=a,,b"]);
  assertEquals(flags({ read: ["my data"] }), ['"--allow-read=my data"']);
  const root = Deno.build.os === "windows" ? "file:///C:/data" : "file:///data";
  const path = Deno.build.os === "windows" ? "C:\\data" : "/data";
  assertEquals(permissionsOf({ read: [new URL(root), root, "data"] }), [
    { kind: "read", value: path },
    { kind: "read", value: path },
    { kind: "read", value: "data" },
  ]);
});

Deno.test("pathOf() reads a file: URL, keeps a path, and rejects a URL that names no file of the system", () => {
  const paths = ["data", "./file:a", "C:\\data", "files/a%2Fb"];
  const invalid = ["file:///a%2Fb", "file:///a%2fb", "file:///%FF"];
  const systems: Record<
    keyof typeof SYSTEMS,
    Record<string, string | undefined>
  > = {
    posix: {
      "file:///srv/my%20data/": "/srv/my data/",
      "file:/srv/a%5Cb": "/srv/a\\b",
      "file:///srv/100%": "/srv/100%",
      "file://server/data": undefined,
    },
    windows: {
      "file:///C:/my%20data/": "C:\\my data\\",
      "file://server/share/data": "\\\\server\\share\\data",
      "file:///C:/a%5Cb": undefined,
    },
  };
  for (const system of ["posix", "windows"] as const) {
    const read = (path: string | URL) => pathOf(path, SYSTEMS[system]);
    for (const path of paths) assertEquals(read(path), path);
    for (const url of invalid) systems[system][url] = undefined;
    for (const [url, expected] of Object.entries(systems[system])) {
      assertEquals([read(url), read(new URL(url))], [expected, expected], url);
    }
    assertEquals(read(new URL("https://a/")), undefined);
    assertEquals(read("file://a b/c"), undefined);
  }
});
