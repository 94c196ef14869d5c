import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Framework } from "@bough/framework";
import { identities, TOKENS } from "./identities.ts";
import { createApp } from "./main.ts";
import { MAX_RECEIPT, type Report } from "./schemas.ts";

const PDF = "application/pdf";

interface Outcome {
  status: number;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any
  body: any;
}

/** A client of an application; each call names the user. */
function clientOf(app: Framework) {
  return async (
    user: keyof typeof identities | "nobody",
    call: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Outcome> => {
    const [method, path] = call.split(" ");
    const headers = new Headers(user === "nobody" ? {} : identities[user]);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) {
      headers.set("content-type", "application/json");
    }
    const response = await app.fetch(
      new Request(`http://localhost/api${path}`, {
        method: method!,
        headers,
        ...(body === undefined
          ? {}
          : { body: isForm ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: type.includes("json") ? JSON.parse(text) : undefined,
    };
  };
}

type Client = ReturnType<typeof clientOf>;

/** The ids of a user's reports by status, the first of several. */
async function reportsOf(
  call: Client,
  user: "alice" | "bob",
): Promise<Record<string, number>> {
  const { body } = await call(user, "GET /reports");
  return Object.fromEntries(
    body.items.map((item: { status: string; id: number }) => [
      item.status,
      item.id,
    ]),
  );
}

function receipt(bytes: number, name = "ticket.pdf", type = PDF): FormData {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], name, { type }));
  return form;
}

Deno.test("users reach only their own reports, items, receipts and payments", async () => {
  const call = clientOf(createApp());
  const { draft, approved } = await reportsOf(call, "alice");
  const { body: { items } } = await call(
    "alice",
    `GET /reports/${draft}/items`,
  );
  const { body: receipts } = await call(
    "alice",
    `GET /reports/${draft}/receipts`,
  );
  const { body: payments } = await call("alice", "GET /payments");
  const item = `/reports/${draft}/items/${items[0].id}`;
  const paths = [
    `GET /reports/${draft}`,
    `DELETE /reports/${draft}`,
    `POST /reports/${draft}/submission`,
    `GET /reports/${draft}/items`,
    `GET ${item}`,
    `DELETE ${item}`,
    `GET /reports/${draft}/receipts`,
    `GET /reports/${draft}/receipts/${receipts.items[0].id}`,
    `DELETE /reports/${draft}/receipts/${receipts.items[0].id}`,
    `GET /reports/${draft}/csv`,
    `GET /payments/${payments.items[0].id}`,
  ];
  for (const path of paths) {
    assertEquals((await call("bob", path)).status, 404, path);
    assertEquals((await call("nobody", path)).status, 401, path);
    assertEquals((await call("expired", path)).status, 401, path);
  }
  const title = { title: "Mine" };
  for (
    const [path, body] of [
      [`PATCH /reports/${draft}`, title],
      [`PATCH ${item}`, { cents: 1 }],
      [`POST /reports/${draft}/items`, {
        date: "2024-02-29",
        category: "other",
        cents: 1,
      }],
      [`POST /reports/${draft}/receipts`, receipt(1)],
    ] as const
  ) {
    assertEquals((await call("bob", path, body)).status, 404, path);
  }
  const paid = await call("bob", "POST /payments", {
    reportId: approved,
    cents: 1,
  }, { "idempotency-key": "key-of-bob" });
  assertEquals(paid.status, 404);
  assertEquals((await call("alice", `GET ${item}`)).body, items[0]);
  const others = await reportsOf(call, "bob");
  assertEquals(
    (await call("bob", `GET /reports/${others.draft}/items/${items[0].id}`))
      .status,
    404,
  );
});

Deno.test("only administrators decide, and list all users", async () => {
  const call = clientOf(createApp());
  const { submitted } = await reportsOf(call, "alice");
  const path = `/reports/${submitted}/decision`;
  const decision = { decision: "approved" };
  for (const user of ["alice", "bob"] as const) {
    assertEquals((await call(user, "GET /users")).status, 403);
    assertEquals((await call(user, "GET /submissions")).status, 403);
    assertEquals((await call(user, `POST ${path}`, decision)).status, 403);
  }
  const users = await call("admin", "GET /users");
  assertEquals(
    users.body.items.map(({ name }: { name: string }) => name).sort(),
    ["admin", "alice", "bob"],
  );
  const { body } = await call("admin", "GET /submissions");
  assertEquals(body.items.length, 2);
  const decided = await call("admin", `POST ${path}`, decision);
  assertEquals(decided.body.status, "approved");
  assertEquals(decided.body.decidedBy, 1);
  assertEquals((await call("admin", `POST ${path}`, decision)).status, 409);
  assertEquals(
    (await call("admin", "POST /reports/999/decision", decision)).status,
    404,
  );
  const patched = await call("alice", "PATCH /me", { role: "admin" });
  assertEquals(patched.status, 400);
});

Deno.test("users sign up, log in, change their account and log out", async () => {
  const call = clientOf(createApp());
  const account = { email: "Carol@example.com", password: "correct horse" };
  const added = await call("nobody", "POST /accounts", {
    name: "Carol",
    ...account,
  });
  assertEquals(added.status, 201);
  assertEquals(added.body.role, "member");
  const again = { name: "C", ...account, email: "carol@EXAMPLE.com" };
  assertEquals((await call("nobody", "POST /accounts", again)).status, 409);
  const wrong = { ...account, password: "wrong horse" };
  assertEquals((await call("nobody", "POST /sessions", wrong)).status, 401);
  const session = await call("nobody", "POST /sessions", account);
  assertEquals(session.status, 201);
  const authorization = { authorization: `Bearer ${session.body.token}` };
  const iban = "DE02120300000000202051";
  await call("nobody", "PATCH /me", { iban }, authorization);
  const me = await call("nobody", "PATCH /me", { name: "Caro" }, authorization);
  assertEquals(me.body, { ...added.body, name: "Caro", iban });
  const taken = { email: "BOB@example.com" };
  assertEquals(
    (await call("nobody", "PATCH /me", taken, authorization)).status,
    409,
  );
  await call("nobody", "DELETE /sessions/current", undefined, authorization);
  const after = await call("nobody", "GET /me", undefined, authorization);
  assertEquals(after.status, 401);
});

Deno.test("the pages of a list contain each report once", async () => {
  const call = clientOf(createApp());
  for (let count = 0; count < 5; count++) {
    const added = await call("alice", "POST /reports", {
      title: `Report ${count}`,
      currency: "USD",
    });
    assertEquals(added.status, 201);
    const location = added.headers.get("location")!.slice("/api".length);
    assertEquals((await call("alice", `GET ${location}`)).body, added.body);
  }
  const all = await call("alice", "GET /reports?limit=100");
  assertEquals(all.body.items.length, 9);
  assertEquals(all.body.next, null);
  assertEquals(all.headers.get("link"), null);
  for (const limit of [1, 2, 3, 9]) {
    const seen = [];
    let query = `?limit=${limit}`;
    while (query !== "") {
      const { body, headers } = await call("alice", `GET /reports${query}`);
      seen.push(...body.items);
      const [, next = ""] = /^<(.+)>; rel="next"$/
        .exec(headers.get("link") ?? "") ?? [];
      assertEquals(
        new URLSearchParams(next).get("after"),
        body.next,
      );
      query = next;
    }
    assertEquals(seen, all.body.items);
  }
  const drafts = await call("alice", "GET /reports?status=draft&limit=6");
  const [, rest] = /^<(.+)>/.exec(drafts.headers.get("link")!)!;
  const last = await call("alice", `GET /reports${rest}`);
  assertEquals(
    last.body.items.map(({ title, status }: Report) => [title, status]),
    [["Fair in Leipzig", "draft"]],
  );
  assertEquals((await call("alice", "GET /reports?after=x")).status, 400);
});

Deno.test("each change gives a report a new tag", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  const path = `/reports/${draft}`;
  async function tag(): Promise<string> {
    return (await call("alice", `GET ${path}`)).headers.get("etag")!;
  }
  const first = await tag();
  const known = await call("alice", `GET ${path}`, undefined, {
    "if-none-match": first,
  });
  assertEquals([known.status, known.text], [304, ""]);
  const added = await call("alice", `POST ${path}/items`, {
    date: "2024-02-29",
    category: "other",
    cents: 500,
    note: "Café 🎉\nsecond line",
  });
  assertEquals(added.status, 201);
  const second = await tag();
  assert(first !== second);
  const change = { purpose: null };
  const lost = await call("alice", `PATCH ${path}`, change, {
    "if-match": first,
  });
  assertEquals(lost.status, 412);
  const changed = await call("alice", `PATCH ${path}`, change, {
    "if-match": second,
  });
  assertEquals(changed.status, 200);
  assertEquals(changed.body.cents, 8_950 + 2_340 + 500);
  assertEquals(changed.body.title, "Fair in Leipzig");
  assertEquals(changed.headers.get("etag"), await tag());
  const title = { title: "New" };
  const any = await call("alice", `PATCH ${path}`, title, { "if-match": "*" });
  assertEquals([any.status, any.body.purpose], [200, null]);
  await call("alice", `PATCH ${path}`, { purpose: "To sell" });
  const kept = await call("alice", `PATCH ${path}`, title);
  assertEquals(kept.body.purpose, "To sell");
  const third = await tag();
  const item = added.headers.get("location")!.slice("/api".length);
  assertEquals((await call("alice", `DELETE ${item}`)).status, 204);
  assert(third !== await tag());
  const removed = await call("alice", `DELETE ${path}`, undefined, {
    "if-match": second,
  });
  assertEquals(removed.status, 412);
  assertEquals((await call("alice", `DELETE ${path}`)).status, 204);
  assertEquals((await call("alice", `GET ${path}`)).status, 404);
});

Deno.test("a submitted report cannot be changed", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  const path = `/reports/${draft}`;
  const submitted = await call("alice", `POST ${path}/submission`);
  assertEquals(submitted.status, 303);
  assertEquals(submitted.headers.get("location"), `/api${path}`);
  assertEquals((await call("alice", `GET ${path}`)).body.status, "submitted");
  const { body } = await call("alice", `GET ${path}/items`);
  for (
    const [request, sent] of [
      [`PATCH ${path}`, { title: "New" }],
      [`DELETE ${path}`],
      [`POST ${path}/submission`],
      [`PATCH ${path}/items/${body.items[0].id}`, { cents: 1 }],
      [`DELETE ${path}/items/${body.items[0].id}`],
      [`POST ${path}/receipts`, receipt(1)],
    ] as const
  ) {
    assertEquals((await call("alice", request!, sent)).status, 409, request);
  }
  const empty = await call("alice", "POST /reports", {
    title: "Empty",
    currency: "EUR",
  });
  const refused = await call(
    "alice",
    `POST /reports/${empty.body.id}/submission`,
  );
  assertEquals(refused.status, 409);
});

Deno.test("items are filtered by category and day, both days included", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  async function count(query: string): Promise<number> {
    const { body } = await call("alice", `GET /reports/${draft}/items${query}`);
    return body.items.length;
  }
  assertEquals(await count(""), 2);
  assertEquals(await count("?category=meals"), 1);
  assertEquals(await count("?from=2026-02-27&to=2026-02-28"), 2);
  assertEquals(await count("?from=2026-02-28"), 1);
  assertEquals(await count("?to=2026-02-26"), 0);
});

Deno.test("a key pays once", async () => {
  const call = clientOf(createApp());
  const { approved: reportId } = await reportsOf(call, "alice");
  const key = { "idempotency-key": "0123456789" };
  const body = { reportId, cents: 290, reference: "March" };
  const two = await Promise.all([
    call("alice", "POST /payments", body, key),
    call("alice", "POST /payments", body, key),
  ]);
  assertEquals(two.map(({ status }) => status), [201, 409]);
  const again = await call("alice", "POST /payments", body, key);
  assertEquals([again.status, again.text], [201, two[0].text]);
  assertEquals(again.headers.get("location"), two[0].headers.get("location"));
  const location = again.headers.get("location")!.slice("/api".length);
  assertEquals((await call("alice", `GET ${location}`)).body, again.body);
  const other = { ...body, cents: 291 };
  assertEquals((await call("alice", "POST /payments", other, key)).status, 422);
  assertEquals((await call("alice", "GET /payments")).body.items.length, 2);

  const rest = { reportId, cents: 10_000 };
  const both = await Promise.all(
    ["first-key", "second-key"].map((name) =>
      call("alice", "POST /payments", rest, { "idempotency-key": name })
    ),
  );
  assertEquals(both.map(({ status }) => status), [201, 409]);
  const { body: report } = await call("alice", `GET /reports/${reportId}`);
  assertEquals([report.status, report.decidedBy], ["paid", 1]);
});

Deno.test("receipts have a size, a type and a name", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  const path = `/reports/${draft}/receipts`;
  for (
    const [form, status] of [
      [receipt(0), 400],
      [receipt(1), 201],
      [receipt(MAX_RECEIPT), 201],
      [receipt(MAX_RECEIPT + 1), 400],
      [receipt(1, "a.html", "text/html"), 400],
    ] as const
  ) {
    assertEquals((await call("alice", `POST ${path}`, form)).status, status);
  }
  const name = "../Hôtel 🛏 100%.pdf";
  const added = await call("alice", `POST ${path}`, receipt(9, name));
  assertEquals(added.status, 201);
  const location = added.headers.get("location")!.slice("/api".length);
  const got = await call("alice", `GET ${location}`);
  assertEquals(got.text.length, 9);
  const disposition = got.headers.get("content-disposition")!;
  assertMatch(disposition, /^attachment; filename="H_tel _ 100_\.pdf"/);
  const [, encoded] = disposition.split("filename*=UTF-8''");
  assertEquals(`../${decodeURIComponent(encoded!)}`, name);
  const { body } = await call("alice", `GET ${path}`);
  assertEquals(body.items.at(-1), added.body);
  assertEquals((await call("alice", `DELETE ${location}`)).status, 204);
  assertEquals((await call("alice", `GET ${location}`)).status, 404);
});

Deno.test("the CSV of a report quotes its notes", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  const path = `/reports/${draft}`;
  await call("alice", `PATCH ${path}`, { title: "Zürich 🏔" });
  for (const note of ['=1+1, "a"', "b\nc"]) {
    const item = { date: "2026-03-01", category: "other", cents: 5, note };
    await call("alice", `POST ${path}/items`, item);
  }
  const { status, headers, text } = await call("alice", `GET ${path}/csv`);
  assertEquals(status, 200);
  assertMatch(headers.get("content-disposition")!, /Z%C3%BCrich%20%F0/);
  assertEquals(
    text,
    [
      "date,category,amount,note",
      '2026-02-27,travel,89.50,"Train"',
      '2026-02-28,meals,23.40,""',
      `2026-03-01,other,0.05,"'=1+1, ""a"""`,
      '2026-03-01,other,0.05,"b\nc"',
      "",
    ].join("\r\n"),
  );
});

Deno.test("a stream has the user's reports, and resumes", async () => {
  const app = createApp();
  const call = clientOf(app);
  async function open(lastEventId?: string) {
    const headers = new Headers(identities.alice);
    if (lastEventId) headers.set("last-event-id", lastEventId);
    const url = "http://localhost/api/reports/events";
    const response = await app.fetch(new Request(url, { headers }));
    const reader = response.body!.pipeThrough(new TextDecoderStream())
      .getReader();
    let text = "";
    return {
      close: () => reader.cancel(),
      async next(): Promise<{ event: string; id: string; data: string }> {
        while (!text.includes("\n\n")) text += (await reader.read()).value;
        const end = text.indexOf("\n\n");
        const lines = text.slice(0, end).split("\n").map((line) => {
          const colon = line.indexOf(": ");
          return [line.slice(0, colon), line.slice(colon + 2)];
        });
        text = text.slice(end + 2);
        return Object.fromEntries(lines);
      },
    };
  }
  const stream = await open();
  let last = "";
  for (let count = 0; count < 4; count++) {
    const { event, data, id } = await stream.next();
    assertEquals([event, JSON.parse(data).purpose], ["changed", "For alice"]);
    last = id;
  }
  const { draft } = await reportsOf(call, "bob");
  await call("bob", `PATCH /reports/${draft}`, { title: "Of Bob" });
  const { draft: own } = await reportsOf(call, "alice");
  await call("alice", `PATCH /reports/${own}`, { title: "Of Alice" });
  const changed = await stream.next();
  const report = await call("alice", `GET /reports/${own}`);
  assertEquals(JSON.parse(changed.data), report.body);
  assertEquals(report.body.title, "Of Alice");
  await stream.close();
  await call("alice", `DELETE /reports/${own}`);
  const resumed = await open(last);
  const { event, data } = await resumed.next();
  assertEquals([event, data], ["removed", `{"id":${own}}`]);
  await resumed.close();
});

Deno.test("a chat carries messages, and the decision of an administrator", async () => {
  const app = createApp();
  const server = await app.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  });
  const { submitted } = await reportsOf(clientOf(app), "alice");
  const url =
    `ws://127.0.0.1:${server.addr.port}/api/reports/${submitted}/chat`;
  async function join(user: "alice" | "bob" | "admin") {
    // The types of browsers, which other files load, do not know this option of Deno.
    const options: object = { headers: identities[user] };
    const socket = new WebSocket(url, options as string[]);
    // deno-lint-ignore no-explicit-any
    const received: any[] = [];
    let wake = () => {};
    socket.onmessage = ({ data }) => {
      received.push(JSON.parse(data));
      wake();
    };
    const closed = new Promise<number>((resolve) => {
      socket.onclose = ({ code }) => resolve(code);
    });
    const opened = await new Promise<boolean>((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
    return {
      opened,
      closed,
      close: () => socket.close(),
      send: (value: unknown) => socket.send(JSON.stringify(value)),
      async next() {
        while (received.length === 0) {
          await new Promise<void>((resolve) => wake = resolve);
        }
        return received.shift();
      },
    };
  }
  assertEquals((await join("bob")).opened, false);
  const alice = await join("alice");
  assertEquals(await alice.next(), {
    type: "welcome",
    status: "submitted",
    messages: [],
  });
  alice.send({ type: "decide", decision: "approved" });
  assertEquals((await alice.next()).type, "error");
  alice.send({ type: "message", text: " Hello 🎉 " });
  const { message } = await alice.next();
  assertEquals([message.from, message.text], ["alice", "Hello 🎉"]);
  assertEquals(new Date(message.at).toISOString(), message.at);
  const admin = await join("admin");
  assertEquals((await admin.next()).messages, [message]);
  admin.send({ type: "decide", decision: "rejected" });
  const decided = { type: "decided", decision: "rejected", by: "admin" };
  assertEquals(await admin.next(), decided);
  assertEquals(await alice.next(), decided);
  admin.send({ type: "message", text: "" });
  assertEquals(await admin.closed, 1008);
  const removed = await clientOf(app)("alice", `DELETE /reports/${submitted}`);
  assertEquals(removed.status, 204);
  assertEquals(await alice.closed, 1000);
  const events = await fetch(
    `http://127.0.0.1:${server.addr.port}/api/reports/events`,
    { headers: identities.alice },
  );
  await clientOf(app)("alice", "DELETE /sessions/current");
  assertMatch(await events.text(), /removed/);
  await server.shutdown();
});

Deno.test("malformed credentials get 401", async () => {
  const call = clientOf(createApp());
  for (
    const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Basic YTpi",
      TOKENS.alice,
      `Bearer ${TOKENS.alice} x`,
      `Bearer ${TOKENS.alice.toUpperCase()}`,
      "Bearer %00",
    ]
  ) {
    const { status } = await call("nobody", "GET /me", undefined, {
      authorization,
    });
    assertEquals(status, 401, authorization);
  }
});
