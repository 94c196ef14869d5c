import { assertEquals } from "@std/assert";
import { app } from "./main.ts";
import { localPath } from "./redirect.ts";

async function call(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; location: string | null; body: unknown }> {
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  const url = `http://127.0.0.1:${server.addr.port}/api/${path}`;
  const response = await fetch(url, { redirect: "manual", ...init });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get("location"),
    body: text === "" ? null : JSON.parse(text),
  };
}

Deno.test("a form redirects to the created task", async () => {
  const created = await call("tasks", { method: "POST" });
  assertEquals([created.status, created.location], [303, "/api/tasks/1"]);
  const followed = await call("tasks", { method: "POST", redirect: "follow" });
  assertEquals([followed.status, followed.body], [200, { id: "1" }]);
});

Deno.test("a moved route keeps parameters, query, method and body", async () => {
  const moved = await call("todos/1%2F2%3F?x=%2F&y=a+b");
  assertEquals(moved.status, 308);
  assertEquals(moved.location, "/api/tasks/1%2F2%3F?x=%2F&y=a+b");
  const put = await call("todos/7", {
    method: "PUT",
    body: '{"title":"Emma"}',
    redirect: "follow",
  });
  assertEquals(put.body, { id: "7", title: "Emma" });
});

Deno.test("login redirects only to paths of this site", async () => {
  const login = (next: string) =>
    call(`login?next=${encodeURIComponent(next)}`, { method: "POST" });
  const back = await login("/api/tasks/1?page=2#top");
  assertEquals(back.status, 303);
  assertEquals(back.location, "/api/tasks/1?page=2#top");
  assertEquals((await login("//evil.example")).location, "/api/tasks");
  assertEquals(
    (await call("login", { method: "POST" })).location,
    "/api/tasks",
  );
});

Deno.test("localPath() rejects every form of another site", () => {
  for (
    const next of [
      "https://evil.example/",
      "//evil.example",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      "\t//evil.example",
      " //evil.example",
      "/.//evil.example",
      "/x/..//evil.example",
      "/%2e%2e//evil.example",
      "http:evil.example",
      "http://localhost@evil.example",
      "javascript:alert(1)",
      "data:text/html,x",
      "//[",
      "",
      "tasks",
    ]
  ) {
    assertEquals(localPath(next, "/home"), "/home", JSON.stringify(next));
  }
  for (const next of ["/", "/a?b=//evil.example", "/a//b", "/%2f/x", "/é"]) {
    const path = localPath(next, "/home");
    const { href, origin } = new URL(path, "https://shop.example/login");
    assertEquals(origin, "https://shop.example");
    assertEquals(href, new URL(next, "https://shop.example").href);
  }
});
