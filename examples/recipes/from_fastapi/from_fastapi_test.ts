import { assertEquals, assertMatch } from "@std/assert";
import { resetItems } from "./items.ts";
import { createApp } from "./main.ts";
import { sent } from "./notifications.ts";
import { addUser, cost, createAccessToken, setSecret } from "./users.ts";

cost.N = 2; // the derived keys of the tests need no strength
setSecret("0123456789abcdef0123456789abcdef");
await addUser({ username: "johndoe", disabled: false }, "secret");
await addUser({ username: "alice", disabled: true }, "secret2");

const X_TOKEN = { "x-token": "fake-super-secret-token" };

type Call = (
  operation: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<[status: number, json: unknown, headers: Headers]>;

/** Serves the program on a free port; a plain object is sent as JSON. */
async function served(
  test: (call: Call, origin: string) => Promise<void>,
): Promise<void> {
  resetItems();
  const options = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = await createApp().serve(options);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await test(async (operation, body, headers = {}) => {
    const [method = "", path = ""] = operation.split(" ");
    const isJson = body?.constructor === Object;
    const response = await fetch(origin + path, {
      method,
      headers: isJson
        ? { "content-type": "application/json", ...headers }
        : headers,
      body: isJson ? JSON.stringify(body) : body as BodyInit ?? null,
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get("content-type") ?? "")
      ? JSON.parse(text)
      : text;
    return [response.status, json.detail ?? json, response.headers];
  }, origin);
}

async function statusAndJson(
  call: ReturnType<Call>,
): Promise<[status: number, json: unknown]> {
  const [status, json] = await call;
  return [status, json];
}

Deno.test("the items are those of the tests of the tutorial", async () => {
  await served(async (call) => {
    const plumbus = {
      item_id: "plumbus",
      name: "Plumbus",
      price: 35.4,
      tags: [],
    };
    const cases: [string, unknown, Record<string, string>, number, unknown][] =
      [
        ["GET /items/plumbus", undefined, X_TOKEN, 200, plumbus],
        ["GET /items/plumbus/", undefined, X_TOKEN, 200, plumbus],
        ["GET /items/baz", undefined, X_TOKEN, 404, "Item not found"],
        ["GET /items/plumbus", undefined, {}, 401, "X-Token header invalid"],
        [
          "POST /items",
          { ...plumbus, item_id: "foo", tags: ["a", "b"] },
          X_TOKEN,
          201,
          {
            ...plumbus,
            item_id: "foo",
            tags: ["a", "b"],
          },
        ],
        ["POST /items", plumbus, X_TOKEN, 409, "Item already exists"],
        [
          "POST /items",
          plumbus,
          { "x-token": "x" },
          401,
          "X-Token header invalid",
        ],
        ["POST /admin", undefined, X_TOKEN, 200, {
          message: "Admin getting schwifty",
        }],
        ["GET /", undefined, {}, 200, {
          message: "Hello Bigger Applications!",
        }],
        ["GET /users/me2", undefined, {}, 200, { username: "me2" }],
      ];
    for (const [operation, body, headers, status, json] of cases) {
      assertEquals(
        await statusAndJson(call(operation, body, headers)),
        [status, json],
        operation,
      );
    }
    const names = async (query: string) =>
      ((await call(`GET /items?${query}`, undefined, X_TOKEN))[1] as {
        item_id: string;
      }[])
        .map(({ item_id }) => item_id);
    assertEquals(await names(""), ["plumbus", "gun", "foo"]);
    assertEquals(await names("tag=a&tag=b"), ["foo"]);
    assertEquals(await names("tag=a&tag=c"), []);
    assertEquals(await names("offset=1&limit=1"), ["gun"]);
    const { tags: _, item_id: __, ...change } = plumbus;
    assertEquals(
      (await call("PUT /items/gun", { ...change, tags: [] }, X_TOKEN)).slice(
        0,
        2,
      ),
      [
        403,
        "You can only update the item: plumbus",
      ],
    );
    assertEquals(
      (await call("PUT /items/plumbus", { ...change, tags: [] }, X_TOKEN))[0],
      200,
    );
    const [, stream] = await call("GET /items/stream", undefined, X_TOKEN);
    assertMatch(String(stream), /^event: item\ndata: \{"item_id":"plumbus"/);
  });
});

Deno.test("a user signs in with a form, and reads the own data with the token", async () => {
  await served(async (call) => {
    const login = async (username: string, password: string) =>
      await call(
        "POST /token",
        new URLSearchParams({ grant_type: "password", username, password }),
      );
    for (const [name, password] of [["johndoe", "x"], ["jane", "secret"]]) {
      const [status, detail, headers] = await login(name!, password!);
      assertEquals(
        [status, detail, headers.get("www-authenticate")],
        [401, "Incorrect username or password", "Bearer"],
      );
    }
    const authorize = async (username: string, password: string) => {
      const token = (await login(username, password))[1] as {
        access_token: string;
        token_type: string;
      };
      assertEquals(token.token_type, "bearer");
      return { authorization: `Bearer ${token.access_token}` };
    };
    const johndoe = await authorize("johndoe", "secret");
    const me = { username: "johndoe", disabled: false }; // without the password
    assertEquals(
      await statusAndJson(call("GET /users/me", undefined, johndoe)),
      [200, me],
    );
    assertEquals(
      await statusAndJson(call("GET /users/me/items", undefined, johndoe)),
      [
        200,
        [{ item_id: "Foo", owner: "johndoe" }],
      ],
    );
    const alice = await authorize("alice", "secret2");
    assertEquals(await statusAndJson(call("GET /users/me", undefined, alice)), [
      403,
      "Inactive user",
    ]);
    const stranger = `Bearer ${await createAccessToken("jane")}`;
    for (
      const authorization of [
        "",
        "Bearer x",
        johndoe.authorization + "x",
        stranger,
      ]
    ) {
      assertEquals(
        await statusAndJson(
          call("GET /users/me", undefined, { authorization }),
        ),
        [401, "Could not validate credentials"],
      );
    }
  });
});

Deno.test("the secret name of a hero is stored, but never sent", async () => {
  await served(async (call) => {
    const spider = { name: "Spider-Boy", secret_name: "Pedro Parqueador" };
    const created = { id: 1, name: "Spider-Boy", age: null };
    assertEquals(await statusAndJson(call("POST /heroes", spider)), [
      201,
      created,
    ]);
    assertEquals(await statusAndJson(call("GET /heroes?limit=1")), [200, [
      created,
    ]]);
    const changed = { ...created, age: 21 };
    assertEquals(await statusAndJson(call("PATCH /heroes/1", { age: 21 })), [
      200,
      changed,
    ]);
    assertEquals(await statusAndJson(call("GET /heroes/1")), [200, changed]);
    assertEquals(await statusAndJson(call("DELETE /heroes/1")), [200, {
      ok: true,
    }]);
    assertEquals(await statusAndJson(call("GET /heroes/1")), [
      404,
      "Hero not found",
    ]);
    assertEquals((await call("GET /heroes/one"))[0], 400);
    assertEquals((await call("GET /heroes?limit=101"))[0], 400);
  });
});

Deno.test("a notification is sent after the response", async () => {
  sent.length = 0;
  await served(async (call) => {
    const [status, json] = await call(
      "POST /send-notification/ada@example.com?q=x",
    );
    assertEquals([status, json], [202, { message: "Message sent" }]);
  });
  // The server has waited for them.
  assertEquals(sent, ["found query: x", "message to ada@example.com"]);
});

Deno.test("the middleware, CORS, the document, files and uploads work", async () => {
  await served(async (call) => {
    const origin = "http://localhost:8080";
    const [, , headers] = await call("GET /missing", undefined, { origin });
    assertEquals(headers.get("access-control-allow-origin"), origin);
    assertMatch(headers.get("x-process-time")!, /^[\d.e-]+$/);
    assertEquals((await call("GET /docs"))[0], 200);
    const [, document] = await call("GET /openapi.json");
    assertEquals((document as { info: unknown }).info, {
      title: "ChimichangApp",
      version: "0.0.1",
    });
    const [, page] = await call("GET /static/");
    assertMatch(String(page), /WebSocket Chat/);
    for (const name of ["missing.html", ".hidden", "index.html/b"]) {
      assertEquals((await call(`GET /static/${name}`))[0], 404, name);
    }
    const form = new FormData();
    form.set("file", new File(["hello"], "a.txt"));
    assertEquals(await statusAndJson(call("POST /uploadfile", form)), [
      200,
      { filename: "a.txt", size: 5 },
    ]);
  });
});

Deno.test("members of the chat read the messages of all", async () => {
  await served(async (_call, origin) => {
    const url = origin.replace("http", "ws");
    const open = async (id: number) => {
      const socket = new WebSocket(`${url}/ws/${id}`);
      const messages: string[] = [];
      let wake = () => {};
      socket.onmessage = (
        { data },
      ) => (messages.push(JSON.parse(data)), wake());
      await new Promise((resolve) => socket.onopen = resolve);
      const next = async () => {
        while (messages.length === 0) {
          await new Promise<void>((resolve) => wake = resolve);
        }
        return messages.shift();
      };
      return { socket, next };
    };
    const [one, two] = [await open(1), await open(2)];
    one.socket.send('"hello"');
    assertEquals(await one.next(), "You wrote: hello");
    assertEquals(await one.next(), "Client #1 says: hello");
    assertEquals(await two.next(), "Client #1 says: hello");
    one.socket.close();
    assertEquals(await two.next(), "Client #1 left the chat");
    const closed = new Promise((resolve) => two.socket.onclose = resolve);
    two.socket.close();
    await closed;
  });
});

Deno.test("the program limits how often a client may guess a password", async () => {
  await served(async (call) => {
    const guess = { username: "johndoe", password: "x" };
    const statuses = new Set<unknown>();
    for (let count = 0; count <= 10; count++) {
      const [status] = await call("POST /token", new URLSearchParams(guess));
      statuses.add(status);
    }
    assertEquals([...statuses].at(-1), 429);
  });
});
