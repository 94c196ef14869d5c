import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "@bough/framework";
import { mcp, type McpOptions } from "@bough/framework/mcp";
import { CapturedLog, TestApplication } from "../support/application.ts";
import { NEWEST, TestClient } from "./client.ts";
import {
  create,
  FILES,
  type Files,
  outcomeOf,
  post,
  request,
  resultOf,
} from "./support.ts";

const LIST = request("tools/list");
const READ = request("tools/call", {
  name: "getBooksByBookId",
  arguments: { params: { bookId: 4 } },
});
const HOSTS = ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8"];

const ECHO: Files = {
  "echo/[id]/route.ts": {
    schema: { get: { mcp: { name: "echo" } } },
    GET: (request) =>
      Response.json({
        headers: Object.fromEntries(request.headers),
        url: request.url,
        peer: request.info.remoteAddr,
      }),
  },
};

Deno.test("only pages of localhost and of listed origins may use the tools", async () => {
  const origins = ["https://agent.example.com"];
  const application = create(undefined, { origins });
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

Deno.test("/mcp responds with the 401 of the route and its challenge, and adds a missing challenge", async () => {
  const application = create({
    ...FILES,
    "route.ts": {
      schema: { get: { mcp: { name: "closed" } } },
      GET: () => new Response("no", { status: 401 }),
    },
  });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const newest = { ...READ, params: { ...READ.params, _meta } };
  const direct = await application.fetch("/api/books/4");
  const problem = await direct.text();
  for (
    const [message, headers, challenge, body] of [
      [READ, {}, 'Bearer realm="staff"', problem],
      [
        newest,
        {
          "mcp-protocol-version": NEWEST,
          "mcp-method": "tools/call",
          "mcp-name": "getBooksByBookId",
        },
        'Bearer realm="staff"',
        problem,
      ],
      [request("tools/call", { name: "closed" }), {}, "Bearer", "no"],
    ] as const
  ) {
    const response = await post(application, message, headers);
    assertEquals(
      [
        response.status,
        response.headers.get("www-authenticate"),
        await response.text(),
      ],
      [401, challenge, body],
    );
  }
});

Deno.test("/mcp rejects a batch, in which a message could hide or stop another", async () => {
  const application = create();
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

Deno.test("a call cannot reach a route of a plugin", async () => {
  const other = () => Response.json("other");
  const plugin = {
    name: "other",
    routes: () => [{ path: "/docs", handlers: { GET: other } }],
  };
  for (const lazy of [false, true]) {
    const application = TestApplication.of({
      "[page]/route.ts": {
        schema: {
          get: { mcp: { name: "page" } },
          post: { mcp: { name: "send" } },
        },
        GET: ({ params }) => Response.json(params.page),
        POST: ({ params }) => Response.json(params.page),
      },
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

Deno.test("a call passes on only the listed headers, the connection and the address behind a proxy", async () => {
  const proxied = {
    forwarded: "for=203.0.113.7",
    "x-forwarded-for": "203.0.113.7",
    "x-real-ip": "203.0.113.7",
  };
  const sent = {
    ...proxied,
    authorization: "Bearer x",
    cookie: "session=1",
    "x-forwarded-host": "evil.example",
    "x-tenant": "acme",
    accept: "application/json, text/event-stream",
  };
  for (
    const [options, passed] of [
      [{}, { authorization: "Bearer x" }],
      [{ headers: [] }, {}],
      [{ headers: ["X-Tenant", "x-none"] }, { "x-tenant": "acme" }],
    ] as const
  ) {
    await using server = await create(ECHO, options).serve();
    const response = await fetch(server.url("/mcp"), {
      method: "POST",
      headers: { ...sent, "content-type": "application/json" },
      body: JSON.stringify(request("tools/call", {
        name: "echo",
        arguments: { params: { id: "a/b ?#" } },
      })),
    });
    const { body: { headers, url, peer } } = outcomeOf<{
      headers: object;
      url: string;
      peer: { hostname: string };
    }>(await resultOf(response));
    const all = { accept: "application/json", ...proxied, ...passed };
    assertEquals(headers, all);
    assertEquals(url, server.url("/api/echo/a%2Fb%20%3F%23"));
    assertEquals(peer.hostname, "127.0.0.1");
  }
});

Deno.test("a call reaches only the route of its tool", async () => {
  const other = { GET: () => Response.json("other") };
  const application = create({
    ...ECHO,
    "echo/all/route.ts": other,
    "echo/route.ts": other,
    "files/[id]/[...]/route.ts": {
      schema: { get: { mcp: { name: "file" } } },
      GET: ({ params, wildcardParams = [] }) =>
        Response.json([params.id, ...wildcardParams]),
    },
    "files/all/x/route.ts": other,
  });
  await using connected = await TestClient.connect(application);
  const call = async (name: string, params: unknown) =>
    outcomeOf(
      await connected.client.callTool({ name, arguments: { params } }),
    );
  const ids = ["all", "", ".", "..", "%2e%2e", "\ud800", "a\0b"];
  for (const id of [...ids, null, {}, [], ["1"]]) {
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
  const wildcards = ["x", "", "a//b", "/a", "a/", "..", "a/../b", "a\\b"];
  for (const wildcard of [...wildcards, ["a"]]) {
    const { status } = await call("file", { id: "all", wildcard });
    assertEquals(status, 400, String(wildcard));
  }
});

Deno.test("a call reports the reason why a request cannot contain its arguments", async () => {
  const application = create();
  await using connected = await TestClient.connect(application);
  for (
    const [input, reason] of [
      [{ quary: {} }, '"quary" is not an argument; the arguments are: query'],
      [
        { query: { q: "a" }, body: 1 },
        '"body" is not an argument; the arguments are: query',
      ],
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

Deno.test("a caller cannot call the tools that list() hides", async () => {
  const list: McpOptions["list"] = ({ headers }, { name, method, path }) => {
    assert(path.startsWith("/api/"));
    return method === "GET" || headers.get("authorization") !== null ||
      name === "none";
  };
  const application = create(undefined, { list });
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

Deno.test("an error of list() becomes the response of /mcp, without internal details", async () => {
  const errors = [new HttpError(429, "Later"), new Error("secret")];
  for (const error of errors) {
    const application = create(undefined, {
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

Deno.test("a tool reaches its own route, whatever the option rewrite returns (behaviour 1.7, 10.8)", async () => {
  const application = TestApplication.of({
    ...ECHO,
    "hidden/route.ts": { GET: () => Response.json("hidden") },
  }, {
    plugins: [mcp()],
    rewrite: ({ url }) => url.includes("/echo/") ? "/api/hidden" : undefined,
  });
  const params = { name: "echo", arguments: { params: { id: "7" } } };
  const response = await post(application, request("tools/call", params));
  const { body } = outcomeOf<{ url: string }>(await resultOf(response));
  assertEquals(new URL(body.url).pathname, "/api/echo/7");
  const direct = await application.fetch("/api/echo/7");
  assertEquals(await direct.json(), "hidden");
});
