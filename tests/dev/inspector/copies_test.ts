import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { fromFileUrl } from "@std/path";
import { copiesOf } from "../../../src/dev/inspector/copies.ts";
import type {
  EntryBody,
  RequestEntry,
} from "../../../src/dev/inspector/entry.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import { secretNames } from "../../../src/dev/inspector/secret_names.ts";
import { isInstalled } from "../../../tools/installed.ts";
import { TestFolder } from "../../support/application.ts";
import { DenoProcess } from "../../support/process.ts";
import { rawRequest } from "../../support/raw_http.ts";

const CONFIG = fromFileUrl(new URL("../../../deno.json", import.meta.url));
const SHELLS = ["bash", "zsh"].filter(isInstalled);
const JAVASCRIPT = { origin: "http://localhost:8000", main: "./main.js" };
const OPTIONS = { origin: "http://localhost:8000", main: "./main.ts" };

/** A request as a server received it. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The bytes of the body. */
  readonly body: readonly number[];
}

/** Headers that belong to the connection, or to the browser. */
const NOT_COMPARED =
  /^(?:host|connection|content-length|accept-encoding|sec-fetch-mode)$/;

async function receive(request: Request): Promise<Received> {
  return {
    method: request.method,
    url: request.url.replace(/^\w+:\/\/[^/]*/, ""),
    headers: [...request.headers].filter(([name]) => !NOT_COMPARED.test(name)),
    body: [...await request.bytes()],
  };
}

/** An entry with further members. */
function entryOf(
  { method = "GET", url = "/", headers = [] }: Partial<Received>,
  further: Partial<RequestEntry> = {},
  body?: EntryBody,
): RequestEntry {
  return {
    ...{ id: 1, version: 1, state: "done", time: "", method, url },
    ...{ isDeprecated: false, status: 200, duration: 1, steps: [] },
    request: { headers, ...(body && { body }) },
    ...{ params: {}, issues: [], logs: [], messages: [], messageCount: 0 },
    secrets: [],
    ...further,
  };
}

/** The entry of a request, with its secrets replaced. */
function keep({ body, ...received }: Received): RequestEntry {
  const bytes = new Uint8Array(body);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const typed = received.headers.find(([name]) => name === "content-type");
  const secrets = new Secrets(secretNames());
  const entry = secrets.redact(entryOf(
    received,
    {},
    body.length === 0 ? undefined : {
      type: typed?.[1].replace(/;.*/, "") ?? "",
      ...{ size: body.length, text, isCut: false },
    },
  ));
  return { ...entry, secrets: secrets.names };
}

function copy(entry: RequestEntry, options = OPTIONS) {
  const { copies, unrepeatable } = copiesOf(entry, options);
  assert(copies, unrepeatable);
  return copies;
}

/** Requests: their first lines, bodies, and the variables that hold their secrets. */
const REQUESTS: Readonly<
  Record<
    string,
    readonly [head: string, body?: string, env?: Record<string, string>]
  >
> = {
  "GET": ["GET /api/books HTTP/1.1"],
  "GET with a query": ["GET /a?x=1&y=a%20b+c&z=%22'$(id)`id`!!;|*~ HTTP/1.1"],
  "GET with braces": ["GET /a/{x,y}[1-3]?q[]={} HTTP/1.1"],
  "GET with unicode": ["GET /%C3%A9/%e2%82%ac?%C3%BC=ü🙂 HTTP/1.1"],
  "HEAD": ["HEAD /a HTTP/1.1\naccept: text/plain"],
  "DELETE": ["DELETE /a HTTP/1.1"],
  "POST without a body": ["POST /a HTTP/1.1\ncontent-length: 0"],
  "PATCH": ["PATCH /a HTTP/1.1", "x"],
  "a strange method": ["A'!`~ /a HTTP/1.1"],
  "headers": [
    "GET /a HTTP/1.1\naccept: a/b\nuser-agent: x\nsec-fetch-site: none\n" +
    "sec-fetch-mode: cors\naccept-encoding: br\norigin: http://localhost:8000",
  ],
  "malicious headers": [
    "GET /a HTTP/1.1\nx-a: '\"\\'$(touch x) `touch x` $HOME ${HOME} !! %s %0a\n" +
    "x-b: @/etc/passwd\nx-c: \\\nx-d: a\tb ~ * ? [a] {b,c} # ; & | < >\nx-e:",
  ],
  "headers with unicode": ["GET /a HTTP/1.1\nx-a: é \u2028 \u202e 🙂 '"],
  "JSON": [
    "POST /a HTTP/1.1\ncontent-type: application/json",
    '{\n  "a": "it\'s $(id) `id` $HOME \\\\ \\" \\n !! %s é 🙂 «» \u2028 \u202e"\n}\n',
  ],
  "a body that names a file": [
    "POST /a HTTP/1.1\ncontent-type: text/plain",
    "@/etc/passwd",
  ],
  "a body without a type": ["POST /a HTTP/1.1", "a=b"],
  "a body with control characters": [
    "PUT /a HTTP/1.1\ncontent-type: text/plain; charset=utf-8",
    "\ufeff\r\n\t\x1b[31m\x07'\\x41 !\n!x\x7f\x80\u0085\u00ad🙂\n\n",
  ],
  "a form": [
    "POST /a HTTP/1.1\ncontent-type: application/x-www-form-urlencoded",
    "a=%27&b=it's+$(id)&c=\"",
  ],
  "a bearer token": [
    "GET /a HTTP/1.1\nauthorization: Bearer abc.def",
    "",
    { AUTHORIZATION: "abc.def" },
  ],
  "a malicious token": [
    "GET /a HTTP/1.1\nauthorization: Bearer $(touch x)`id`'\"\\!!",
    "",
    { AUTHORIZATION: "$(touch x)`id`'\"\\!!" },
  ],
  "a token within malicious text": [
    "GET /a HTTP/1.1\nx-api-key: abcdef\nx-a: $(id)abcdef`id`'\"\\!!abcdef$HOME",
    "",
    { X_API_KEY: "abcdef" },
  ],
  "cookies": [
    "GET /a HTTP/1.1\ncookie: sid=a b; theme=dark; token=1234",
    "",
    { SID: "a b", THEME: "dark", TOKEN: "1234" },
  ],
  "a secret in a query": [
    "GET /a?token=abc.def&x='$(id)' HTTP/1.1",
    "",
    { TOKEN: "abc.def" },
  ],
  "secrets in JSON": [
    "POST /a HTTP/1.1\ncontent-type: application/json",
    '{"password":"it\'s $(id)","pin":1234,"x":"\'","token":"password"}',
    { PASSWORD: "it's $(id)", PIN: "1234", TOKEN: "password" },
  ],
  "secrets of one name": [
    "POST /a HTTP/1.1\ncontent-type: application/json",
    '[{"pin":"1234"},{"pin":"5678"},{"x":"«x» «"}]',
    { PIN: "1234", PIN_2: "5678" },
  ],
  "a secret in a form": [
    "POST /a HTTP/1.1\ncontent-type: application/x-www-form-urlencoded",
    "password=abc&x=%27$(id)",
    { PASSWORD: "abc" },
  ],
  "a secret in a multipart form": [
    "POST /a HTTP/1.1\ncontent-type: multipart/form-data; boundary=x",
    '--x\r\ncontent-disposition: form-data; name="pin"\r\n\r\n12 34\r\n--x--\r\n',
    { PIN: "12 34" },
  ],
};

/** Each request as the server received it, with its variables. */
const RECEIVED: [
  title: string,
  received: Received,
  env: Record<string, string>,
][] = [];

/** Runs a function with a server that receives requests. */
async function withServer(
  run: (port: number, received: Received[]) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, async (request) => {
    received.push(await receive(request));
    return new Response();
  });
  await run(server.addr.port, received);
}

await withServer(async (port, received) => {
  for (const [title, [head, body, env = {}]] of Object.entries(REQUESTS)) {
    const length = body
      ? `\ncontent-length: ${new TextEncoder().encode(body).length}`
      : "";
    const { status } = await rawRequest(port, head + length, body);
    assertEquals(status, 200, title);
    RECEIVED.push([title, received.pop()!, env]);
  }
});

for (const shell of SHELLS) {
  Deno.test({
    name: `the curl command sends the same request from ${shell}`,
    ignore: !isInstalled("curl"),
    fn: async (t) => {
      await using folder = await TestFolder.create({});
      await withServer(async (port, received) => {
        const origin = `http://127.0.0.1:${port}`;
        for (const [title, expected, env] of RECEIVED) {
          await t.step(title, async () => {
            const { curl } = copy(keep(expected), { ...OPTIONS, origin });
            for (const secret of Object.values(env)) {
              assert(secret === "password" || !curl.includes(secret), curl);
            }
            const { code, stderr } = await new Deno.Command(shell, {
              args: ["-c", `${curl} --silent --show-error --max-time 9`],
              cwd: folder.path,
              env,
            }).output();
            assertEquals(
              code,
              0,
              `${curl}\n${new TextDecoder().decode(stderr)}`,
            );
            assertEquals(received.pop(), expected, curl);
          });
        }
      });
      assertEquals([...Deno.readDirSync(folder.path)], []);
    },
  });
}

/** An application that prints what it receives. */
const MAIN = `
const NOT_COMPARED = ${NOT_COMPARED};
${receive}
export const app = {
  async fetch(request) {
    console.log("RECEIVED", JSON.stringify(await receive(request)), "END");
    return new Response("ok");
  },
};
`;

/** Runs `deno test` in a folder. */
async function denoTest(folder: TestFolder, env: Record<string, string>) {
  const options = { command: "test", env } as const;
  const flags = ["--allow-env"];
  await using process = new DenoProcess(folder.path, flags, "", options);
  return await process.outcome();
}

Deno.test("the Deno test sends the same request", async () => {
  await using folder = await TestFolder.create({ "main.js": MAIN });
  const names = RECEIVED.map((_, index) => `copy_${100 + index}_test.ts`);
  // Variables of tests have the same names, so each test reads its own.
  const env: Record<string, string> = {};
  for (const [index, [, received, own]] of RECEIVED.entries()) {
    let { test } = copy(keep(received), JAVASCRIPT);
    for (const [name, value] of Object.entries(own)) {
      assert(value === "password" || !test.includes(value), test);
      env[`${name}_${index}`] = value;
      test = test.replaceAll(`secret("${name}")`, `secret("${name}_${index}")`);
    }
    await folder.write(names[index]!, test);
  }
  const { code, output } = await denoTest(folder, env);
  assertEquals(code, 0, output);
  const sent = [...output.matchAll(/RECEIVED (.*) END/g)].map(([, json]) =>
    JSON.parse(json!)
  );
  assertEquals(
    sent,
    RECEIVED.map(([, received]) => {
      const { pathname, search } = new URL(received.url, OPTIONS.origin);
      return { ...received, url: pathname + search };
    }),
  );
});

const MALICIOUS = JSON.stringify({
  "a`${1}\u2028\u202e*/": "\"'\\</script>",
});

/**
 * Responses as seen, with status, type and body; their status and body now; and whether
 * the test passes. `…` marks a cut body.
 */
const RESPONSES: readonly (readonly [
  title: string,
  seen: string,
  now: string,
  passes: boolean,
])[] = [
  ["the same status", "200 text/plain a", "200 b", true],
  ["another status", "200 text/plain a", "201 a", false],
  ["the same error of the client", "404 text/plain a", "404 b", true],
  ["a bug that is still there", "500 text/plain a", "500 a", false],
  ["another bug", "500 text/plain a", "503 a", false],
  ["a bug that was fixed", "500 text/plain a", "200 a", true],
  ["a bug, but now a problem", "500 application/json {}", "400 {}", true],
  ["no response, and a bug", "", "500 ", false],
  ["no response, but now one", "", "200 ", true],
  ["no body", "204  ", "204 ", true],
  ["a stream", "200 text/event-stream a", "200 stream", true],
  ["the same JSON", '200 application/json {"a":[1]}', '200 { "a": [1] }', true],
  ["other JSON", '200 application/json {"a":[1]}', '200 {"a":[2]}', false],
  [
    "a JSON problem",
    '400 application/problem+json {"a":1}',
    '400 {"a":1}',
    true,
  ],
  ["another one", '400 application/problem+json {"a":1}', '400 {"a":2}', false],
  ["malformed JSON", '200 application/json {"a":', "200 {}", true],
  ["cut JSON", "200 application/json… 12", "200 1234", true],
  ["lines of JSON", '200 application/jsonl {"a":1}', "200 a", true],
  ["a secret", '200 application/json {"token":"«token»"}', "200 {}", true],
  [
    "a large number",
    '200 application/json {"a":1e999}',
    '200 {"a":1e999}',
    true,
  ],
  [
    "a member __proto__",
    '200 application/json {"__proto__":{"a":1}}',
    '200 {"__proto__":{"a":1}}',
    true,
  ],
  [
    "malicious JSON",
    `200 application/json ${MALICIOUS}`,
    `200 ${MALICIOUS}`,
    true,
  ],
];

Deno.test("the Deno test passes or fails as the request did", async () => {
  await using folder = await TestFolder.create({});
  for (const [index, [title, seen, now]] of RESPONSES.entries()) {
    const [, status, type = "", text = ""] = /^(\S*) (\S*) (.*)$/s.exec(seen) ??
      [];
    const [, statusNow, textNow] = /^(\S*) (.*)$/s.exec(now)!;
    const main = `./main_${index}.ts`;
    const { status: _, ...entry } = entryOf({ url: `/${index}-end` });
    const body = {
      ...{ type: type.replace("…", ""), size: text.length, text },
      isCut: type.includes("…"),
    };
    const { test } = copy({
      ...entry,
      ...(status && { status: Number(status) }),
      ...{ secrets: ["token"], response: { headers: [], body } },
    }, { ...OPTIONS, main });
    await folder.write(`copy_${index}_test.ts`, `// ${title}\n${test}`);
    await folder.write(
      main,
      `${STREAM}
      export const app = {
        fetch: (_: Request) => Promise.resolve(
          new Response(${
        textNow === "stream" ? "stream()" : JSON.stringify(textNow || null)
      }, { status: ${statusNow} })
        ),
      };`,
    );
  }
  const { output } = await denoTest(folder, {});
  assertEquals(
    RESPONSES.map(([title], index) => [
      title,
      new RegExp(`GET /${index}-end \\.\\.\\. (\\w+)`).exec(output)?.[1],
    ]),
    RESPONSES.map(([title, , , passes]) => [title, passes ? "ok" : "FAILED"]),
    output,
  );
  assertStringIncludes(output, "CANCELLED");
});

/** A stream that ends only if it is cancelled. */
const STREAM = `function stream() {
  return new ReadableStream({ cancel: () => console.log("CANCELLED") });
}`;

Deno.test("the copies name a variable that is missing", async () => {
  await using folder = await TestFolder.create({ "main.js": MAIN });
  const entry = entryOf({ headers: [["x-api-key", "«x-api-key»"]] }, {
    secrets: ["x-api-key"],
  });
  const { curl, test } = copy(entry, JAVASCRIPT);
  await folder.write("copy_test.ts", test);
  const { code, output } = await denoTest(folder, {});
  assertEquals(code, 1);
  assertStringIncludes(output, 'Set the environment variable "X_API_KEY"');
  for (const shell of SHELLS) {
    const { stderr, success } = await new Deno.Command(shell, {
      args: ["-c", curl],
    }).output();
    assert(!success);
    assertMatch(
      new TextDecoder().decode(stderr),
      /X_API_KEY: parameter (?:null or )?not set/,
    );
  }
});

Deno.test("the copies omit headers of the connection, and escape invisible text", () => {
  const names = "host content-length connection keep-alive te trailer expect " +
    "accept-encoding transfer-encoding proxy-connection sec-fetch-dest";
  const { curl, test } = copy(entryOf(
    {
      method: "POST",
      headers: names.split(" ").map((name) => [name, "1"] as const),
    },
    {},
    { type: "", size: 9, text: "a\u202e\u2028b\n!c", isCut: false },
  ));
  for (const text of [curl, test]) {
    for (const name of names.split(" ")) {
      assert(!text.includes(`'${name}:`) && !text.includes(`"${name}"`), text);
    }
    assert(!/[\p{Cf}\p{Zl}\p{Zp}]/u.test(text), text);
  }
});

Deno.test("the curl command contains no history expansion of a shell", () => {
  const { curl } = copy(entryOf({ method: "POST" }, {}, {
    ...{ type: "text/plain", size: 5, text: "a\n!c", isCut: false },
  }));
  // Older interactive shells replace "!c" with the last command that begins with "c".
  assert(!curl.includes("!"), curl);
});

Deno.test("the copies are readable", async () => {
  const entry = entryOf({
    method: "POST",
    url: "/api/books?x=1",
    headers: [
      ["host", "localhost:8000"],
      ["accept", "*/*"],
      ["user-agent", "x"],
      ["content-type", "application/json"],
      ["authorization", "Bearer «authorization»"],
    ],
  }, {
    status: 201,
    secrets: ["authorization", "password"],
    response: {
      headers: [],
      body: {
        type: "application/json",
        size: 9,
        text: '{"id":1}',
        isCut: false,
      },
    },
  }, {
    type: "application/json",
    size: 9,
    text: '{"password":"«password»"}',
    isCut: false,
  });
  const { curl, test } = copy(entry);
  assertEquals(
    curl,
    String.raw`curl 'http://localhost:8000/api/books?x=1' \
  -X POST \
  -H 'accept: */*' \
  -H 'user-agent: x' \
  -H 'content-type: application/json' \
  -H "authorization: Bearer ${"$"}{AUTHORIZATION:?}" \
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
  const { stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--config", CONFIG, `${folder.path}/copy_test.ts`],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
});

/** Requests that cannot be repeated, with the reasons. */
const UNREPEATABLE: readonly (readonly [
  reason: string,
  entry: Partial<Received>,
  body?: Partial<EntryBody>,
])[] = [
  ["it asked for a socket", { headers: [["upgrade", "websocket"]] }],
  ["its body was cut", { method: "POST" }, { isCut: true, text: "a" }],
  [
    "its body was not read",
    { method: "POST", headers: [["content-length", "2"]] },
  ],
  [
    "its body was not read",
    { method: "POST", headers: [["Content-Length", "2"]] },
    { size: 1, text: "a" },
  ],
  [
    "its body was not read",
    { method: "POST", headers: [["transfer-encoding", "chunked"]] },
  ],
  ["its body is not text", { method: "POST" }, { size: 1 }],
  ["its body is not text", { method: "POST" }, { size: 1, text: "a\0b" }],
  ["its body is not text", { method: "POST" }, { size: 1, text: "a\ufffd" }],
  ["a Request cannot have its method TRACE", { method: "TRACE" }],
  [
    "a GET Request cannot have a body",
    {},
    { size: 1, text: "a" },
  ],
  ...["/a/../b", "/..", "/a/./b?x", "/a/%2E%2e?x", "/a\\b", "@a.example", "*"]
    .map((url) =>
      [
        "a Request cannot have its URL",
        { url },
      ] as const
    ),
];

Deno.test("copiesOf() returns why a request cannot be repeated", () => {
  for (const [unrepeatable, entry, body] of UNREPEATABLE) {
    const all = body && { type: "", size: 1, isCut: false, ...body };
    const result = copiesOf(entryOf(entry, {}, all), OPTIONS);
    assertEquals(result, { unrepeatable });
  }
});

Deno.test("copiesOf() repeats requests with harmless dots and empty bodies", () => {
  const empty = { type: "", size: 0, isCut: false };
  for (const url of ["/a..b/...", "/.well-known/x", "/a?b=/../c\\"]) {
    copy(entryOf({ url }, {}, empty));
  }
});

Deno.test("the curl command sends the bytes of a header that is not UTF-8", async () => {
  const value = "\xe9 \xff'$(id)\x80";
  const { curl } = copy(entryOf({ headers: [["x-a", value]] }));
  for (const shell of SHELLS) {
    const { stdout } = await new Deno.Command(shell, {
      args: ["-c", `curl() { printf %s "$3"; }; ${curl}`],
    }).output();
    const bytes = Uint8Array.from(value, (unit) => unit.charCodeAt(0));
    assertEquals(stdout.slice(5), bytes, curl);
  }
});
