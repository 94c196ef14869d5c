import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createClient } from "@bough/framework/client";
import { Framework } from "@bough/framework";

/** Responds with the parts of the request. */
async function echo(request: Request): Promise<Response> {
  const { method, url, headers } = request;
  const type = headers.get("content-type");
  const form = type?.startsWith("multipart/form-data");
  return Response.json({
    method,
    url,
    type: form ? "form" : type,
    key: headers.get("x-key"),
    body: form
      ? [...await request.formData()].map(([name, value]) => [
        name,
        value instanceof File ? `file of ${value.size}` : value,
      ])
      : await request.text(),
  });
}

const manifest = {
  "(group)/items/[id]/route.ts": { GET: echo, POST: echo },
  "files/[...]/route.ts": { GET: echo },
  "été & co/route.ts": { DELETE: echo },
  "route.ts": () => Promise.resolve({ GET: echo, OPTIONS: echo }),
  "kinds/[kind]/route.ts": {
    GET: ({ url }: Request) => RESPONSES[url.split("/").at(-1)!]!(),
  },
};

const typed = (type: string, body: BodyInit, status = 200) => () =>
  new Response(body, { status, headers: { "content-type": type } });
const PROBLEM = { type: "about:blank", title: "No", status: 409 };
const HTML = "<h1>Bad gateway</h1>";

const RESPONSES: Readonly<Record<string, () => Response>> = {
  json: () => Response.json([1]),
  text: () => new Response("7"),
  csv: typed("Text/CSV; header", "a,b"),
  bytes: () => new Response(new Uint8Array([1, 2])),
  image: typed("image/svg+xml", "<svg/>"),
  nothing: () => new Response(null, { status: 204 }),
  empty: typed("application/json", ""),
  broken: typed("application/json", "{"),
  gateway: typed("application/problem+json", HTML, 502),
  problem: typed("application/problem+json", JSON.stringify(PROBLEM), 409),
  html: typed("text/html", HTML, 502),
  events: typed(
    "text/event-stream",
    new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
    }),
  ),
};

const api = createClient<typeof manifest>({
  fetch: new Framework({ manifest }).fetch,
});

Deno.test("a call fills in the path, and writes query, headers and body", async () => {
  const id = "a/b ?ü";
  const { data } = await api.POST("/items/[id]", {
    params: { id },
    query: { q: "a&b", flag: true, list: [1, "2"], none: undefined, "a=b": 1 },
    headers: { "x-key": 7, "x-none": undefined },
    body: { name: "Ada" },
  });
  assertEquals(data, {
    method: "POST",
    url:
      "http://localhost/api/items/a%2Fb%20%3F%C3%BC?q=a%26b&flag=true&list=1&list=2&a%3Db=1",
    type: "application/json",
    key: "7",
    body: '{"name":"Ada"}',
  });
  const { data: plain } = await api.GET("/items/[id]", { params: { id: "1" } });
  assertEquals(plain, {
    method: "GET",
    url: "http://localhost/api/items/1",
    type: null,
    key: null,
    body: "",
  });
});

Deno.test("a call accepts wildcards, folders with odd names, the prefix itself, HEAD and OPTIONS", async () => {
  const rest = { params: { "[...]": ["a b", "ü", "c.txt"] } };
  for (
    const [{ data }, method, path] of [
      [await api.GET("/files/[...]", rest), "GET", "/files/a%20b/%C3%BC/c.txt"],
      [await api.DELETE("/été & co"), "DELETE", "/%C3%A9t%C3%A9%20%26%20co"],
      [await api.GET("/"), "GET", "/"],
      [await api.OPTIONS("/"), "OPTIONS", "/"],
    ] as const
  ) {
    const got = data as { method: string; url: string };
    const url = `http://localhost/api${path}`;
    assertEquals([got.method, got.url], [method, url]);
  }
  const { status, data } = await api.HEAD("/");
  assertEquals([status, data], [200, undefined]);
});

Deno.test("a body with a Blob is a form, whose fields come before its files", async () => {
  const file = new File(["text"], "a.txt");
  const { data } = await api.POST("/items/[id]", {
    params: { id: "1" },
    body: {
      file,
      count: 3,
      files: [file, file],
      none: undefined,
      tags: ["x", "y"],
    },
  });
  const { type, body } = data as { type: string; body: unknown };
  assertEquals(type, "form");
  assertEquals(body, [
    ["count", "3"],
    ["tags", "x"],
    ["tags", "y"],
    ["file", "file of 4"],
    ["files", "file of 4"],
    ["files", "file of 4"],
  ]);
});

Deno.test("the media type decides how a body is read, and text has what is not the JSON that its type promises", async () => {
  const read = async (kind: string) => {
    const { status, data, problem, text, response } = await api.GET(
      "/kinds/[kind]",
      { params: { kind } },
    );
    assert(response instanceof Response);
    return { status: Number(status), data, problem, text };
  };
  for (
    const [kind, status, data, text, problem] of [
      ["json", 200, [1], "[1]"],
      ["text", 200, "7", "7"],
      ["csv", 200, "a,b", "a,b"],
      ["nothing", 204, undefined, ""],
      ["empty", 200, undefined, ""],
      ["broken", 200, undefined, "{"],
      ["gateway", 502, undefined, HTML],
      ["html", 502, HTML, HTML],
      ["problem", 409, PROBLEM, JSON.stringify(PROBLEM), PROBLEM],
    ] as const
  ) {
    assertEquals(await read(kind), { status, data, problem, text }, kind);
  }
  assertEquals(((await read("bytes")).data as Blob).size, 2);
  assertEquals(await ((await read("image")).data as Blob).text(), "<svg/>");
  const stream = (await read("events")).data as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "data: 1\n\n");
  await reader.cancel();
});

Deno.test("a value that a path cannot contain is rejected before the request is sent", async () => {
  let sent = 0;
  const api = createClient<typeof manifest>({
    fetch: () => {
      sent++;
      return new Response();
    },
  });
  const item = (id?: string) =>
    api.GET("/items/[id]", { params: { id } as { id: string } });
  const file = (rest: string[]) =>
    api.GET("/files/[...]", { params: { "[...]": rest } });
  for (
    const [call, message] of [
      ...["", ".", ".."].map((id) =>
        [
          () => item(id),
          `GET "/items/[id]": the value of "id" is "${id}", which a path cannot contain`,
        ] as const
      ),
      [() => item(), 'GET "/items/[id]": the value of "id" is missing'],
      ...[[], ["a", ""], [".."], ["a", "."]].map((rest) =>
        [
          () => file(rest),
          'GET "/files/[...]": the value of "[...]" is ',
        ] as const
      ),
    ] as const
  ) {
    await assertRejects(call, TypeError, `Cannot call ${message}`);
  }
  assertEquals(sent, 0);
});

Deno.test("a param with the name of an inherited member can be missing", async () => {
  for (const name of ["constructor", "toString", "__proto__", "valueOf"]) {
    const routes = { [`[${name}]/route.ts`]: { GET: echo } };
    const api = createClient<{ "[id]/route.ts": { GET(): Response } }>({
      fetch: new Framework({ manifest: routes }).fetch,
    });
    const call = (params: object) =>
      api.GET(`/[${name}]` as "/[id]", { params: params as { id: string } });
    for (const params of [{}, Object.create(null), { id: "1" }]) {
      await assertRejects(
        () => call(params),
        TypeError,
        `Cannot call GET "/[${name}]": the value of "${name}" is missing`,
      );
    }
    const { data } = await call({ [name]: "given" });
    assertEquals(
      (data as { url: string }).url,
      "http://localhost/api/given",
    );
  }
});

Deno.test("a baseUrl is a path or has a scheme, without a query or a fragment", () => {
  const queries = ["https://shop.example/api?key=1", "/api/?", "/api?key=1"]
    .concat("/api#top", "?key=1", "#");
  const others = ["localhost:8000/api", "127.0.0.1:8000/api", "api", ""]
    .concat("shop.example/api", "ws://shop.example/api", "https://")
    .concat("https:shop.example");
  for (
    const [baseUrls, fault] of [
      [queries, "has a query or a fragment; pass a query to each call"],
      [
        others,
        'must be a URL or a path, such as "https://shop.example/api" or "/api"',
      ],
    ] as const
  ) {
    for (const baseUrl of baseUrls) {
      assertThrows(
        () => createClient({ baseUrl }),
        TypeError,
        `Cannot create the client: the baseUrl "${baseUrl}" ${fault}`,
      );
    }
  }
  const valid = ["https://shop.example/a%3Fb/%23", "/", "//shop.example/api"];
  for (const baseUrl of [...valid, "HTTP://localhost:8000"]) {
    createClient({ baseUrl });
  }
});

Deno.test("the headers of a client are anything that Headers accepts", async () => {
  const entries: [string, string][] = [["x-key", "a"], ["accept", "text/csv"]];
  for (
    const headers of [
      entries,
      new Headers(entries),
      Object.fromEntries(entries),
    ]
  ) {
    let sent: Headers | undefined;
    const api = createClient<{ "route.ts": { GET(): Response } }>({
      headers,
      fetch: (request) => {
        sent = request.headers;
        return new Response();
      },
    });
    await api.GET("/");
    assertEquals([...sent!], [["accept", "text/csv"], ["x-key", "a"]]);
  }
});

Deno.test("a redirect to another origin keeps the headers, except Authorization and cookies", async () => {
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  await using target = Deno.serve(
    options,
    ({ headers }) => Response.json(Object.fromEntries(headers)),
  );
  await using server = Deno.serve(options, () =>
    new Response(null, {
      status: 307,
      headers: { location: `http://127.0.0.1:${target.addr.port}/` },
    }));
  const client = {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    headers: { "authorization": "Bearer 1", "cookie": "a=1", "x-key": "mine" },
  };
  type Routes = { "route.ts": { GET(): Response } };
  const { data } = await createClient<Routes>(client).GET("/");
  const { authorization, cookie, ...rest } = data as Record<string, string>;
  assertEquals([authorization, cookie, rest["x-key"]], [
    undefined,
    undefined,
    "mine",
  ]);
  const strict = createClient<Routes>({
    ...client,
    fetch: (request) => fetch(request, { redirect: "error" }),
  });
  await assertRejects(() => strict.GET("/"), TypeError);
});

Deno.test("the options of a client apply to every call", async () => {
  const client = createClient<typeof manifest>({
    baseUrl: "https://[::1]:8443/v1/",
    fetch: echo,
    headers: { "x-key": "of the client" },
  });
  const { data } = await client.GET("/items/[id]", { params: { id: "1" } });
  const { url, key } = data as { url: string; key: string };
  assertEquals([url, key], ["https://[::1]:8443/v1/items/1", "of the client"]);
  const { data: own } = await client.GET("/", { headers: { "x-key": "own" } });
  assertEquals((own as { key: string }).key, "own");
  assertEquals((own as { url: string }).url, "https://[::1]:8443/v1/");
});

Deno.test("a call ends when its signal aborts, and fails if fetch fails", async () => {
  const failing = createClient<typeof manifest>({
    fetch: () => Promise.reject(new TypeError("no route to host")),
  });
  await assertRejects(() => failing.GET("/"), TypeError, "no route to host");
  const waiting = createClient<typeof manifest>({
    fetch: ({ signal }) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(signal.reason);
      }),
  });
  const controller = new AbortController();
  const call = waiting.GET("/", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => call, Error, "enough");
});
