import { assertEquals } from "@std/assert";
import { send, withSecrets } from "../../../src/dev/inspector/send.ts";
import { until } from "../../support/until.ts";

const GET = { method: "GET", url: "/x", headers: [] };
const AT = { origin: "http://localhost", info: undefined };

Deno.test("send() limits the wait for a response and its body, and ignores errors", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    cancel: () => void (isCancelled = true),
  });
  for (
    const handle of [
      () => new Response(body),
      () => new Promise<Response>(() => {}),
      // The recorder shows the error.
      () => Promise.reject(new Error("broken")),
    ]
  ) {
    const { url } = await send(GET, { ...AT, patience: 10, handle });
    assertEquals(url, "http://localhost/x");
  }
  await until(() => isCancelled);
});

Deno.test("send() sets the headers of its own connection, and adds no content type", async () => {
  const received = async (...headers: [string, string][]) => {
    let found: unknown[] = [];
    await send({ method: "POST", url: "/", headers, body: "Grüße" }, {
      ...AT,
      async handle(request) {
        const names = [...request.headers.keys()];
        found = [
          ...names,
          request.headers.get("content-length"),
          await request.text(),
        ];
        return new Response();
      },
    });
    return found;
  };
  assertEquals(await received(), ["content-length", "7", "Grüße"]);
  assertEquals(
    await received(
      ["Connection", "Upgrade"],
      ["upgrade", "websocket"],
      ["content-length", "999"],
      ["transfer-encoding", "chunked"],
      ["content-type", "text/plain"],
      ["x-own", "1"],
    ),
    ["content-length", "content-type", "x-own", "7", "Grüße"],
  );
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
