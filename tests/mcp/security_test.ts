import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "@bough/framework";
import { mcp, type McpOptions } from "@bough/framework/mcp";
import { assertThrows } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";
import { create, NEWEST, outcomeOf, TestClient } from "./support.ts";

/** Calls a tool of an application without a client: the raw response. */
async function post(
  application: FolderApplication,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await application.fetch("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

const request = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params,
});
const LIST = request("tools/list");
const READ = request("tools/call", {
  name: "getBooksByBookId",
  arguments: { params: { bookId: 4 } },
});
const HOSTS = ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8"];

/** The text of the single result of a call, in either form of a response. */
async function resultOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!;
  return JSON.parse(json).result;
}

Deno.test("only pages of localhost and of listed origins use the tools", async () => {
  const origins = ["https://agent.example.com"];
  await using application = await create(undefined, { origins });
  for (const origin of [...HOSTS, ...origins]) {
    const response = await post(application, LIST, { origin });
    assertEquals(response.status, 200, origin);
    await response.body?.cancel();
  }
  for (
    const origin of [
      "http://evil.example.com",
      "https://agent.example.com.evil.example",
      "http://agent.example.com",
      "https://agent.example.com:8443",
      "http://localhost.evil.example",
      "http://localhost@evil.example",
      "http://user@localhost",
      "chrome-extension://localhost",
      "capacitor://localhost",
      "http://localhost, http://evil.example.com",
      "null",
      "",
      "file://",
    ]
  ) {
    // After DNS rebinding, the host of the request is the attacker's.
    const response = await post(application, LIST, {
      origin,
      host: URL.parse(origin)?.host || "localhost",
    });
    assertEquals(response.status, 403, origin);
    assertEquals((await response.json()).status, 403);
  }
});

Deno.test("a 401 of the route is the response of /mcp, with its challenge", async () => {
  await using application = await create();
  for (const version of [undefined, NEWEST]) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": NEWEST,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const message = version === undefined
      ? READ
      : { ...READ, params: { ...READ.params, _meta } };
    const headers = version === undefined ? undefined : {
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "getBooksByBookId",
    };
    const response = await post(application, message, headers);
    assertEquals(response.status, 401);
    const challenge = response.headers.get("www-authenticate");
    assertEquals(challenge, 'Bearer realm="staff"');
    const direct = await application.fetch("/api/books/4");
    assertEquals(await response.text(), await direct.text());
  }
});

Deno.test("a 401 without a challenge gets one", async () => {
  await using application = await create({
    "route.ts": `
      export const schema = { get: { mcp: { name: "closed" } } };
      export const GET = () => new Response("no", { status: 401 });`,
  });
  const call = request("tools/call", { name: "closed" });
  const response = await post(application, call);
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("www-authenticate"), "Bearer");
  assertEquals(await response.text(), "no");
});

Deno.test("a batch is refused: a message in it could hide or stop another", async () => {
  await using application = await create();
  const search = request("tools/call", {
    name: "search",
    arguments: { query: { q: "a" } },
  });
  // The response to a cancelled call would never end.
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1 },
  };
  for (const batch of [[search, cancel], [search, READ], [search], []]) {
    const response = await post(application, `\n${JSON.stringify(batch)}`);
    assertEquals(response.status, 400);
    assertEquals(
      (await response.json()).detail,
      "Send one message, not a batch",
    );
  }
});

Deno.test("a call reaches no route of a plugin", async () => {
  const other = () => Response.json("other");
  const plugin = {
    name: "other",
    routes: () => [{ path: "/docs", handlers: { GET: other } }],
  };
  for (const lazy of [false, true]) {
    await using application = await FolderApplication.create({
      "[page]/route.ts": `
        export const schema = {
          get: { mcp: { name: "page" } },
          post: { mcp: { name: "send" } },
        };
        export const GET = ({ params }) => Response.json(params.page);
        export const POST = GET;`,
    }, { apiPrefix: "/", lazy, plugins: [plugin, mcp()] });
    await using connected = await TestClient.connect(application);
    const statuses = [];
    for (
      const [name, page] of [
        ["page", "about"],
        ["page", "docs"],
        ["page", "mcp"],
        ["send", "mcp"],
      ]
    ) {
      const call = { name: name!, arguments: { params: { page } } };
      statuses.push(outcomeOf(await connected.client.callTool(call)).status);
    }
    assertEquals(statuses, [200, 400, 400, 400]);
  }
});

Deno.test("guards see the address of a caller behind a proxy", async () => {
  const proxied = {
    forwarded: "for=203.0.113.7",
    "x-forwarded-for": "203.0.113.7",
    "x-real-ip": "203.0.113.7",
  };
  await using application = await create(ECHO, { headers: [] });
  const call = request("tools/call", {
    name: "echo",
    arguments: { params: { id: "1" } },
  });
  const { structuredContent } = await resultOf(
    await post(application, call, proxied),
  );
  const { body } = structuredContent as { body: { headers: object } };
  assertEquals(body.headers, { accept: "application/json", ...proxied });
});

const ECHO = {
  "echo/[id]/route.ts": `
    export const schema = { get: { mcp: { name: "echo" } } };
    export const GET = (request) => Response.json({
      headers: Object.fromEntries(request.headers),
      url: request.url,
      peer: request.info.remoteAddr,
    });`,
};

Deno.test("a call passes on only the listed headers, and the connection", async () => {
  const sent = {
    authorization: "Bearer x",
    cookie: "session=1",
    "x-forwarded-host": "evil.example",
    "x-tenant": "acme",
    accept: "application/json, text/event-stream",
  };
  for (
    const { headers, passed } of [
      { headers: undefined, passed: { authorization: "Bearer x" } },
      { headers: [], passed: {} },
      { headers: ["X-Tenant", "x-none"], passed: { "x-tenant": "acme" } },
    ]
  ) {
    await using application = await create(ECHO, {
      ...(headers !== undefined && { headers }),
    });
    await using server = await application.serve();
    const response = await fetch(server.url("/mcp"), {
      method: "POST",
      headers: { ...sent, "content-type": "application/json" },
      body: JSON.stringify(request("tools/call", {
        name: "echo",
        arguments: { params: { id: "a/b ?#" } },
      })),
    });
    const { structuredContent } = await resultOf(response);
    const { body } = structuredContent as {
      body: { headers: object; url: string; peer: { hostname: string } };
    };
    assertEquals(body.headers, { accept: "application/json", ...passed });
    assertEquals(body.url, server.url("/api/echo/a%2Fb%20%3F%23"));
    assertEquals(body.peer.hostname, "127.0.0.1");
  }
});

Deno.test("a call reaches only the route of its tool", async () => {
  await using application = await create({
    ...ECHO,
    "echo/all/route.ts": `export const GET = () => Response.json("other");`,
    "echo/route.ts": `export const GET = () => Response.json("other");`,
    "files/[id]/[...]/route.ts": `
      export const schema = { get: { mcp: { name: "file" } } };
      export const GET = ({ params, wildcardParams }) =>
        Response.json([params.id, ...wildcardParams]);`,
    "files/all/x/route.ts": `export const GET = () => Response.json("other");`,
  });
  await using connected = await TestClient.connect(application);
  const call = async (name: string, params: unknown) =>
    outcomeOf(
      await connected.client.callTool({ name, arguments: { params } }),
    );
  for (
    const id of [
      "all",
      "",
      ".",
      "..",
      "%2e%2e",
      "\ud800",
      "a\0b",
      null,
      {},
      [],
      ["1"],
    ]
  ) {
    const { status, body } = await call("echo", { id });
    // "%2e%2e" is a usual value, since it is encoded again.
    assertEquals(status, id === "%2e%2e" ? 200 : 400, String(id));
    assert(body !== "other");
  }
  for (const params of [undefined, {}, [], "x", { id: "1", more: 1 }]) {
    assertEquals((await call("echo", params)).status, 400);
  }
  const good = { id: "all", wildcard: "y/z ü" };
  assertEquals((await call("file", good)).body, ["all", "y", "z ü"]);
  for (
    const wildcard of [
      "x",
      "",
      "a//b",
      "/a",
      "a/",
      "..",
      ["a"],
      "a/../b",
      "a\\b",
    ]
  ) {
    const { status } = await call("file", { id: "all", wildcard });
    assertEquals(status, 400, String(wildcard));
  }
});

Deno.test("arguments that a request cannot contain are refused, with the reason", async () => {
  await using application = await create();
  await using connected = await TestClient.connect(application);
  for (
    const [input, reason] of [
      [{ quary: {} }, '"quary" is not an argument'],
      [{ query: { q: "a" }, body: 1 }, '"body" is not an argument'],
      [{ query: ["a"] }, '"query" is not an object'],
      [{ query: "q=a" }, '"query" is not an object'],
      [
        { query: { q: null } },
        '"query.q" is not a string, a number or a boolean',
      ],
      [
        { query: { q: [{}] } },
        '"query.q" is not a string, a number or a boolean',
      ],
    ] as const
  ) {
    const call = { name: "search", arguments: input };
    const result = await connected.client.callTool(call);
    const { status, body } = outcomeOf<{ detail: string }>(result);
    assertEquals([result.isError, status, body.detail], [
      true,
      400,
      `Cannot call the tool: ${reason}`,
    ]);
  }
});

Deno.test("list() hides tools from a caller, who cannot call them either", async () => {
  const list: McpOptions["list"] = ({ headers }, { name, method, path }) => {
    assert(path.startsWith("/api/"));
    return method === "GET" || headers.get("authorization") !== null ||
      name === "none";
  };
  await using application = await create(undefined, { list });
  await using connected = await TestClient.connect(application);
  const { client } = connected;
  const { tools } = await client.listTools();
  assertEquals(tools.map(({ name }) => name), ["getBooksByBookId", "search"]);
  const call = { name: "replace_book", arguments: { params: { bookId: 1 } } };
  const error = await assertRejects(() => client.callTool(call), Error);
  const other = { ...call, name: "replace_bOOk" };
  const unknown = await assertRejects(() => client.callTool(other), Error);
  assertEquals(
    error.message.replace("replace_book", ""),
    unknown.message.replace("replace_bOOk", ""),
  );
  await using staff = await TestClient.connect(application, { token: "x" });
  assertEquals((await staff.client.listTools()).tools.length, 3);
});

Deno.test("an error of list() is that of /mcp, and leaks nothing", async () => {
  const errors = [new HttpError(429, "Later"), new Error("secret")];
  for (const error of errors) {
    await using application = await create(undefined, {
      list: () => Promise.reject(error),
    });
    using log = new CapturedLog();
    for (const message of [LIST, READ]) {
      const response = await post(application, message);
      const text = await response.text();
      assertEquals(response.status, error instanceof HttpError ? 429 : 500);
      assert(!text.includes("secret"), text);
    }
    assertEquals(log.lines.length, error instanceof HttpError ? 0 : 2);
  }
});

Deno.test("the limits of the application hold for /mcp", async () => {
  await using application = await create(undefined, {}, { bodyLimit: 2_000 });
  const large = await post(application, { ...LIST, x: "y".repeat(2_000) });
  assertEquals(large.status, 413);
  await large.body?.cancel();
  for (const body of ["", "{", "[]", "null", "7", '"x"', "[[[[", "{}"]) {
    const response = await post(application, body);
    assert([400, 202].includes(response.status), `${body} ${response.status}`);
    await response.body?.cancel();
  }
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await application.fetch("/mcp", { method });
    assertEquals(response.status, 405);
    await response.body?.cancel();
  }
  const headers = { "content-type": "text/plain" };
  const form = await post(application, LIST, headers);
  assertEquals(form.status, 415);
  await form.body?.cancel();
});

Deno.test("a large bodyLimit holds for /mcp and for the route", async () => {
  await using application = await create(
    {
      "route.ts": `
        import { z } from "npm:zod@^4.1.13";
        export const schema = { post: { body: z.string(), mcp: { name: "size" } } };
        export const POST = ({ validated }) => Response.json(validated.body.length);`,
    },
    {},
    { bodyLimit: 6_000_000 },
  );
  const length = 5_000_000;
  const call = request("tools/call", {
    name: "size",
    arguments: { body: "x".repeat(length) },
  });
  const { structuredContent } = await resultOf(await post(application, call));
  assertEquals(structuredContent, { status: 200, body: length });
});

Deno.test("deeply nested arguments get the response of the route", async () => {
  await using application = await create({
    "route.ts": `
      import { z } from "npm:zod@^4.1.13";
      export const schema = { post: { body: z.unknown(), mcp: { name: "deep" } } };
      export const POST = () => Response.json("reached");`,
  });
  const deep = "[".repeat(400_000) + "]".repeat(400_000);
  const text = JSON.stringify(
    request("tools/call", { name: "deep", arguments: { body: "DEEP" } }),
  ).replace('"DEEP"', deep);
  using log = new CapturedLog();
  const response = await post(application, text);
  const direct = await application.fetch("/api", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: deep,
  });
  const body = await direct.json();
  assertEquals(outcomeOf(await resultOf(response)), {
    status: direct.status,
    body,
  });
  assertEquals(log.lines, []);
});

Deno.test("a tool reports what it cannot return, and large responses, as errors", async () => {
  const route = (name: string, code: string) => `
    export const schema = { get: { mcp: { name: "${name}" } } };
    export const GET = () => ${code};`;
  await using application = await create({
    "large/route.ts": route("large", `new Response("x".repeat(1_048_577))`),
    "full/route.ts": route("full", `new Response("x".repeat(1_048_576))`),
    "endless/route.ts": route(
      "endless",
      `new Response(new ReadableStream({ pull: (it) => it.enqueue(new Uint8Array(10_000)) }),
         { headers: { "content-type": "text/plain" } })`,
    ),
    "image/route.ts": route(
      "image",
      `new Response("png", { headers: { "content-type": "image/png" } })`,
    ),
    "bytes/route.ts": route("bytes", `new Response(new Uint8Array(3))`),
    "events/route.ts": route(
      "events",
      `new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } })`,
    ),
    "broken/route.ts": route(
      "broken",
      `new Response("{", { headers: { "content-type": "application/json" } })`,
    ),
    "moved/route.ts": route(
      "moved",
      `Response.redirect("http://localhost/api/full")`,
    ),
    "thrown/route.ts": route(
      "thrown",
      `{ throw new Error("secret"); }`,
    ),
    "cut/route.ts": route(
      "cut",
      `new Response(new Uint8Array([97, 195]), { headers: { "content-type": "text/plain" } })`,
    ),
    "torn/route.ts": route(
      "torn",
      `new Response(new ReadableStream({ pull() { throw new Error("secret") } }),
         { headers: { "content-type": "text/plain" } })`,
    ),
    "empty/route.ts": route("empty", `new Response(null, { status: 204 })`),
  });
  await using connected = await TestClient.connect(application);
  using log = new CapturedLog();
  const results: unknown[] = [];
  const { tools } = await connected.client.listTools();
  for (const { name } of tools) {
    const { isError, content } = await connected.client.callTool({ name });
    const [first] = content as { text: string }[];
    results.push([name, isError, first!.text]);
  }
  const but = "The route responded with status 200 and";
  const no = "which is neither JSON nor text";
  const problem = { type: "about:blank", title: "Internal Server Error" };
  assertEquals(results, [
    ["broken", true, `${but} invalid JSON`],
    ["bytes", true, `${but} type "", ${no}`],
    ["cut", false, "a\ufffd"],
    ["empty", false, "204 No Content"],
    ["endless", true, `${but} more than 1048576 bytes`],
    ["events", true, `${but} type "text/event-stream", ${no}`],
    ["full", false, "x".repeat(1_048_576)],
    ["image", true, `${but} type "image/png", ${no}`],
    ["large", true, `${but} more than 1048576 bytes`],
    ["moved", true, "302 Found"],
    ["thrown", true, JSON.stringify({ ...problem, status: 500 })],
    ["torn", true, JSON.stringify({ ...problem, status: 500 })],
  ]);
  assert(!JSON.stringify(results).includes("secret"));
  assertEquals(log.lines.length, 2);
});

Deno.test("mcp() rejects wrong options", () => {
  const wrong: [object, string][] = [
    [{ paht: "/x" }, 'option "paht" is unknown; did you mean "path"?'],
    [{ path: "mcp" }, 'path must be a path such as "/docs", got "mcp"'],
    [{ info: { name: "x" } }, "info must have a name and a version"],
    [{ headers: "cookie" }, "headers must be an array"],
    [{ headers: ["content-length"] }, "headers[0] must be the name"],
    [{ headers: ["Host"] }, "headers[0] must be the name"],
    [{ headers: ["a b"] }, "headers[0] must be the name"],
    [{ origins: ["https://a.example/"] }, "origins[0] must be an origin"],
    [{ origins: ["*"] }, "origins[0] must be an origin"],
    [{ list: true }, "list must be a function"],
  ];
  for (const [options, message] of wrong) {
    assertThrows(
      () => mcp(options as McpOptions),
      TypeError,
      `Cannot offer tools: ${message}`,
    );
  }
});
