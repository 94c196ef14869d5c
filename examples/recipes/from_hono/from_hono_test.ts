import { createClient } from "@bough/framework/client";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { publish, type Routes } from "./client.ts";
import { setCredentials } from "./credentials.ts";
import { app } from "./main.ts";
import { posts, todos } from "./model.ts";

setCredentials({ username: "hono", password: "acoolproject" });

const AUTHORIZATION = `Basic ${btoa("hono:acoolproject")}`;

/** Serves the program on a free port; the test gets its URL, with the prefix. */
async function served(test: (url: string) => Promise<void>): Promise<void> {
  posts.clear();
  todos.length = 0;
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await app.serve(options);
  await test(`http://127.0.0.1:${server.addr.port}/api`);
}

Deno.test("everyone reads posts, but only writers publish them", async () => {
  await served(async (url) => {
    const api = createClient<Routes>({ baseUrl: url });
    assertEquals(await publish(api, "Night", "Basic x"), "not published: 401");
    assertEquals(await publish(api, "Night", AUTHORIZATION), "Night");
    assertEquals(await publish(api, "Day", AUTHORIZATION), "Day");
    const query = { limit: 1, offset: 1 };
    const { status, data } = await api.GET("/posts", { query });
    assert(status === 200);
    assertEquals(data.posts.map(({ title }) => title), ["Day"]);
    const missing = await api.GET("/posts/[id]", { params: { id: "x" } });
    assertEquals([missing.status, missing.problem?.detail], [
      404,
      "Post not found",
    ]);
    const origin = "https://example.com";
    const response = await fetch(`${url}/posts`, { headers: { origin } });
    await response.body?.cancel();
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    const rejected = await fetch(`${url}/posts`, { method: "POST" });
    await rejected.body?.cancel();
    assertEquals(rejected.status, 401);
    assertMatch(rejected.headers.get("www-authenticate")!, /^Basic realm=/);
  });
});

Deno.test("the types of the routes check the calls of the client", async () => {
  await served(async (url) => {
    const api = createClient<Routes>({ baseUrl: url });
    const hello = await api.GET("/hello", { query: { name: "Hono" } });
    assertEquals(hello.data, { message: "Hello! Hono" });
    const todo = { id: "1", title: "Write code" };
    assertEquals((await api.POST("/todo", { body: todo })).status, 201);
    const form = new URLSearchParams({ id: "2", title: "Drink coffee" });
    const response = await fetch(`${url}/todo`, { method: "POST", body: form });
    assertEquals(await response.json(), { message: "created!" });
    assertEquals((await api.GET("/todo")).data, {
      todos: [todo, { id: "2", title: "Drink coffee" }],
    });
    for await (const { event, data } of api.events("/sse")) {
      assertEquals(event, "time-update");
      assertMatch(data, /^It is /);
      break;
    }
  });
});

Deno.test("text, pages, streams, uploads and unknown paths are as in Hono", async () => {
  await served(async (url) => {
    const text = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(url + path, init);
      return [response.status, await response.text()];
    };
    assertEquals(await text(""), [200, "Pretty Blog API"]);
    assertEquals(await text("/stream-text"), [200, "Hello\nBough!"]);
    assertMatch(String(await text("/page?name=<b>")), /<h1>Hello &lt;b&gt;!/);
    assertEquals(await text("/hello?name=Hono&pretty"), [
      200,
      '{\n  "message": "Hello! Hono"\n}',
    ]);
    assertEquals(await text("/nowhere"), [
      404,
      '{"message":"Not Found","ok":false}',
    ]);
    const upload = (bytes: number) => {
      const body = new FormData();
      const parts = [new Uint8Array(bytes)];
      body.set("file", new File(parts, "a.bin", { type: "image/png" }));
      return text("/upload", { method: "POST", body });
    };
    assertEquals(await upload(2_000_000), [
      200,
      '{"name":"a.bin","size":2000000,"type":"image/png"}',
    ]);
    assertEquals((await upload(5 * 1024 * 1024))[0], 413);
  });
});

Deno.test("the socket answers each message", async () => {
  await served(async (url) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await new Promise((resolve) => socket.onopen = resolve);
    const message = new Promise((resolve) =>
      socket.onmessage = ({ data }) => resolve(data)
    );
    socket.send('"Hello"');
    assertEquals(await message, '"Received: Hello"');
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
});

Deno.test("the program does not start without credentials", () => {
  const credentials = { username: "hono", password: "" };
  assertThrows(() => setCredentials(credentials), Error, "PASSWORD");
});
