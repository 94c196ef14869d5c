import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  BadPathError,
  PathReader,
} from "../../../src/core/routing/pathname.ts";

Deno.test("PathReader.read() finds the path between authority, query and fragment, whatever host it remembers", () => {
  const reader = new PathReader();
  for (
    const [url, path] of [
      ["http://h/api/users", "/api/users"],
      ["http://h:81/api/users?a=/b", "/api/users"],
      ["https://h/api/users#/x?y", "/api/users"],
      ["http://h/a#b?c", "/a"],
      ["http://h", "/"],
      ["http://h/", "/"],
      ["http://h?x=/y", "/"],
      ["http://user:pass@h/a", "/a"],
      ["http://[::1]:8000/a", "/a"],
      ["http://h\\a\\b", "/a/b"],
      ["http://h/api?", "/api"],
      ["data:a/b", "/a/b"],
      ["data:a/http://h/b", "/a/http:/h/b"],
      // The reader remembers a host; a longer one begins with it.
      ["http://h/a", "/a"],
      ["http://h:81/a", "/a"],
      ["http://host/a", "/a"],
      ["http://h/api/admin?/x", "/api/admin"],
      ["http://h?/x", "/"],
      ["http://i/x/http://h/", "/x/http:/h"],
    ] as const
  ) {
    assertEquals(reader.read(url).text, path, url);
  }
  for (let length = 1; length < 100; length++) {
    const host = "h.".repeat(length);
    const urls = [
      `http://${host}/a`,
      `http://${host}?/a`,
      `http://${host}i#/a`,
    ];
    assertEquals(urls.map((url) => reader.read(url).text), ["/a", "/", "/"]);
  }
});

/** How often a work that costs time is done while a path is read. */
function costOf(read: () => void): Readonly<Record<string, number>> {
  const cost = { parsed: 0, constructed: 0, split: 0, decoded: 0 };
  const { URL, decodeURIComponent } = globalThis;
  const { split } = String.prototype;
  globalThis.URL = class extends URL {
    constructor(url: string | URL, base?: string | URL) {
      super(url, base);
      cost.constructed++;
    }
    static override canParse(...args: [string | URL]): boolean {
      cost.parsed++;
      return URL.canParse(...args);
    }
  };
  globalThis.decodeURIComponent = (text) => {
    cost.decoded++;
    return decodeURIComponent(text);
  };
  String.prototype.split = function (...args: unknown[]): string[] {
    cost.split++;
    return Reflect.apply(split, this, args);
  };
  try {
    read();
  } finally {
    Object.assign(globalThis, { URL, decodeURIComponent });
    String.prototype.split = split;
  }
  return cost;
}

Deno.test("PathReader.read() does only the work that a path needs", () => {
  const reader = new PathReader();
  const first = costOf(() => reader.read("http://h:81/a"));
  assertEquals(first, { parsed: 1, constructed: 0, split: 0, decoded: 0 });
  const free = { parsed: 0, constructed: 0, split: 0, decoded: 0 };
  for (
    const [target, cost] of [
      ["/", free],
      ["/a", free],
      ["/a/b.c/d..e/f?x=//y/%20\\", free],
      ["/?x=//", free],
      ["/a#/..", free],
      ["//a", { ...free, split: 1 }],
      ["/a/", { ...free, split: 1 }],
      ["/a%20b/c", { ...free, split: 1, decoded: 1 }],
      ["/.a/b", { ...free, split: 1 }],
      ["/a/../b", { ...free, split: 1, constructed: 1 }],
      ["/a\\b", { ...free, split: 1, constructed: 1 }],
    ] as const
  ) {
    const url = `http://h:81${target}`;
    assertEquals(costOf(() => reader.read(url)), cost, target);
  }
});

Deno.test("PathReader.read() returns the path of the URL, whatever it read before (behaviour 1.1 and 1.6)", () => {
  const urls = [
    ...["/a/../b", "/a/./b", "/a/..", "/a/.", "/..", "/a/%2e%2E/b", "/a/.%2e/b"]
      .map((path) => `http://h${path}`),
    ...["/a\\..\\b", "/ü", '/a"<>`{}|^b', "/a/...", "/.a/..b"]
      .map((path) => `http://h${path}`),
    "http://h/api/users",
    // What `Host: /`, `Host: /x`, `Host: h/x` and so on make of a target.
    "http:///",
    "http:////a/b",
    "http:///x/a/b",
    "http://h/x/a/b",
    "http://h/\t../x/a/b",
    "http://h/%2\te%2e/x",
    "http://h/a/.\t./b?x",
    "http://h\t/a/../b",
    "http://\t/a/b",
    "http://a\tb/x/../b",
    "http://us er@h/a",
    "http://user@h/a",
    "http://h\\x/a/../b",
    "http://\\x/a/b",
    "http://h\\@x/../a/b",
    "foo://h\\@x/../a/b",
    "http://h?x/a/b",
    "http://h#x/a/../b",
    "http://h*",
    "http://[::1]/a/../b",
    "HTTP://H/a/./b",
    // Other schemes have other rules: for drive letters and backslashes.
    "file://h/C|/x",
    "FILE://h/C|/../x",
    "file:///x/../y",
    "ftp://h/a\\..\\b",
    "foo://h/a\\..\\b",
    "foo://h",
    "foo:///a/../b",
    "http+unix://%2Ftmp%2Fsock/a/../b",
    "http+unix:///x/a/b",
    "1x://h/a",
    "://h/a",
    "data:a/../b",
  ];
  const read = (reader: PathReader, url: string): string => {
    try {
      return reader.read(url).text;
    } catch (error) {
      assert(error instanceof BadPathError, `${url}: ${error}`);
      return "400";
    }
  };
  for (const first of urls) {
    for (const url of urls) {
      const reader = new PathReader();
      read(reader, first);
      const text = read(reader, url);
      const pair = JSON.stringify([first, url]);
      assertEquals(text, read(new PathReader(), url), pair);
      if (text === "400") continue;
      const segments = new URL(url).pathname.split("/")
        .filter((segment) => segment !== "").map(decodeURIComponent);
      assertEquals(text, "/" + segments.join("/"), pair);
    }
  }
});

Deno.test("PathReader.read() refuses malformed escapes and authorities (behaviour 1.3 and 1.6)", () => {
  for (
    const url of [
      ...["http://h/%", "http://h/%G1", "http://h/%FF", "http://h/%00"],
      ...["http://[::/a", "http://a b/a", "http://1.2.3.4.5/a"],
      ...["http://h:99999/a", "http:///", "http:////a/b", "http:///x/a/b"],
      ...["https://?x", "http://\t/a/b", "http://\\x/a/b", "http://a\tb/x"],
      ...["http://us er@h/a", "file:///a", "file:/a", "file://h/C|/a"],
      ...["FILE://h/a", "http+unix:///x/a/b", "http+unix://a\\b/a"],
      ...["http://@/a", "http://:80/a"],
    ]
  ) {
    assertThrows(() => new PathReader().read(url), BadPathError, "", url);
  }
});
