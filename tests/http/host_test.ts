import { assertEquals } from "@std/assert";
import { TestApplication } from "../support/application.ts";
import { rawRequest } from "../support/raw_http.ts";

const ROUTES = {
  "admin/route.js": "export const GET = () => new Response('admin');",
  "open/route.js":
    "export const GET = (request) => new Response(new URL(request.url).pathname);",
};

Deno.test("allowedHosts answers 400 to every other or malformed Host (behaviour 1.6)", async () => {
  await using application = await TestApplication.create(ROUTES, {
    allowedHosts: ["API.example.com", "*.example.org", "local:81", "[::1]"],
  });
  await using server = await application.serve();
  for (
    const [host, status] of [
      ["api.example.com", 200],
      ["API.Example.COM:8000", 200],
      ["a.example.org", 200],
      ["a.b.example.org:1", 200],
      ["local:81", 200],
      ["[::1]:8000", 200],
      ["example.com", 400],
      ["evil-api.example.com", 400],
      ["example.org", 400],
      ["badexample.org", 400],
      ["local", 400],
      ["local:82", 400],
      ["api.example.com/api/admin?", 400],
      ["api.example.com#", 400],
      ["user@api.example.com", 400],
      ["api.example.com,evil.com", 400],
      ["", 400],
    ] as const
  ) {
    const answer = await rawRequest(
      server.port,
      `GET /api/open HTTP/1.1\nHost: ${host}`,
    );
    assertEquals(answer.status, status, host);
  }
});

Deno.test("allowedHosts looks at the URL where there is no Host, as in process", async () => {
  await using application = await TestApplication.create(ROUTES, {
    allowedHosts: ["localhost"],
  });
  assertEquals((await application.fetch("/api/open")).status, 200);
  const other = await application.app.fetch(new Request("http://h/api/open"));
  assertEquals(other.status, 400);
});

Deno.test("no Host, however malformed, yields a 500 (behaviour 1.6)", async () => {
  await using application = await TestApplication.create(ROUTES);
  await using server = await application.serve();
  for (
    const [host, status] of [
      ["h/api/admin?", 200],
      ["h\\api\\admin?", 200],
      ["h?", 404],
      ["h#", 404],
      ["", 200],
      ["[::", 400],
      ["a b", 400],
      ["1.2.3.4.5", 400],
      ["h:99999", 400],
      ["%", 400],
    ] as const
  ) {
    const answer = await rawRequest(
      server.port,
      `GET /api/open HTTP/1.1\nHost: ${host}`,
    );
    assertEquals(answer.status, status, host);
  }
});
