import { assert, assertEquals } from "@std/assert";
import {
  BadPathError,
  PathReader,
} from "../../../src/core/routing/pathname.ts";

/** URLs with a malformed escape, or an empty or malformed authority. */
const REFUSED = [
  ...["http://h/%", "http://h/%G1", "http://h/%FF", "http://h/%00"],
  ...["http://h\t/a/../b", "1x://h/a", "://h/a", "foo:///a", "http://\t/a/b"],
  ...["http://[::/a", "http://a b/a", "http://1.2.3.4.5/a", "http://h:99999/a"],
  // What `Host: /`, `Host: /x`, `Host: h/x` and so on make of a target.
  ...["http:///", "http:////a/b", "http:///x/a/b", "https://?x"],
  ...["http://\\x/a/b", "http://a\tb/x/../b", "http://us er@h/a", "file:///a"],
  ...["file:/a", "file://h/C|/a", "FILE://h/C|/../x", "file:///x/../y"],
  ...["http+unix:///x/a/b", "http+unix://a\\b/a", "http://@/a", "http://:80/a"],
];

const URLS = [
  ...["http://h/a", "http://h:81/a?a=/b", "https://h/a#/x?y", "http://h/a#b?c"],
  ...["http://h", "http://h/", "http://h?x=/y", "http://user:pass@h/a"],
  ...["http://[::1]:8000/a", "http://h\\a\\b", "http://h/api?", "data:a/b"],
  ...["http://h/a/../b", "http://h/a/./b", "http://h/a/..", "http://h/a/."],
  ...["http://h/..", "http://h/a/%2e%2E/b", "http://h/a/.%2e/b", "http://h/ü"],
  ...["http://h/a\\..\\b", 'http://h/a"<>`{}|^b', "http://h/a/..."],
  ...["http://h/.a/..b", "http://h/x/a/b", "http://h/\t../x/a/b"],
  ...["http://h/%2\te%2e/x", "http://h/a/.\t./b?x", "http://h/b"],
  ...["http://user@h/a", "http://h\\x/a/../b", "http://h\\@x/../a/b"],
  ...["foo://h\\@x/../a/b", "http://h?x/a/b", "http://h#x/a/../b", "http://h*"],
  ...["http://[::1]/a/../b", "HTTP://H/a/./b", "http://i/x/http://h/"],
  // Other schemes have other rules: for backslashes and the authority.
  ...["ftp://h/a\\..\\b", "foo://h/a\\..\\b", "foo://h"],
  ...["http+unix://%2Ftmp%2Fsock/a/../b", "data:a/../b", "data:a/http://h/b"],
];

Deno.test("PathReader.read() returns the path of the URL, or refuses it, whatever it read before (behaviour 1.1, 1.3 and 1.6)", () => {
  const read = (reader: PathReader, url: string): string => {
    try {
      return reader.read(url).text;
    } catch (error) {
      assert(error instanceof BadPathError, `${url}: ${error}`);
      return "400";
    }
  };
  const expected = (url: string): string =>
    REFUSED.includes(url) ? "400" : "/" +
      new URL(url).pathname.split("/")
        .filter((segment) => segment !== "").map(decodeURIComponent).join("/");
  for (const first of [...URLS, ...REFUSED]) {
    for (const url of [...URLS, ...REFUSED]) {
      const reader = new PathReader();
      read(reader, first);
      const pair = JSON.stringify([first, url]);
      assertEquals(read(reader, url), expected(url), pair);
    }
  }
  const reader = new PathReader();
  for (let length = 1; length < 100; length++) {
    const host = "h.".repeat(length);
    const urls = [
      `http://${host}/a`,
      `http://${host}?/a`,
      `http://${host}i#/a`,
    ];
    assertEquals(urls.map((url) => read(reader, url)), ["/a", "/", "/"]);
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
