/** Tests of the requests and responses that the recipe forwards. */
import { assert, assertEquals } from "@std/assert";
import { rawRequest } from "../../support/raw_http.ts";
import { encode, startProxied } from "./support.ts";

const describe = {
  GET: (request: Request) =>
    Response.json({
      url: request.url,
      client: request.headers.get("x-forwarded-for"),
      scheme: request.headers.get("x-forwarded-proto"),
    }),
};

Deno.test("nginx forwards Host with its port, if the name is served", async () => {
  await using proxied = await startProxied({ "/tell": describe });
  const { port } = proxied;
  for (
    const [target, host, url] of [
      ["/tell", "localhost", "http://localhost/tell"],
      ["/tell", `localhost:${port}`, `http://localhost:${port}/tell`],
      [
        "/tell?a=%2F#b",
        "api.example.com",
        "http://api.example.com/tell?a=%2F#b",
      ],
      // If both name a host, the target decides (RFC 9112, 3.2.2).
      ["http://localhost/tell", "evil.example", "http://localhost/tell"],
      ["https://localhost/tell", "localhost", "http://localhost/tell"],
      ["/tell", "evil.example", 421],
      ["http://evil.example/tell", "localhost", 421],
      ["/tell", "", 400],
      ["/tell", "localhost/x", 400],
    ] as const
  ) {
    const head = `GET ${target} HTTP/1.1\nHost: ${host}\n` +
      "X-Forwarded-For: 1.2.3.4\nX-Forwarded-Proto: https";
    const { status, body } = await rawRequest(port, head);
    const what = `${target} for "${host}"`;
    if (typeof url === "number") assertEquals(status, url, what);
    else {
      const client = "127.0.0.1";
      assertEquals(JSON.parse(body), { url, client, scheme: "http" }, what);
    }
  }
});

Deno.test("a form of the same origin passes, and a form of another site gets 403", async () => {
  await using proxied = await startProxied({
    "/form": {
      POST: async (request) =>
        new Response(String((await request.formData()).get("a"))),
    },
  });
  const { port } = proxied;
  for (
    const [host, source, passes] of [
      [`localhost:${port}`, `Origin: http://localhost:${port}`, true],
      // nginx ends HTTPS on the standard port: neither header has a port.
      ["api.example.com", "Origin: https://api.example.com", true],
      ["localhost", "Sec-Fetch-Site: same-origin", true],
      ["localhost", "X-No: browser", true],
      [`localhost:${port}`, "Origin: https://evil.example", false],
      [`localhost:${port}`, "Origin: http://localhost:1", false],
      ["localhost", "Origin: null", false],
      ["localhost", "Sec-Fetch-Site: cross-site", false],
    ] as const
  ) {
    const { status, body } = await rawRequest(
      port,
      `POST /form HTTP/1.1\nHost: ${host}\n${source}\nContent-Length: 3\n` +
        "Content-Type: application/x-www-form-urlencoded",
      "a=1",
    );
    const what = `${source} to ${host}: ${body}`;
    assertEquals(status, passes ? 200 : 403, what);
    if (passes) assertEquals(body, "1", what);
    else assertEquals(JSON.parse(body).title, "Forbidden", what);
  }
});

Deno.test("the guard of a folder holds for every form of the path", async () => {
  await using proxied = await startProxied({}, {
    "    location / {": "    location /api/admin { return 403; }\n" +
      "    location / {",
  });
  for (
    const [target, status] of [
      ["/api/admin/1", 403],
      ["//api//admin/1", 403],
      ["/api/%61dmin/1", 403],
      // nginx sees other locations, but the route and its guard match.
      ["/api\\admin\\1", 401],
      ["/api/x\\..\\admin/1", 401],
    ] as const
  ) {
    const response = await rawRequest(proxied.port, `GET ${target} HTTP/1.1`);
    assertEquals(response.status, status, target);
  }
});

Deno.test("a WebSocket echoes", async () => {
  await using proxied = await startProxied({
    "/socket": {
      GET: (request) => {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
        return response;
      },
    },
  });
  const socket = new WebSocket(`ws://127.0.0.1:${proxied.port}/socket`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  for (const word of ["one", "two"]) {
    const echo = new Promise((resolve) => {
      socket.onmessage = ({ data }) => resolve(data);
    });
    socket.send(word);
    assertEquals(await echo, `echo ${word}`);
  }
  const closed = new Promise((go) => socket.onclose = go);
  socket.close();
  await closed;
});

Deno.test("server-sent events arrive one by one, after the headers", async () => {
  let events: ReadableStreamDefaultController<Uint8Array> | undefined;
  await using proxied = await startProxied({
    "/events": {
      GET: () =>
        new Response(
          new ReadableStream({
            start: (controller) => void (events = controller),
          }),
          {
            headers: {
              "content-type": "text/event-stream",
              "x-accel-buffering": "no",
            },
          },
        ),
    },
  });
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(proxied.url("/events"), { signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  for (let count = 0; count < 5; count++) {
    const event = `data: ${count}\n\n`;
    events!.enqueue(encode(event));
    assertEquals(await reader.read(), { done: false, value: event });
  }
  events!.close();
  assert((await reader.read()).done);
});

Deno.test("a body streams to its handler piece by piece", async () => {
  let arrived = Promise.withResolvers<string>();
  await using proxied = await startProxied({
    "/upload": {
      POST: async (request) => {
        for await (
          const piece of request.body!.pipeThrough(new TextDecoderStream())
        ) arrived.resolve(piece);
        return new Response("all");
      },
    },
  });
  const { readable, writable } = new TransformStream<Uint8Array>();
  const response = fetch(proxied.url("/upload"), {
    method: "POST",
    body: readable,
    signal: AbortSignal.timeout(10_000),
  });
  const writer = writable.getWriter();
  for (const piece of ["one", "two", "three"]) {
    arrived = Promise.withResolvers();
    await writer.write(encode(piece));
    assertEquals(await arrived.promise, piece);
  }
  await writer.close();
  assertEquals(await (await response).text(), "all");
});

Deno.test("requests of a client share one connection to the application", async () => {
  await using proxied = await startProxied({ "/tell": describe });
  for (let round = 0; round < 10; round++) {
    await (await fetch(proxied.url("/tell"))).body?.cancel();
  }
  assertEquals(proxied.ports.size, 1);
});
