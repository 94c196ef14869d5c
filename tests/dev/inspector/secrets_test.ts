import { assert, assertEquals } from "@std/assert";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { until } from "../../support/until.ts";
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

/** Requests with a secret, by what they test. */
const REQUESTS: Readonly<Record<string, (secret: string) => Sent>> = {
  "a bearer token": (it) => withHeader("authorization", `Bearer ${it}`),
  "a basic password": (it) =>
    withHeader("authorization", `Basic ${btoa(`ada:${it}`)}`),
  "an API key": (it) => withHeader("x-api-key", it),
  "an own name": (it) => withHeader("x-licence", it),
  "a cookie": (it) => withHeader("cookie", `theme=dark; sid=${it}`),
  "a URL in a header": (it) => withHeader("referer", `http://a/?token=${it}`),
  "the query": (it) => ({ path: `ok?token=${it}&page=2` }),
  "an encoded name in the query": (it) => ({ path: `ok?t%6Fken=${it}` }),
  "a URL in the query": (it) => ({
    path: `ok?next=${encodeURIComponent(`http://a/?token=${it}`)}`,
  }),
  "the path": (it) => ({ path: `reset/${it}` }),
  "a path without a route": (it) => ({ path: `nowhere/${it}?token=${it}` }),
  "JSON": (it) => json("echo", { password: it }),
  "JSON that nothing reads": (it) => json("ok", { password: it }),
  "JSON of another type": (it) => text("echo", `{"password":"${it}"}`),
  "nested JSON": (it) => json("echo", { a: [{ tokens: [it, { b: it }] }] }),
  "JSON in JSON": (it) => json("echo", { a: JSON.stringify({ password: it }) }),
  "escaped JSON": (it) => jsonText("echo", `{"pass\\u0077ord":"\\u007a${it}"}`),
  "a name with a line break": (it) => json("echo", { "licence\r\n": it }),
  "a wide gap": (it) =>
    jsonText("echo", `{"password"${" ".repeat(40)}: "${it}"}`),
  "malformed JSON": (it) => jsonText("account", `{"password":"${it}",`),
  "cut JSON": (it) => json("echo", { a: fill, password: it + fill }),
  "a form": (it) => form("echo", `a=1&password=${it}`),
  "a cut form": (it) => form("echo", `a=${fill}&password=${it}${fill}`),
  "JSON in a form": (it) =>
    form("echo", `a=${encodeURIComponent(`{"password":"${it}"}`)}`),
  "a multipart form": (it) => multipart(disposition, "", it),
  "a file of JSON": (it) =>
    multipart(
      'Content-Disposition: form-data; name="f"; filename="a.json"',
      "",
      `{"password":"${it}"}`,
    ),
  "a cut multipart form": (it) => multipart(disposition, "", it + fill),
  "a cookie and a URL of the response": (it) => text("login", it),
  "JSON of the response": (it) => text("issue", it),
  "a stream": (it) => text("stream", it),
  "events": (it) => json("events", { password: it }),
  "an error with causes": (it) => json("error", { password: it }),
  "a stack": (it) => json("stack", { password: it }),
  "a thrown object": (it) => text("thrown", it),
  "an HttpError with an issue": (it) => json("http", { password: it }),
  "an issue with further members": (it) => text("members", it),
  "a stream that fails": (it) => json("failing", { password: it }),
  "logs": (it) => ({
    ...json("logs", { password: it }),
    headers: { "content-type": "application/json", "x-copy": it },
  }),
  "a log with a value": (it) => text("log", it),
  "a log with a colon": (it) => text("log-colon", it),
  "a log after the response": (it) => text("late", it),
  "a long log": (it) => text("log", "x".repeat(16_370) + `password=${it}`),
  "a name that contains a secret in base64": (it) => ({
    ...withHeader("x-api-key", it),
    path: `ok?${btoa(it).replaceAll("=", "")}_token=abc123456`,
  }),
  "a cookie that has a secret as its name": (it) =>
    withHeader("cookie", `${it}=abc123456; sid=${it}`),
  "a pointer that contains a secret": (it) =>
    json(`pointer?token=${it}`, { [it]: 1 }),
  "validated values": (it) => json("account", { password: it }),
  "an issue in the body": (it) => json("account", { password: [it] }),
  "an issue in the query": (it) =>
    json(`account?token=${it}${"y".repeat(50)}`, { password: it }),
};

class Program extends MeasuredProgram {
  async send({ path, headers, body }: Sent): Promise<void> {
    const response = await this.fetch(`/api/${path}`, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { "x-kept": KEPT, ...headers },
      ...(body !== undefined && { body }),
    });
    await response.text().catch(() => {});
  }

  /** Sends a message, and waits until the server has closed the socket. */
  async sendMessage(message: string): Promise<void> {
    const socket = new WebSocket(this.url("/api/socket"));
    socket.onopen = () => socket.send(message);
    await new Promise((resolve) => socket.onclose = resolve);
  }

  async requests(): Promise<RequestEntry[]> {
    const response = await this.fetch("/_bough/api/requests");
    return (await response.json()).requests;
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

Deno.test("the inspector shows and keeps no secret of a request", async (test) => {
  await using program = await Program.start("secrets_program.ts");
  for (const [name, request] of Object.entries(REQUESTS)) {
    await test.step(name, async () => {
      await program.send(request(`${MARK}a1b2c3`));
      await until(async () => (await program.requests())[0]?.state === "done");
      // Work of the request continues.
      await until(async () => {
        const [{ id, url, logs } = { url: "" }] = await program.requests();
        return id !== undefined && (!url.includes("late") || logs!.length > 1);
      });
      const [entry] = await program.requests();
      assertSecretless(JSON.stringify(entry));
      assert(entry!.secrets.length > 0);
      const { id } = entry!;
      const one = await program.fetch(`/_bough/api/requests/${id}`);
      assertSecretless(await one.text());
      assertSecretless(await program.tool("show_request", { id }));
    });
  }
  await test.step("messages of a socket", async () => {
    await program.sendMessage(JSON.stringify({ password: `${MARK}a1b2c3` }));
    await until(async () => (await program.requests())[0]?.state === "done");
    const [entry] = await program.requests();
    assertEquals(entry!.messageCount, 2);
    assertSecretless(JSON.stringify(entry));
  });
  await test.step("the list and the memory", async () => {
    assertSecretless(await program.tool("list_requests", {}));
    // Deno and V8 keep parts of the last requests, such as the last text of a RegExp.
    for (let n = 0; n < 50; n++) {
      await program.send(json("echo", { password: `other-${n}` }));
    }
    const heap = await (await program.control("/heap")).text();
    assert(heap.includes(KEPT));
    assertSecretless(heap);
  });
});
