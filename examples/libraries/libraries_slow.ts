/** Clients of the libraries call their handlers over HTTP. */
import { main } from "@bough/framework/cli";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { RouterClient } from "@orpc/server";
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
} from "@trpc/client";
import { createAuthClient } from "better-auth/client";
import { app } from "@/main.ts";
import type { router } from "@/orpc.ts";
import type { Router } from "@/trpc.ts";

/** Serves the application until the end of a test. */
async function serve() {
  const server = await app.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  });
  /** The lengths of bodies that the middleware has read, by path. */
  const lengths = new Map<string, string>();
  return {
    lengths,
    url: (path: string) => `http://127.0.0.1:${server.addr.port}/api/${path}`,
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      const response = await fetch(input, init);
      const length = response.headers.get("x-body-length");
      assert(length !== null, `${response.url} lacks the header`);
      lengths.set(new URL(response.url).pathname, length);
      return response;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("better-auth signs a user up and in", async () => {
  await using server = await serve();
  const client = createAuthClient({
    baseURL: server.url("better-auth"),
    fetchOptions: { customFetchImpl: server.fetch },
  });
  const ada = { email: "ada@example.com", password: "correct horse" };
  const up = await client.signUp.email({ ...ada, name: "Ada" });
  assertEquals([up.error, up.data?.user.name], [null, "Ada"]);
  let cookie = "";
  const onSuccess = ({ response }: { response: Response }) => {
    cookie = response.headers.getSetCookie()[0]!.split(";")[0]!;
  };
  await client.signIn.email(ada, { onSuccess });
  const { data } = await client.getSession({
    fetchOptions: { headers: { cookie } },
  });
  assertEquals(data?.user.email, "ada@example.com");
  assertEquals(
    server.lengths.get("/api/better-auth/sign-in/email"),
    `${JSON.stringify(ada).length}`,
  );
});

Deno.test("Auth.js signs a user in", async () => {
  await using server = await serve();
  const csrf = await server.fetch(server.url("auth-js/csrf"));
  const { csrfToken } = await csrf.json();
  const cookie = csrf.headers.getSetCookie()
    .map((each) => each.split(";")[0]).join("; ");
  const signedIn = await server.fetch(
    server.url("auth-js/callback/credentials"),
    {
      method: "POST",
      headers: { cookie },
      body: new URLSearchParams({ csrfToken, password: "secret" }),
      redirect: "manual",
    },
  );
  await signedIn.body?.cancel();
  const session = await server.fetch(server.url("auth-js/session"), {
    headers: {
      cookie: signedIn.headers.getSetCookie()
        .map((each) => each.split(";")[0]).join("; "),
    },
  });
  assertEquals((await session.json()).user, { name: "Ada" });
  assertEquals(server.lengths.get("/api/auth-js/session"), "0");
});

Deno.test("tRPC answers batches and sends subscriptions", async () => {
  await using server = await serve();
  const url = server.url("trpc");
  const client = createTRPCClient<Router>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({ url }),
        false: httpBatchLink({
          url,
          fetch: (input, init) => server.fetch(input, init as RequestInit),
        }),
      }),
    ],
  });
  assertEquals(
    await Promise.all([
      client.greet.query("Ada"),
      client.greet.query("Bob"),
    ]),
    ["Hello, Ada!", "Hello, Bob!"],
  );
  assertEquals(
    await Promise.all([
      client.add.mutate([1, 2]),
      client.add.mutate([3, 4]),
    ]),
    [3, 7],
  );
  assertEquals([...server.lengths], [
    ["/api/trpc/greet,greet", "0"],
    ["/api/trpc/add,add", `${'{"0":[1,2],"1":[3,4]}'.length}`],
  ]);
  const numbers: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const subscription = client.count.subscribe(3, {
      onData(number) {
        numbers.push(number);
        if (number < 3) return;
        subscription.unsubscribe();
        resolve();
      },
      onError: reject,
    });
  });
  assertEquals(numbers, [1, 2, 3]);
});

Deno.test("GraphQL Yoga answers queries and sends subscriptions", async () => {
  await using server = await serve();
  const call = async (query: string, headers: HeadersInit = {}) => {
    const response = await server.fetch(server.url("graphql"), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query }),
    });
    return await response.text();
  };
  assertEquals(
    JSON.parse(await call('{ greet(name: "Ada") }')),
    { data: { greet: "Hello, Ada!" } },
  );
  assertEquals(server.lengths.get("/api/graphql"), "36");
  const events = await call("subscription { count(to: 3) }", {
    accept: "text/event-stream",
  });
  assertEquals(events.match(/"count":\d/g), [
    '"count":1',
    '"count":2',
    '"count":3',
  ]);
});

Deno.test("oRPC answers calls and sends events", async () => {
  await using server = await serve();
  const client: RouterClient<typeof router> = createORPCClient(
    new RPCLink({ url: server.url("orpc"), fetch: server.fetch }),
  );
  assertEquals(await client.greet("Ada"), "Hello, Ada!");
  assertEquals(await Array.fromAsync(await client.count(3)), [1, 2, 3]);
  assertEquals(
    server.lengths.get("/api/orpc/greet"),
    '{"json":"Ada"}'.length.toString(),
  );
});

Deno.test("the MCP SDK calls a tool", async () => {
  await using server = await serve();
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url("mcp")), {
      fetch: server.fetch,
    }),
  );
  const { tools } = await client.listTools();
  assertEquals(tools.map(({ name }) => name), ["greet"]);
  const { content } = await client.callTool({
    name: "greet",
    arguments: { name: "Ada" },
  });
  assertEquals(content, [{ type: "text", text: "Hello, Ada!" }]);
  assert(Number(server.lengths.get("/api/mcp")) > 0);
  await client.close();
});

Deno.test("bough check finds nothing in the mounted handlers", async () => {
  const path = fromFileUrl(import.meta.resolve("./main.ts"));
  assertEquals(await main(["check", path]), 0);
});
