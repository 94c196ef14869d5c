import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { copiesOf } from "../../../src/dev/inspector/copies.ts";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { TestFolder } from "../../support/application.ts";
import { copy, denoTest, ORIGIN, run } from "./copied.ts";
import { bodyOf, entryOf } from "./entry_of.ts";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));

const MALICIOUS = JSON.stringify({
  "a`${1}\u2028\u202e*/": "\"'\\</script>",
});

/**
 * Responses as seen, with status, type and body, and the responses now, by the result of
 * the test. `…` marks a body that is not shown.
 */
const RESPONSES: Readonly<
  Record<string, Readonly<Record<string, readonly [seen: string, now: string]>>>
> = {
  ok: {
    "the same status": ["200 text/plain a", "200 b"],
    "the same error of the client": ["404 text/plain a", "404 b"],
    "a bug that was fixed": ["500 text/plain a", "200 a"],
    "a bug, but now a problem": ["500 application/json {}", "400 {}"],
    "no response, but now one": ["", "200 "],
    "no body": ["204  ", "204 "],
    "a stream": ["200 text/event-stream a", "200 stream"],
    "the same JSON": ['200 application/json {"a":[1]}', '200 { "a": [1] }'],
    "a JSON problem": ['400 application/problem+json {"a":1}', '400 {"a":1}'],
    "long JSON": ["200 application/json… 12", "200 1234"],
    "lines of JSON": ['200 application/jsonl {"a":1}', "200 a"],
    "a secret": ['200 application/json {"token":"«token»"}', "200 {}"],
    "a large number": ['200 application/json {"a":1e999}', '200 {"a":1e999}'],
    "a member __proto__": [
      '200 application/json {"__proto__":{"a":1}}',
      '200 {"__proto__":{"a":1}}',
    ],
    "malicious JSON": [`200 application/json ${MALICIOUS}`, `200 ${MALICIOUS}`],
  },
  FAILED: {
    "another status": ["200 text/plain a", "201 a"],
    "a bug that is still there": ["500 text/plain a", "500 a"],
    "another bug": ["500 text/plain a", "503 a"],
    "no response, and a bug": ["", "500 "],
    "other JSON": ['200 application/json {"a":[1]}', '200 {"a":[2]}'],
    "another one": ['400 application/problem+json {"a":1}', '400 {"a":2}'],
  },
};
const ROWS = Object.entries(RESPONSES).flatMap(([result, rows]) =>
  Object.entries(rows).map(([title, row]) => [title, result, ...row] as const)
);

/** Responds to the request with the number of a row; a stream ends only if cancelled. */
const MAIN = `
const NOW = ${JSON.stringify(ROWS.map(([, , , now]) => now))};
const stream = () =>
  new ReadableStream({ cancel: () => console.log("CANCELLED") });
export const app = {
  async fetch({ url }: Request): Promise<Response> {
    const [, index] = /(\\d+)-end$/.exec(url)!;
    const [, status, text] = /^(\\S*) (.*)$/s.exec(NOW[Number(index)])!;
    const body = text === "stream" ? stream() : text || null;
    return new Response(body, { status: Number(status) });
  },
};`;

Deno.test("the Deno test passes or fails as the request did", async () => {
  await using folder = await TestFolder.create({ "main.ts": MAIN });
  for (const [index, [title, , seen]] of ROWS.entries()) {
    const [, status, type = "", text = ""] = /^(\S*) (\S*) (.*)$/s.exec(seen) ??
      [];
    const { status: _, ...entry } = entryOf({ url: `/${index}-end` });
    const { text: shown, ...hidden } = bodyOf(text, type.replace("…", ""));
    const body = type.includes("…") ? hidden : { ...hidden, text: shown! };
    const { test } = copy({
      ...entry,
      ...(status && { status: Number(status) }),
      secrets: ["token"],
      response: { headers: [], body },
    });
    await folder.write(`copy_${index}_test.ts`, `// ${title}\n${test}`);
  }
  const { output } = await denoTest(folder);
  assertEquals(
    ROWS.map(([title], index) => [
      title,
      new RegExp(`GET /${index}-end \\.\\.\\. (\\w+)`).exec(output)?.[1],
    ]),
    ROWS.map(([title, result]) => [title, result]),
    output,
  );
  assertStringIncludes(output, "CANCELLED");
});

Deno.test("the copies omit headers of the connection, and escape invisible text", () => {
  const names = "host content-length connection keep-alive te trailer expect " +
    "accept-encoding transfer-encoding proxy-connection sec-fetch-dest";
  const headers = names.split(" ").map((name) => [name, "1"] as const);
  const body = bodyOf('"a\u202e\u2028b\n!c"');
  const entry = entryOf({ method: "POST", request: { headers, body } });
  const { curl, test } = copy(entry);
  for (const text of [curl, test]) {
    for (const name of names.split(" ")) {
      assert(!text.includes(`'${name}:`) && !text.includes(`"${name}"`), text);
    }
    assert(!/[\p{Cf}\p{Zl}\p{Zp}]/u.test(text), text);
  }
  // Older interactive shells replace "!c" with the last command that begins with "c".
  assert(!curl.includes("!"), curl);
});

Deno.test("the copies are readable", async () => {
  const entry = entryOf({
    method: "POST",
    url: "/api/books?x=1",
    request: {
      headers: [
        ["host", "localhost:8000"],
        ["accept", "*/*"],
        ["user-agent", "x"],
        ["content-type", "application/json"],
        ["authorization", "Bearer «authorization»"],
      ],
      body: bodyOf('{"password":"«password»"}'),
    },
    status: 201,
    secrets: ["authorization", "password"],
    response: { headers: [], body: bodyOf('{"id":1}') },
  });
  const { curl, test } = copy(entry);
  assertEquals(
    curl,
    String.raw`curl 'http://localhost:8000/api/books?x=1' \
  -X POST \
  -H 'accept: */*' \
  -H 'user-agent: x' \
  -H 'content-type: application/json' \
  -H 'authorization: Bearer '"${"$"}{AUTHORIZATION:?}" \
  --data-raw '{"password":"'"${"$"}{PASSWORD:?}"'"}'`,
  );
  assertEquals(
    test,
    String.raw`import { assertEquals } from "@std/assert";
import { app } from "./main.ts";

// Passes while the response stays the same.
Deno.test("POST /api/books?x=1", async () => {
  const request = new Request("http://localhost:8000/api/books?x=1", {
    method: "POST",
    headers: [
      ["accept", "*/*"],
      ["user-agent", "x"],
      ["content-type", "application/json"],
      ["authorization", "Bearer " + secret("AUTHORIZATION")],
    ],
    body: "{\"password\":\"" + JSON.stringify(secret("PASSWORD")).slice(1, -1) + "\"}",
  });
  const response = await app.fetch(request);
  assertEquals(response.status, 201);
  assertEquals(await response.json(), {
    "id": 1
  });
});

function secret(name: string): string {
  const value = Deno.env.get(name);
  if (value !== undefined) return value;
  throw new Error(${"`"}Set the environment variable "${"$"}{name}"${"`"});
}
`,
  );
  await using folder = await TestFolder.create({
    "main.ts": `export const app = {
      fetch: ({ body }: Request) => Promise.resolve(new Response(body)),
    };`,
    "copy_test.ts": test,
  });
  const file = `${folder.path}/copy_test.ts`;
  const args = ["check", "--config", CONFIG, file];
  const { code, stderr } = await run(Deno.execPath(), args);
  assertEquals(code, 0, stderr);
});

/** Requests that cannot be repeated, with the reasons. */
const UNREPEATABLE: readonly (readonly [
  reason: string,
  head: string,
  members?: Partial<RequestEntry>,
])[] = [
  ["it has not ended", "GET /", { state: "running" }],
  ["it has not ended", "GET /", { state: "open" }],
  ["a secret is a number", "GET /", { unrepeatable: "a secret is a number" }],
  ["it asked for a socket", "GET /\nupgrade: websocket"],
  ["a header is not ASCII", "GET /\nx-a: é"],
  ["its body is not shown", "POST /\ncontent-type: text/plain"],
  [
    "its body is a form with parts",
    "POST /\ncontent-type: multipart/form-data",
  ],
  ...["/a/../b", "/..", "/a/./b?x", "/a/%2E%2e?x", "/a\\b", "@a.example", "*"]
    .map((url) => ["a Request cannot have its URL", `GET ${url}`] as const),
];

Deno.test("a request that cannot be repeated has a reason instead of copies", () => {
  for (const [unrepeatable, head, members] of UNREPEATABLE) {
    const [line, ...lines] = head.split("\n");
    const [method, url] = line!.split(" ");
    const headers = lines.map((line) => line.split(": ") as [string, string]);
    const [, type] = headers.find(([name]) => name === "content-type") ?? [];
    const request = { headers, ...(type && { body: { type, size: 1 } }) };
    const entry = entryOf({ method: method!, url: url!, request, ...members });
    assertEquals(copiesOf(entry, ORIGIN), { unrepeatable }, head);
  }
  for (const url of ["/a..b/...", "/.well-known/x", "/a?b=/../c\\"]) {
    copy(entryOf({ url }));
  }
});
