import { assertEquals } from "@std/assert";
import * as posix from "@std/path/posix";
import { relative } from "@std/path/windows";
import { importSpecifier } from "../../../src/cli/generate/modules.ts";
import {
  contains,
  folderOf,
  importUrl,
  namesBelow,
} from "../../../src/core/common/paths.ts";
import { WINDOWS } from "../../../src/core/common/windows_paths.ts";

const windows = { ...WINDOWS, relative };

Deno.test("folderOf() writes a folder with slashes, on Windows, too", () => {
  const label = (apiDir: string | URL) => folderOf(apiDir, windows).label;
  assertEquals(
    ["api", ".\\api\\", "./api/v1/", "src\\api", "C:\\app\\api"].map(label),
    ["api", "api", "api/v1", "src/api", "C:/app/api"],
  );
  assertEquals(label(new URL("file:///C:/my%20app/api/")), "C:/my app/api");
  assertEquals(folderOf("./api/", posix).label, "api");
  assertEquals(folderOf("a\\b", posix).label, "a\\b");
});

Deno.test("folderOf() writes absolute paths relative to the working directory", () => {
  const label = (apiDir: URL | string): string => folderOf(apiDir, posix).label;
  const here = posix.toFileUrl(`${Deno.cwd()}/`);
  assertEquals(label(`${Deno.cwd()}/api/`), "api");
  assertEquals(label(new URL("src/my%20api/", here)), "src/my api");
  assertEquals(label(new URL("..", here)), Deno.cwd().replace(/\/[^/]+$/, ""));
  assertEquals(label(here), Deno.cwd());
  const neighbour = new URL(`${here.href.slice(0, -1)}-2/api`);
  assertEquals(label(neighbour), `${Deno.cwd()}-2/api`);
});

Deno.test("folderOf() accepts drives, file: URLs and shares of Windows", () => {
  const root = (apiDir: string | URL) => folderOf(apiDir, windows).root;
  assertEquals(root("C:\\app\\api\\"), "C:\\app\\api");
  assertEquals(root("c:/app/api"), "c:\\app\\api");
  const urls = ["/C:/app/api/", "/D:/caf%C3%A9/%5Bid%5D/", "server/share/api/"];
  assertEquals(
    urls.map((url) => root(new URL(`file://${url}`))),
    ["C:\\app\\api", "D:\\café\\[id]", "\\\\server\\share\\api"],
  );
  const { root: unix } = folderOf(new URL("file:///srv/my%20app/api/"), posix);
  assertEquals(unix, "/srv/my app/api");
});

Deno.test("namesBelow() splits at the separator of the system", () => {
  assertEquals(
    namesBelow("C:\\app\\api", "C:\\app\\api\\users\\[id]\\route.ts", windows),
    ["users", "[id]", "route.ts"],
  );
  assertEquals(namesBelow("C:\\", "C:\\users\\route.ts", windows), [
    "users",
    "route.ts",
  ]);
  assertEquals(namesBelow("C:\\app\\api", "C:\\app\\api", windows), []);
  // Elsewhere, a backslash is a character like any other.
  assertEquals(namesBelow("/api", "/api/a\\b/route.ts", posix), [
    "a\\b",
    "route.ts",
  ]);
  assertEquals(namesBelow("/", "/users/route.ts", posix), [
    "users",
    "route.ts",
  ]);
});

Deno.test("contains() distinguishes a folder from another with the same beginning", () => {
  const app = "C:\\app\\api";
  const share = "\\\\server\\share";
  assertEquals([
    contains(app, `${app}\\users`, windows),
    contains(app, app, windows),
    contains("C:\\", "C:\\app", windows),
    contains(share, `${share}\\api`, windows),
    contains("/", "/app", posix),
  ], Array(5).fill(true));
  assertEquals([
    contains(app, `${app}-private`, windows),
    contains(app, "D:\\app\\api\\users", windows),
    contains(app, "C:\\app", windows),
    contains("/app/api", "/app/api-private", posix),
  ], Array(4).fill(false));
});

Deno.test("importUrl() escapes characters that a path may contain and a URL may not", () => {
  assertEquals(
    importUrl("C:\\my app\\api\\[id]\\route.ts", windows).href,
    "file:///C:/my%20app/api/[id]/route.ts",
  );
  assertEquals(
    importUrl("\\\\server\\share\\api\\route.ts", windows).href,
    "file://server/share/api/route.ts",
  );
  assertEquals(
    importUrl("/srv/50%/what?/a#b/caf\u00e9/a\\b/route.ts", posix).href,
    "file:///srv/50%25/what%3F/a%23b/caf%C3%A9/a%5Cb/route.ts",
  );
});

Deno.test("importSpecifier() writes paths of Windows with slashes", () => {
  const specifier = (folder: string): string =>
    importSpecifier(folder, "C:\\my app\\api\\[id]\\route.ts", windows);
  assertEquals(
    ["C:\\my app", "C:\\my app\\build", "D:\\build"].map(specifier),
    [
      "./api/[id]/route.ts",
      "../api/[id]/route.ts",
      "file:///C:/my%20app/api/[id]/route.ts",
    ],
  );
  assertEquals(
    importSpecifier("/app", "/app/api/a\\b/100%/what?/route.ts", posix),
    "./api/a%5Cb/100%25/what%3F/route.ts",
  );
});
