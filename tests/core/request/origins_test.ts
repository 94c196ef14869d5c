import { assertEquals, assertThrows } from "@std/assert";
import { contentType } from "../../../src/core/common/media_type.ts";
import {
  createCrossSiteCheck,
  createOriginCheck,
} from "../../../src/core/request/origins.ts";

const check = createCrossSiteCheck(createOriginCheck([
  "https://app.example.com",
  "HTTPS://Partner.example:443",
  "chrome-extension://abcdefgh",
]));

/** The status of the rejection of a request, or 200. */
function statusOf(
  headers: Record<string, string>,
  { url = "http://api.example.com/api", method = "POST" } = {},
): number {
  // The headers of a `Request` would exclude `Origin` and `Sec-Fetch-Site`.
  const request = { url, method, headers: new Headers(headers) };
  const type = contentType(headers["content-type"] ?? "");
  return check(request as Request, type)?.status ?? 200;
}

const FORM = "application/x-www-form-urlencoded";

/** Types of bodies that browsers send without a preflight. */
const CHECKED = [
  ...[FORM, "multipart/form-data; boundary=x", "text/plain", undefined, ""],
  ...["text/plain;charset=UTF-8", "Text/Plain ; x", "TEXT/PLAIN"],
  ...["text/plain; application/json", "text/plain;, application/json"],
  ...["text/plain; charset=utf-16", `${FORM}; charset=iso-8859-1`],
  "text/plain; charset=application/a+json",
  // Malformed types count as unknown.
  ...["application/json, text/plain", "text/plain, application/json"],
  ...["application/json text/plain", "text/plain, a+json"],
  ...["text/plain a+json", "application/p*+json", "application", "json"],
  ...["application/", "/json", ";application/json", "application/json/x"],
  '"application/json"',
];

const UNCHECKED = [
  ...["application/json", "application/json; charset=utf-8", "text/x+json"],
  ...["application/json; charset=utf-16", "application/*+json"],
  ...["application/json;text/plain", "APPLICATION/JSON"],
  ...["application/problem+json", "application/vnd.api+json; ext=x"],
  ...["application/octet-stream", "application/xml", "text/html"],
  ...["text/plainer", "image/png"],
];

Deno.test("only bodies that browsers send without a preflight are checked (behaviour 7.2)", () => {
  for (const [types, status] of [[CHECKED, 403], [UNCHECKED, 200]] as const) {
    for (const type of types) {
      const headers = {
        origin: "https://evil.example",
        ...(type !== undefined && { "content-type": type }),
      };
      const site = { ...headers, "sec-fetch-site": "cross-site" };
      const found = [statusOf(headers), statusOf(site)];
      assertEquals(found, [status, status], String(type));
    }
  }
});

Deno.test("if the type of a body is JSON, no other header is read", () => {
  for (const type of ["application/json", "application/problem+json"]) {
    const names: string[] = [];
    const get = (name: string): string | null => {
      names.push(name);
      return "evil";
    };
    const request = { url: "http://h/", method: "POST", headers: { get } };
    const error = check(request as unknown as Request, contentType(type));
    assertEquals([error, names], [undefined, []]);
  }
});

Deno.test("only methods that may change data, with a body, are checked", () => {
  const headers = { "content-type": FORM, origin: "https://evil.example" };
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assertEquals(statusOf(headers, { method }), 403, method);
  }
  for (const method of ["GET", "HEAD", "OPTIONS"]) {
    assertEquals(statusOf(headers, { method }), 200, method);
  }
  assertEquals(statusOf({ ...headers, "content-length": "0" }), 200);
  assertEquals(statusOf({ ...headers, "content-length": "1" }), 403);
  assertEquals(statusOf({ ...headers, "transfer-encoding": "chunked" }), 403);
});

Deno.test("with Sec-Fetch-Site, only same-origin, none and trusted origins are allowed", () => {
  for (
    const [site, origin, status] of [
      ["same-origin", undefined, 200],
      ["none", undefined, 200],
      ["same-site", undefined, 403],
      ["cross-site", undefined, 403],
      ["", undefined, 403],
      ["Same-Origin", undefined, 403],
      ["same-origin, cross-site", undefined, 403],
      // A proxy may change `Host`, but not `Sec-Fetch-Site`.
      ["same-origin", "https://www.example.com", 200],
      ["same-origin", "null", 200],
      ["cross-site", "http://api.example.com", 403],
      ["same-site", "https://api.example.com:8443", 403],
      ["cross-site", "https://app.example.com", 200],
      ["same-site", "https://app.example.com", 200],
      ["cross-site", "https://partner.example", 200],
      ["cross-site", "chrome-extension://abcdefgh", 200],
      ["cross-site", "http://app.example.com", 403],
      ["cross-site", "https://app.example.com:8443", 403],
      ["cross-site", "https://app.example.com.evil.example", 403],
      ["cross-site", "https://evil.example, https://app.example.com", 403],
      ["cross-site", "null", 403],
    ] as const
  ) {
    const headers = {
      "content-type": FORM,
      "sec-fetch-site": site,
      ...(origin !== undefined && { origin }),
    };
    assertEquals(statusOf(headers), status, `${site} ${origin}`);
  }
});

Deno.test("without Sec-Fetch-Site, Origin must have the host and port of the URL", () => {
  for (
    const [host, origin, status] of [
      ["api.example.com", undefined, 200],
      ["api.example.com", "http://api.example.com", 200],
      // A proxy in front may end TLS, and pass on the port.
      ["api.example.com", "https://api.example.com", 200],
      ["api.example.com:443", "https://api.example.com", 200],
      ["api.example.com:80", "http://api.example.com", 200],
      ["API.example.com", "http://api.example.com", 200],
      ["api.example.com:8000", "http://api.example.com:8000", 200],
      ["[::1]:8000", "http://[::1]:8000", 200],
      ["api.example.com", "https://app.example.com", 200],
      ["api.example.com", "null", 403],
      ["api.example.com", "", 403],
      ["api.example.com", "http://evil.example", 403],
      ["api.example.com", "http://api.example.com:8000", 403],
      ["api.example.com:8000", "http://api.example.com", 403],
      ["api.example.com:8000", "http://api.example.com:80", 403],
      ["api.example.com", "http://example.com", 403],
      ["api.example.com", "http://api.example.com.evil", 403],
      ["api.example.com", "http://evil@api.example.com", 403],
      ["api.example.com", "http://api.example.com/x", 403],
      ["api.example.com", "api.example.com", 403],
      ["api.example.com", "//api.example.com", 403],
      ["api.example.com", "http://api.example.com http://evil.example", 403],
      // Only option middleware gets these.
      ["@", "http://@", 403],
      ["[", "http://[", 403],
    ] as const
  ) {
    const headers = {
      "content-type": FORM,
      ...(origin !== undefined && { origin }),
    };
    const url = `http://${host}/api`;
    assertEquals(statusOf(headers, { url }), status, `${url} ${origin}`);
  }
  const headers = { "content-type": FORM, origin: "https://api.example.com" };
  const found = ["https://api.example.com:443/api", "file:///api"]
    .map((url) => statusOf(headers, { url }));
  assertEquals(found, [200, 403]);
  const file = { "content-type": FORM, origin: "file://" };
  assertEquals(statusOf(file, { url: "file:///api" }), 403);
});

Deno.test("trustedOrigins rejects everything except origins", () => {
  for (
    const [origin, remedy = 'such as "https://app.example.com"'] of [
      [""],
      ["null"],
      ["*"],
      ["app.example.com"],
      ["//app.example.com"],
      ["localhost:5173"],
      ["https://"],
      ["https://*.example.com"],
      ["https://*.example.com/"],
      ["https://shop.example/", 'as in "https://shop.example"'],
      ["https://shop.example:8443/path", 'as in "https://shop.example:8443"'],
      ["https://shop.example?x", 'as in "https://shop.example"'],
      ["https://shop.example#x", 'as in "https://shop.example"'],
      ["https://user@shop.example", 'as in "https://shop.example"'],
      ["https://app.example.com:99999"],
      ["https://app example.com"],
      [" https://shop.example", 'as in "https://shop.example"'],
      ["file:///"],
    ]
  ) {
    assertThrows(
      () => createOriginCheck([origin!]),
      TypeError,
      `Cannot trust origin "${origin}": write only the scheme and the host, ${remedy}`,
      origin,
    );
  }
});
