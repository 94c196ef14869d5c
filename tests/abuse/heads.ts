import type { TestModule } from "../support/application.ts";
import { type AbuseCase, attack, tallyOf } from "./case.ts";

const END = "\r\nHost: h\r\nConnection: close\r\n\r\n";

const REQUEST_LINES = [
  "GARBAGE",
  "GET",
  "GET /api/hello",
  "GET /api/hello HTTP/9.9",
  "GET  /api/hello  HTTP/1.1",
  " GET /api/hello HTTP/1.1",
  "GET api/hello HTTP/1.1",
  "GET * HTTP/1.1",
  "GET http:// HTTP/1.1",
  "GET http://[::1/api/hello HTTP/1.1",
  "GET /api/hello\x00 HTTP/1.1",
  "GET /api/he\tllo HTTP/1.1",
  "G\xcbT /api/hello HTTP/1.1",
  "\x00\x01\x02\x03",
  "PRI * HTTP/2.0",
];

const HEADERS = [
  "No-Colon",
  "Bad Name: 1",
  "Space-Before-Colon : 1",
  ": no name",
  "X: a\x00b",
  "X: a\r\n folded",
  "Host: another.example",
  "Content-Length: -1",
  "Content-Length: three",
  "Content-Length: 3\r\nContent-Length: 4",
  "Content-Length: 99999999999999999999999",
  "Transfer-Encoding: bogus",
  "Content-Length: 3\r\nTransfer-Encoding: chunked",
];

const METHODS = ["get", "TRACE", "constructor", "__proto__", "schema"];

const ROUTE: TestModule = {
  GET: () => new Response("ran"),
  POST: async (request) => new Response(await request.text()),
  schema: {},
};

/** Request lines and headers that are malformed or contradict each other. */
export const HEADS: readonly AbuseCase[] = [{
  abuse: `${REQUEST_LINES.length} malformed request lines`,
  must: "400, and no handler runs",
  attempt: () =>
    attack(
      {},
      (target) =>
        tallyOf(target, REQUEST_LINES.map((line) => line + END), [400]),
    ),
}, {
  abuse: `${HEADERS.length} malformed or contradictory headers`,
  must: "400, so that a proxy and the server read the same requests",
  attempt: () =>
    attack({ files: { "echo/route.ts": ROUTE } }, (target) => {
      const texts = HEADERS.map((header) =>
        `POST /api/echo HTTP/1.1\r\n${header}${END}abc`
      );
      return tallyOf(target, texts, [400]);
    }),
}, {
  abuse: "a request without Host",
  must: "400 if `allowedHosts` is set; Deno itself accepts the request",
  attempt: async () => {
    const head = "GET /api/hello HTTP/1.1\r\nConnection: close\r\n\r\n";
    const [checked, unchecked] = [
      await attack(
        { allowedHosts: ["127.0.0.1"] },
        (target) => tallyOf(target, [head], [400]),
      ),
      await attack({}, (target) => tallyOf(target, [head], [200])),
    ];
    return `${checked} with the option, ${unchecked} without`;
  },
}, {
  abuse: "10,000 headers, and a header of 1 MiB",
  must: "rejected before Bough reads them",
  attempt: () =>
    attack({}, async (target) => {
      const many = Array.from({ length: 10_000 }, (_, i) => `X-${i}: 1`);
      const texts = [many.join("\r\n"), "X: " + "a".repeat(2 ** 20)].map(
        (headers) => `GET /api/hello HTTP/1.1\r\n${headers}${END}`,
      );
      return await tallyOf(target, texts, [0, 400, 431]);
    }),
}, {
  abuse: `unknown methods, such as \`get\`, \`TRACE\` and \`__proto__\``,
  must: "501, and no export of that name runs",
  attempt: () =>
    attack({ files: { "echo/route.ts": ROUTE } }, (target) => {
      const texts = METHODS.map((name) => `${name} /api/echo HTTP/1.1${END}`);
      return tallyOf(target, texts, [501]);
    }),
}];
