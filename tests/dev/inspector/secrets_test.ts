import { assert, assertEquals } from "@std/assert";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { delay, until } from "../../support/until.ts";
import { MeasuredProgram } from "./measured.ts";

/** Each secret contains this mark, and no other text does. */
const MARK = "zq7Xw5Kpq";

/** A part of the memory of each entry, to see that the memory shows entries. */
const KEPT = "kept-5c3e";

interface Sent {
  /** The path below `/api/`, and the query. */
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const typed = (type: string) => (path: string, body: string): Sent => ({
  path,
  headers: { "content-type": type },
  body,
});
const form = typed("application/x-www-form-urlencoded");
const text = typed("text/plain");
const jsonText = typed("application/json");
const json = (path: string, value: unknown) =>
  jsonText(path, JSON.stringify(value));
const withHeader = (name: string, value: string, path = "ok"): Sent => ({
  path,
  headers: { [name]: value },
});
const multipart = (...lines: string[]) =>
  typed("multipart/form-data; boundary=b")(
    "echo",
    ["--b", ...lines, "--b--", ""].join("\r\n"),
  );
const disposition = 'Content-Disposition: form-data; name="password"';
const fill = "x".repeat(16_300);

const uri = encodeURIComponent;

/** Requests with a secret, by what they test. Those to `wait` still run. */
const REQUESTS: Readonly<Record<string, (secret: string) => Sent>> = {
  "a bearer token": (it) => withHeader("authorization", `Bearer ${it}`),
  "a basic password": (it) =>
    withHeader("authorization", `Basic ${btoa(`ada:${it}`)}`),
  "a digest": (it) => withHeader("authorization", `Digest response="${it}"`),
  "another scheme": (it) => withHeader("proxy-authorization", `Own ${it}`),
  "an API key": (it) => withHeader("X-API-Key", it),
  "a token in a header": (it) => withHeader("x-auth-token", it),
  "a CSRF token": (it) => withHeader("x-csrf-token", it),
  "an own name": (it) => withHeader("x-licence", it),
  "a header with an unread body": (it) => ({
    ...json("ok", { password: it }),
    headers: { "x-api-key": it },
  }),
  "a cookie": (it) => withHeader("cookie", `theme=dark; sid=${it}`),
  "a cookie with another name": (it) => withHeader("cookie", `theme=${it}`),
  "a cookie in quotes": (it) => withHeader("cookie", `sid="${it}"; a=b`),
  "a cookie without a name": (it) => withHeader("cookie", `${it}; a=b`),
  "a URL in a header": (it) => withHeader("referer", `http://a/?token=${it}`),
  "a fragment": (it) => withHeader("referer", `http://a/#access_token=${it}`),
  "a link": (it) => withHeader("link", `</a?api_key=${it}>; rel=next`),
  "JSON in a header": (it) => withHeader("x-data", `{"password":"${it}"}`),
  "a password in a URL": (it) =>
    withHeader("x-proxy", `http://ada:${it}@proxy:8080`),
  "the query": (it) => ({ path: `ok?token=${it}&page=2` }),
  "an own name in the query": (it) => ({ path: `ok?licence=${it}` }),
  "a repeated parameter": (it) => ({ path: `ok?token=a&token=${it}` }),
  "a parameter in brackets": (it) => ({ path: `ok?user[password]=${it}` }),
  "an encoded name in the query": (it) => ({ path: `ok?t%6Fken=${it}` }),
  "an encoded value": (it) => ({ path: `ok?token=${uri(`${it} &=/`)}` }),
  "a URL in the query": (it) => ({
    path: `ok?next=${uri(`http://a/?token=${it}`)}`,
  }),
  "JSON in the query": (it) => ({
    path: `ok?filter=${uri(`{"password":"${it}"}`)}`,
  }),
  "the path": (it) => ({ path: `reset/${it}` }),
  "an encoded path": (it) => ({ path: `reset/${uri(`${it}/ä`)}` }),
  "a query without a route": (it) => ({ path: `no/where?token=${it}` }),
  "JSON": (it) => json("echo", { password: it }),
  "JSON that nothing reads": (it) => json("ok", { password: it }),
  "JSON of another type": (it) => text("echo", `{"password":"${it}"}`),
  "JSON of a vendor": (it) =>
    typed("application/vnd.a+json")("echo", `{"password":"${it}"}`),
  "nested JSON": (it) => json("echo", { a: [{ tokens: [it, { b: it }] }] }),
  "JSON in JSON": (it) => json("echo", { a: JSON.stringify({ password: it }) }),
  "a URL in JSON": (it) => json("echo", { a: `https://b/?x=1&token=${it}` }),
  "a database in JSON": (it) => json("echo", { a: `pg://ada:${it}@db/shop` }),
  "escaped JSON": (it) => jsonText("echo", `{"pass\\u0077ord":"\\u007a${it}"}`),
  "a name with a line break": (it) => json("echo", { "licence\r\n": it }),
  "a repeated name": (it) =>
    jsonText("echo", `{"password":"${it}1","password":"${it}2"}`),
  "a repeated name without a secret": (it) =>
    jsonText("echo", `{"password":"${it}","password":null}`),
  "a wide gap": (it) =>
    jsonText("echo", `{"password"${" ".repeat(40)}: "${it}"}`),
  "malformed JSON": (it) => jsonText("account", `{"password":"${it}",`),
  "long JSON": (it) => json("echo", { a: fill, password: it + fill }),
  "JSON that is too deep": (it) =>
    jsonText("echo", `${"[".repeat(8e3)}"${it}"${"]".repeat(8e3)}`),
  "XML": (it) => typed("application/xml")("echo", `<password>${it}</password>`),
  "text": (it) => text("echo", `password=${it}`),
  "no type": (it) => typed("")("echo", `password=${it}`),
  "a form": (it) => form("form", `a=1&password=${it}`),
  "a form with encoded names": (it) => form("form", `a=1&p%61ssword=${it}`),
  "a long form": (it) => form("echo", `a=${fill}&password=${it}${fill}`),
  "JSON in a form": (it) => form("echo", `a=${uri(`{"password":"${it}"}`)}`),
  "a URL in a form": (it) => form("echo", `a=${uri(`http://b/?pin=${it}`)}`),
  "a multipart form": (it) => multipart(disposition, "", it),
  "a field of a multipart form": (it) =>
    multipart('Content-Disposition: form-data; name="user[pin]"', "", it),
  "a file of JSON": (it) =>
    multipart(
      'Content-Disposition: form-data; name="f"; filename="a.json"',
      "",
      `{"password":"${it}"}`,
    ),
  "a long multipart form": (it) => multipart(disposition, "", it + fill),
  "a malformed multipart form": (it) =>
    typed("multipart/form-data; boundary=b")("echo", `--b\r\n${it}`),
  "headers of the response": (it) => json("login", { password: it }),
  "a problem": (it) => json("problem", { password: it }),
  "a stream": (it) => json("stream", { password: it }),
  "a stream of text": (it) => json("stream-text", { password: it }),
  "a stream that is cut": (it) => json("stream-cut", { password: it }),
  "events": (it) => json("events", { password: it }),
  "validated values": (it) => json("account", { password: it }),
  "an issue in the body": (it) => json("account", { password: [it] }),
  "an issue in the query": (it) =>
    json(`account?token=${it}${"y".repeat(50)}`, { password: it }),
  "a running request with headers": (it) =>
    withHeader("authorization", `Bearer ${it}`, "wait"),
  "a running request with a cookie": (it) =>
    withHeader("cookie", `sid=${it}`, "wait"),
  "a running request with a query": (it) => ({ path: `wait?token=${it}` }),
  "a running request with a path": (it) => ({ path: `reset/${it}/wait` }),
  "a running request with JSON": (it) => json("wait", { password: it }),
  "a running request with malformed JSON": (it) => jsonText("wait", `{"${it}`),
  "a running request with a form": (it) => form("wait", `password=${it}`),
};

/** Requests whose errors and logs the page shows as they are. */
const LOGGED: typeof REQUESTS = {
  "an error with causes": (it) => json("error", { password: it }),
  "a cause": (it) => json("http", { password: it }),
  "a stream that fails": (it) => json("failing", { password: it }),
  "logs": (it) => ({
    ...json("logs", { password: it }),
    headers: { "content-type": "application/json", "x-api-key": it },
  }),
  "a log after the response": (it) => json("late", { password: it }),
};

class Program extends MeasuredProgram {
  async send({ path, headers, body }: Sent): Promise<void> {
    const response = await this.fetch(`/api/${path}`, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { "x-kept": KEPT, ...headers },
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    });
    await response.text().catch(() => {});
  }

  /** Sends a message, and waits until the server has closed the socket. */
  async sendMessage(message: string): Promise<void> {
    const socket = new WebSocket(this.url("/api/socket"));
    socket.onopen = () => socket.send(message);
    await new Promise((resolve) => socket.onclose = resolve);
  }

  async tool(name: string, args: object): Promise<string> {
    const response = await this.fetch("/_bough/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    });
    return await response.text();
  }
}

/** The mark at each offset of base64. */
const ENCODED = [btoa(MARK), btoa(` ${MARK}`), btoa(`  ${MARK}`)]
  .map((text) => text.replace(/=+$/, "").slice(2, -1));

function assertSecretless(text: string): void {
  for (const part of [MARK, ...ENCODED]) {
    const at = text.indexOf(part);
    const found = at < 0 ? "" : text.slice(Math.max(at - 60, 0), at + 60);
    assertEquals(found, "");
  }
}

Deno.test("the inspector shows and keeps no secret that has a name", async (test) => {
  await using program = await Program.start();
  const running: Promise<void>[] = [];
  for (const [index, [name, request]] of Object.entries(REQUESTS).entries()) {
    await test.step(name, async () => {
      const sent = request(`${MARK}a1b2c3-${index}`);
      const isRunning = /wait/.test(sent.path);
      const [before] = await program.requests();
      running.push(program.send(sent));
      await until(async () => {
        const [newest] = await program.requests();
        return newest !== undefined && newest.id !== before?.id &&
          newest.url !== "…" &&
          newest.state === (isRunning ? "running" : "done");
      });
      const [entry] = await program.requests();
      assertSecretless(JSON.stringify(entry));
      const { id } = entry!;
      const one = await program.fetch(`/_bough/api/requests/${id}`);
      assertSecretless(await one.text());
      assertSecretless(await program.tool("show_request", { params: { id } }));
    });
  }
  await test.step("messages of a socket", async () => {
    await program.sendMessage(JSON.stringify({ password: `${MARK}a1b2c3` }));
    await until(async () => (await program.requests())[0]?.state === "done");
    const [entry] = await program.requests();
    assertEquals(entry!.messageCount, 3);
    assertSecretless(JSON.stringify(entry));
  });
  await test.step("the list and the memory", async () => {
    assertSecretless(JSON.stringify(await program.requests()));
    assertSecretless(await program.tool("list_requests", {}));
    await (await program.control("/end")).text();
    await Promise.all(running);
    // Deno and V8 keep parts of the last requests, such as the last text of a RegExp.
    for (let n = 0; n < 50; n++) {
      await program.send(json("echo", { password: `other-${n}` }));
    }
    // The recorder forgets the secrets of a request half a second after its end.
    await delay(1_000);
    const heap = await (await program.control("/heap")).text();
    assert(heap.includes(KEPT));
    assertSecretless(heap);
  });
  for (const [name, request] of Object.entries(LOGGED)) {
    await test.step(`agents do not get ${name}`, async () => {
      await program.send(request(`${MARK}a1b2c3`));
      await until(async () => {
        const [{ state, error, logs } = {}] = await program.requests();
        return state === "done" && JSON.stringify([error, logs]).includes(MARK);
      });
      const [{ id }] = await program.requests() as [RequestEntry];
      assertSecretless(await program.tool("show_request", { params: { id } }));
      const query = { text: MARK };
      const found = await program.tool("list_requests", { query });
      assertSecretless(found.replaceAll(JSON.stringify(query), ""));
    });
  }
});
