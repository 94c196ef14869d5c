import { assertEquals, assertMatch } from "@std/assert";
import type { Framework } from "@bough/framework";
import { readEvents } from "../../live/events_support.ts";
import { TestServer } from "../../support/application.ts";
import { identities, TOKENS } from "./identities.ts";
import { createApp } from "./main.ts";
import { MAX_RECEIPT, type Report } from "./schemas.ts";

interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  /** The target in its header Location. */
  readonly location: string | undefined;
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
    const isForm = body instanceof FormData;
    const response = await app.fetch(
      new Request(`http://localhost/api${path}`, {
        method: method!,
        headers: {
          ...(user === "nobody" ? {} : identities[user]),
          ...(body === undefined || isForm
            ? {}
            : { "content-type": "application/json" }),
          ...more,
        },
        body: body === undefined || isForm
          ? body ?? null
          : JSON.stringify(body),
      }),
    );
    const { status, headers } = response;
    const text = await response.text();
    const isJson = headers.get("content-type")?.includes("json");
    const location = headers.get("location")?.slice("/api".length);
    return {
      ...{ status, headers, text, location },
      body: isJson ? JSON.parse(text) : undefined,
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
  const reports: Report[] = body.items;
  return Object.fromEntries(reports.map(({ status, id }) => [status, id]));
}

function receipt(
  bytes: number,
  name = "ticket.pdf",
  type = "application/pdf",
): FormData {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], name, { type }));
  return form;
}

Deno.test("users reach only their own reports, items, receipts and payments", async () => {
  const call = clientOf(createApp());
  const { draft, approved } = await reportsOf(call, "alice");
  const first = async (list: string) =>
    (await call("alice", `GET ${list}`)).body.items[0].id;
  const path = `/reports/${draft}`;
  const item = `${path}/items/${await first(`${path}/items`)}`;
  const file = `${path}/receipts/${await first(`${path}/receipts`)}`;
  const spent = { date: "2024-02-29", category: "other", cents: 1 };
  for (
    const [request, body] of [
      [`GET ${path}`],
      [`DELETE ${path}`],
      [`POST ${path}/submission`],
      [`PATCH ${path}`, { title: "Mine" }],
      [`GET ${path}/items`],
      [`POST ${path}/items`, spent],
      [`GET ${item}`],
      [`PATCH ${item}`, { cents: 1 }],
      [`DELETE ${item}`],
      [`GET ${path}/receipts`],
      [`POST ${path}/receipts`, receipt(1)],
      [`GET ${file}`],
      [`DELETE ${file}`],
      [`GET ${path}/csv`],
      [`GET /payments/${await first("/payments")}`],
      ["POST /payments", { reportId: approved, cents: 1 }],
    ] as const
  ) {
    const statuses = [];
    for (const user of ["bob", "nobody", "expired"] as const) {
      const key = { "idempotency-key": `key-of-${user}` };
      statuses.push((await call(user, request!, body, key)).status);
    }
    assertEquals(statuses, [404, 401, 401], request);
  }
  const { draft: others } = await reportsOf(call, "bob");
  const moved = item.replace(`/${draft}/`, `/${others}/`);
  assertEquals((await call("bob", `GET ${moved}`)).status, 404);
});

Deno.test("malformed credentials get 401", async () => {
  const call = clientOf(createApp());
  for (
    const authorization of [
      "",
      "Bearer ",
      "Basic YTpi",
      TOKENS.alice,
      `Bearer ${TOKENS.alice} x`,
      `Bearer ${TOKENS.alice.toUpperCase()}`,
    ]
  ) {
    const headers = { authorization };
    const { status } = await call("nobody", "GET /me", undefined, headers);
    assertEquals(status, 401, authorization);
  }
});

Deno.test("only administrators decide, and list all users", async () => {
  const call = clientOf(createApp());
  const { submitted } = await reportsOf(call, "alice");
  const decide = `POST /reports/${submitted}/decision`;
  const decision = { decision: "approved" };
  for (const user of ["alice", "bob"] as const) {
    assertEquals([
      (await call(user, "GET /users")).status,
      (await call(user, "GET /submissions")).status,
      (await call(user, decide, decision)).status,
      (await call(user, "PATCH /me", { role: "admin" })).status,
    ], [403, 403, 403, 400]);
  }
  const users = await call("admin", "GET /users");
  const submissions = await call("admin", "GET /submissions");
  assertEquals(
    [users.body.items.length, submissions.body.items.length],
    [3, 2],
  );
  const { body } = await call("admin", decide, decision);
  assertEquals([body.status, body.decidedBy], ["approved", 1]);
  const missing = "POST /reports/999/decision";
  assertEquals([
    (await call("admin", decide, decision)).status,
    (await call("admin", missing, decision)).status,
  ], [409, 404]);
});

Deno.test("users sign up, log in, change their account and log out", async () => {
  const call = clientOf(createApp());
  const account = { email: "Carol@example.com", password: "correct horse" };
  const carol = { name: "Carol", ...account };
  const added = await call("nobody", "POST /accounts", carol);
  assertEquals([added.status, added.body.role], [201, "member"]);
  const again = { ...carol, email: "carol@EXAMPLE.com" };
  assertEquals((await call("nobody", "POST /accounts", again)).status, 409);
  const wrong = { ...account, password: "wrong horse" };
  assertEquals((await call("nobody", "POST /sessions", wrong)).status, 401);
  const session = await call("nobody", "POST /sessions", account);
  assertEquals(session.status, 201);
  const authorization = { authorization: `Bearer ${session.body.token}` };
  const own = (request: string, body?: unknown) =>
    call("nobody", request, body, authorization);
  const iban = "DE02120300000000202051";
  await own("PATCH /me", { iban });
  const me = await own("PATCH /me", { name: "Caro" });
  assertEquals(me.body, { ...added.body, name: "Caro", iban });
  const taken = { email: "BOB@example.com" };
  assertEquals((await own("PATCH /me", taken)).status, 409);
  await own("DELETE /sessions/current");
  assertEquals((await own("GET /me")).status, 401);
});

Deno.test("the pages of a list contain each report once", async () => {
  const call = clientOf(createApp());
  for (let count = 0; count < 5; count++) {
    const report = { title: `Report ${count}`, currency: "USD" };
    const added = await call("alice", "POST /reports", report);
    const { body } = await call("alice", `GET ${added.location}`);
    assertEquals([added.status, added.body], [201, body]);
  }
  const all = await call("alice", "GET /reports?limit=100");
  assertEquals([all.body.items.length, all.body.next], [9, null]);
  for (const limit of [1, 2, 9]) {
    const seen = [];
    for (let query: string | undefined = `?limit=${limit}`; query;) {
      const { body, headers } = await call("alice", `GET /reports${query}`);
      seen.push(...body.items);
      query = /^<(.+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      assertEquals(new URLSearchParams(query).get("after"), body.next);
    }
    assertEquals(seen, all.body.items, `pages of ${limit}`);
  }
  assertEquals((await call("alice", "GET /reports?after=x")).status, 400);
});

Deno.test("each change gives a draft a new tag, and none follows its submission", async () => {
  const call = clientOf(createApp());
  const { draft } = await reportsOf(call, "alice");
  const path = `/reports/${draft}`;
  const tag = async () =>
    (await call("alice", `GET ${path}`)).headers.get("etag")!;
  const first = await tag();
  const known = { "if-none-match": first };
  assertEquals(
    (await call("alice", `GET ${path}`, undefined, known)).status,
    304,
  );
  const spent = { date: "2024-02-29", category: "other", cents: 500 };
  const item = await call("alice", `POST ${path}/items`, spent);
  const second = await tag();
  const patch = (tag: string) =>
    call("alice", `PATCH ${path}`, { purpose: null }, { "if-match": tag });
  const [lost, changed] = [await patch(first), await patch(second)];
  assertEquals([item.status, lost.status, changed.status], [201, 412, 200]);
  assertEquals(changed.body.cents, 8_950 + 2_340 + 500);
  const third = await tag();
  assertEquals((await call("alice", `DELETE ${item.location}`)).status, 204);
  assertEquals(new Set([first, second, third, await tag()]).size, 4);

  const submitted = await call("alice", `POST ${path}/submission`);
  assertEquals([submitted.status, submitted.location], [303, path]);
  assertEquals((await call("alice", `GET ${path}`)).body.status, "submitted");
  const { body } = await call("alice", `GET ${path}/items`);
  const kept = `${path}/items/${body.items[0].id}`;
  for (
    const [request, sent] of [
      [`PATCH ${path}`, { title: "New" }],
      [`DELETE ${path}`],
      [`POST ${path}/submission`],
      [`PATCH ${kept}`, { cents: 1 }],
      [`DELETE ${kept}`],
      [`POST ${path}/receipts`, receipt(1)],
    ] as const
  ) {
    assertEquals((await call("alice", request!, sent)).status, 409, request);
  }
});

Deno.test("a key pays once", async () => {
  const call = clientOf(createApp());
  const { approved: reportId } = await reportsOf(call, "alice");
  const pay = (key: string, cents: number) =>
    call("alice", "POST /payments", { reportId, cents }, {
      "idempotency-key": key,
    });
  const two = await Promise.all([
    pay("0123456789", 290),
    pay("0123456789", 290),
  ]);
  const again = await pay("0123456789", 290);
  const other = await pay("0123456789", 291);
  assertEquals(
    [...two, again, other].map(({ status }) => status),
    [201, 409, 201, 422],
  );
  assertEquals([again.text, again.location], [two[0].text, two[0].location]);
  const both = await Promise.all([
    pay("first-key", 10_000),
    pay("second-key", 10_000),
  ]);
  assertEquals(both.map(({ status }) => status), [201, 409]);
  const { body } = await call("alice", `GET /reports/${reportId}`);
  assertEquals([body.status, body.decidedBy], ["paid", 1]);
});

Deno.test("receipts have a size, a type and a name, and notes are quoted in the CSV", async () => {
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
  const got = await call("alice", `GET ${added.location}`);
  assertEquals([added.status, got.text.length], [201, 9]);
  const disposition = got.headers.get("content-disposition")!;
  assertMatch(disposition, /^attachment; filename="H_tel _ 100_\.pdf"/);
  const [, encoded] = disposition.split("filename*=UTF-8''");
  assertEquals(`../${decodeURIComponent(encoded!)}`, name);

  const item = { date: "2026-03-01", category: "other", cents: 5 };
  const note = '=1+1, "a"\nb';
  await call("alice", `POST /reports/${draft}/items`, { ...item, note });
  const csv = await call("alice", `GET /reports/${draft}/csv`);
  const [, , , last] = csv.text.split("\r\n");
  assertEquals(last, `2026-03-01,other,0.05,"'=1+1, ""a""\nb"`);
});

Deno.test("a stream has the user's reports, and resumes", async () => {
  const app = createApp();
  const call = clientOf(app);
  const open = async (more: Record<string, string> = {}) => {
    const headers = { ...identities.alice, ...more };
    const url = "http://localhost/api/reports/events";
    const { body } = await app.fetch(new Request(url, { headers }));
    const events = readEvents(body!);
    return async () =>
      (await events.next()).value as {
        event: string;
        id: string;
        data: Report;
      };
  };
  const next = await open();
  let last = "";
  for (let count = 0; count < 4; count++) {
    const { event, data, id } = await next();
    assertEquals([event, data.purpose], ["changed", "For alice"]);
    last = id;
  }
  for (const user of ["bob", "alice"] as const) {
    const { draft } = await reportsOf(call, user);
    await call(user, `PATCH /reports/${draft}`, { title: `Of ${user}` });
  }
  const { data } = await next();
  const { body } = await call("alice", `GET /reports/${data.id}`);
  assertEquals([data, data.title], [body, "Of alice"]);
  await call("alice", `DELETE /reports/${data.id}`);
  const removed = await (await open({ "last-event-id": last }))();
  assertEquals(
    [removed.event, removed.data],
    ["removed", { id: data.id } as Report],
  );
  await call("alice", "DELETE /sessions/current");
  let ended;
  do ended = await next(); while (ended !== undefined);
});

Deno.test("a chat carries messages, and the decision of an administrator", async () => {
  const app = createApp();
  const call = clientOf(app);
  await using server = await TestServer.start(app);
  const { submitted } = await reportsOf(call, "alice");
  const url = server.url(`/api/reports/${submitted}/chat`);
  /** Opens a socket; `next` gives its messages, and then the code of its end. */
  const join = (user: "alice" | "bob" | "admin") => {
    // The types of browsers, which other files load, do not know this option of Deno.
    const options: object = { headers: identities[user] };
    const socket = new WebSocket(url, options as string[]);
    // deno-lint-ignore no-explicit-any
    const received = new TransformStream<any, any>();
    const [writer, reader] = [
      received.writable.getWriter(),
      received.readable.getReader(),
    ];
    socket.onmessage = ({ data }) => void writer.write(JSON.parse(data));
    socket.onclose = ({ code }) => void writer.write(code);
    return {
      send: (value: unknown) => socket.send(JSON.stringify(value)),
      next: async () => (await reader.read()).value,
    };
  };
  assertEquals(await join("bob").next(), 0);
  const alice = join("alice");
  const welcome = { type: "welcome", status: "submitted", messages: [] };
  assertEquals(await alice.next(), welcome);
  alice.send({ type: "decide", decision: "approved" });
  assertEquals((await alice.next()).type, "error");
  alice.send({ type: "message", text: " Hello 🎉 " });
  const { message } = await alice.next();
  assertEquals([message.from, message.text], ["alice", "Hello 🎉"]);
  const admin = join("admin");
  assertEquals((await admin.next()).messages, [message]);
  admin.send({ type: "decide", decision: "rejected" });
  const decided = { type: "decided", decision: "rejected", by: "admin" };
  assertEquals([await admin.next(), await alice.next()], [decided, decided]);
  admin.send({ type: "message", text: "" });
  assertEquals(await admin.next(), 1008);
  await call("alice", `DELETE /reports/${submitted}`);
  assertEquals(await alice.next(), 1000);
});
