/** Copies of requests send the same requests, with the secrets from variables. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { entryBody } from "../../../src/dev/inspector/body.ts";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import { secretNames } from "../../../src/dev/inspector/secret_names.ts";
import { isInstalled } from "../../../tools/installed.ts";
import { TestFolder } from "../../support/application.ts";
import { rawRequest } from "../../support/raw_http.ts";
import { copy, denoTest, ORIGIN, run, SHELLS } from "./copied.ts";
import { entryOf } from "./entry_of.ts";
import { before, valuesIn } from "./marked.ts";

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

/** The entry of a request, with its secrets replaced. */
function keep({ method, url, headers, body }: Received): RequestEntry {
  const secrets = new Secrets(secretNames());
  const sent = entryBody(headers, new Uint8Array(body), { secrets });
  return entryOf({
    method,
    url: secrets.url(url, {}),
    request: { headers: secrets.headers(headers), ...(sent && { body: sent }) },
    secrets: secrets.names,
  });
}

const FORM = "content-type: application/x-www-form-urlencoded";
const JSON_TYPE = "content-type: application/json";

/** Requests: their heads and bodies, with marks for secrets and their variables. */
const REQUESTS: Readonly<
  Record<string, readonly [head: string, body?: string]>
> = {
  "GET": ["GET /api/books"],
  "GET with a query": ["GET /a?x=1&y=a%20b+c&z=%22'$(id)`id`!!;|*~"],
  "GET with braces": ["GET /a/{x,y}[1-3]?q[]={}"],
  "GET with unicode": ["GET /%C3%A9/%e2%82%ac?%C3%BC=ü🙂"],
  "HEAD": ["HEAD /a\naccept: text/plain"],
  "DELETE": ["DELETE /a"],
  "POST without a body": ["POST /a\ncontent-length: 0"],
  "PATCH": [`PATCH /a\n${JSON_TYPE}`, "1"],
  "a strange method": ["A'!`~ /a"],
  "headers": [
    "GET /a\naccept: a/b\nuser-agent: x\nsec-fetch-site: none\n" +
    "sec-fetch-mode: cors\naccept-encoding: br\norigin: http://localhost:8000",
  ],
  "malicious headers": [
    "GET /a\nx-a: '\"\\'$(touch x) `touch x` $HOME ${HOME} !! %s %0a\n" +
    "x-b: @/etc/passwd\nx-c: \\\nx-d: a\tb ~ * ? [a] {b,c} # ; & | < >\nx-e:",
  ],
  "JSON": [
    `POST /a\n${JSON_TYPE}`,
    '{"a":"it\'s $(id) `id` $HOME \\\\ \\" \\n !! %s é 🙂 «» \u2028 \u202e"}',
  ],
  "a body that names a file": [`POST /a\n${FORM}`, "@/etc/passwd"],
  "a body with control characters": [
    `PUT /a\n${FORM}`,
    "\r\n\t\x1b[31m\x07'\\x41 !\n!x\x7f\x80\u0085\u00ad🙂\n\n",
  ],
  "a form": [
    `POST /a\n${FORM}`,
    "a=%27&b=it's+$(id)&c=\"",
  ],
  "a bearer token": ["GET /a\nauthorization: Bearer <AUTHORIZATION|abc.def>"],
  "a malicious token": [
    "GET /a\nauthorization: Bearer <AUTHORIZATION|$(touch x)`id`'\"\\!!>",
  ],
  "cookies": [
    "GET /a\ncookie: sid=<SID|a b>; theme=<COOKIE|dark>; token=<TOKEN|1234>",
  ],
  "a secret in a query": ["GET /a?token=<TOKEN|abc.def>&x='$(id)'"],
  "secrets in JSON": [
    `POST /a\n${JSON_TYPE}`,
    `{"password":"<PASSWORD|it's $(id)>","pin":"<PIN|1234>","x":"'","token":"<TOKEN|password>"}`,
  ],
  "secrets of one name": [
    `POST /a\n${JSON_TYPE}`,
    '[{"pin":"<PIN|1234>"},{"pin":"<PIN_2|5678>"},{"x":"«x» «","n":1e999}]',
  ],
  "a secret in a form": [
    `POST /a\n${FORM}`,
    "password=<PASSWORD|abc>&x=%27$(id)",
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
  for (const [title, marked] of Object.entries(REQUESTS)) {
    const [head, body = ""] = before(marked);
    const lines = [
      head.replace(/$/m, " HTTP/1.1"),
      ...body && [`content-length: ${new TextEncoder().encode(body).length}`],
    ];
    const { status } = await rawRequest(port, lines.join("\n"), body);
    assertEquals(status, 200, title);
    RECEIVED.push([title, received.pop()!, valuesIn(marked.join("\n"))]);
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
            const { curl } = copy(keep(expected), origin);
            for (const secret of Object.values(env)) {
              assert(secret === "password" || !curl.includes(secret), curl);
            }
            const { code, stderr } = await run(
              shell,
              ["-c", `${curl} --silent --show-error --max-time 9`],
              { cwd: folder.path, env },
            );
            assertEquals(code, 0, `${curl}\n${stderr}`);
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

Deno.test("the Deno test sends the same request", async () => {
  await using folder = await TestFolder.create({ "main.ts": MAIN });
  const names = RECEIVED.map((_, index) => `copy_${100 + index}_test.ts`);
  // Variables of tests have the same names, so each test reads its own.
  const env: Record<string, string> = {};
  for (const [index, [, received, own]] of RECEIVED.entries()) {
    let { test } = copy(keep(received));
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
      const { pathname, search } = new URL(received.url, ORIGIN);
      return { ...received, url: pathname + search };
    }),
  );
});

Deno.test("the copies name a variable that is missing", async () => {
  await using folder = await TestFolder.create({ "main.ts": MAIN });
  const entry = entryOf({
    request: { headers: [["x-api-key", "«x-api-key»"]] },
    secrets: ["x-api-key"],
  });
  const { curl, test } = copy(entry);
  await folder.write("copy_test.ts", test);
  const { code, output } = await denoTest(folder);
  assertEquals(code, 1);
  assertStringIncludes(output, 'Set the environment variable "X_API_KEY"');
  for (const shell of SHELLS) {
    const { code, stderr } = await run(shell, ["-c", curl]);
    assert(code !== 0);
    assertMatch(stderr, /X_API_KEY: parameter (?:null or )?not set/);
  }
});
