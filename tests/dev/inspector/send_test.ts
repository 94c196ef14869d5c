import { assertEquals } from "@std/assert";
import { send, withSecrets } from "../../../src/dev/inspector/send.ts";
import { until } from "../../support/until.ts";

const GET = { method: "GET", url: "/x", headers: [] };
const AT = { origin: "http://localhost", info: undefined };

Deno.test("send() limits the wait for a response and its body", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    cancel: () => void (isCancelled = true),
  });
  const sent = { ...AT, patience: 10 };
  const handle = () => new Response(body);
  const endless = await send(GET, { ...sent, handle });
  assertEquals(endless.url, "http://localhost/x");
  await until(() => isCancelled);
  const forever = new Promise<Response>(() => {});
  const silent = await send(GET, { ...sent, handle: () => forever });
  assertEquals(silent.url, "http://localhost/x");
});

Deno.test("send() ignores the error of a handler, which the recorder shows", async () => {
  const handle = () => Promise.reject(new Error("broken"));
  const { url } = await send(GET, { ...AT, handle });
  assertEquals(url, "http://localhost/x");
});

Deno.test("send() sets the headers of its own connection", async () => {
  let found: string[] = [];
  await send({
    method: "POST",
    url: "/",
    headers: [
      ["Connection", "Upgrade"],
      ["upgrade", "websocket"],
      ["content-length", "999"],
      ["transfer-encoding", "chunked"],
      ["content-type", "text/plain"],
      ["x-own", "1"],
    ],
    body: "x",
  }, {
    ...AT,
    handle: (request) => {
      found = [...request.headers.keys()];
      return new Response();
    },
  });
  assertEquals(found, ["content-length", "content-type", "x-own"]);
});

Deno.test("send() adds no content type to a body", async () => {
  let found: unknown[] = [];
  await send({ method: "POST", url: "/", headers: [], body: "Grüße" }, {
    origin: "http://localhost",
    info: undefined,
    async handle(request) {
      found = [...request.headers, await request.text()];
      return new Response();
    },
  });
  assertEquals(found, [["content-length", "7"], "Grüße"]);
});

Deno.test("withSecrets() escapes values as the body requires", () => {
  const value = 'a"b&\\';
  const rows = [
    ["application/json; charset=utf-8", 'a\\"b&\\\\'],
    ["application/vnd.shop+json", 'a\\"b&\\\\'],
    ["application/x-www-form-urlencoded", "a%22b%26%5C"],
    ["text/plain", value],
    [undefined, value],
  ];
  for (const [type, expected] of rows) {
    const { url, headers, body } = withSecrets({
      method: "POST",
      url: "/«key»/?k=«key»&o=«other»",
      headers: [
        ["x-key", "v «key»"],
        ...(type ? [["Content-Type", type]] : []),
      ],
      body: "«key»«other»",
    }, { key: value });
    assertEquals(url, "/a%22b%26%5C/?k=a%22b%26%5C&o=«other»");
    assertEquals(headers[0], ["x-key", `v ${value}`]);
    assertEquals(body, `${expected}«other»`);
  }
});
