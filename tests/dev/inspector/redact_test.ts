import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import type { RequestEntry } from "../../../src/dev/inspector/entry.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import {
  secretNames,
  variableOf,
} from "../../../src/dev/inspector/secret_names.ts";

type Part = Partial<RequestEntry>;
type Row = readonly [title: string, part: Part, expected: Part];

function redact(part: Part, further: readonly string[] = []): Part {
  return new Secrets(secretNames(further)).redact(part);
}

/** A request with headers: `cookie: a=b`. */
function headers(...lines: string[]): Part {
  const pairs = lines.map((line) => {
    const [, name, value] = /^([^:]*): ?(.*)$/s.exec(line)!;
    return [name!, value!] as const;
  });
  return { request: { headers: pairs } };
}

/** A request or a response with a body of a type, `application/json` by default. */
function body(
  text: string,
  { type = "application/json", isCut = false, of = "request", boundary = "" } =
    {},
): Part {
  const headers = boundary === ""
    ? []
    : [["content-type", `${type}; boundary=${boundary}`] as const];
  return { [of]: { headers, body: { type, size: 9, text, isCut } } };
}

const FORM = { type: "application/x-www-form-urlencoded" };

/** A multipart body with fields. */
function multipart(fields: Readonly<Record<string, string>>, end = "--\r\n") {
  const parts = Object.entries(fields).map(([name, value]) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  const text = `${parts.join("")}--x${end}`;
  return body(text, { type: "multipart/form-data", boundary: "x" });
}

const logs = (...texts: string[]): Part => ({
  logs: texts.map((text) => ({ time: 1, level: "log", text })),
});
const messages = (...texts: string[]): Part => ({
  messages: texts.map((text) => ({ time: 1, from: "client", text })),
});

/** Rows whose secrets are recognized by their names. */
const FOUND: readonly Row[] = [
  [
    "a bearer token",
    headers("Authorization: Bearer abc.def"),
    headers("Authorization: Bearer «authorization»"),
  ],
  [
    "an authorization without a scheme",
    headers("authorization: abc"),
    headers("authorization: «authorization»"),
  ],
  [
    "an authorization with parameters",
    headers('authorization: Digest username="ada", response="1"'),
    headers("authorization: Digest «authorization»"),
  ],
  [
    "the credentials of a proxy",
    headers("proxy-authorization: Basic YTpi"),
    headers("proxy-authorization: Basic «proxy-authorization»"),
  ],
  [
    "each cookie",
    headers("cookie: sid=abc; theme=dark;x=; y"),
    headers("cookie: sid=«sid»; theme=«theme»;x=; «cookie»"),
  ],
  [
    "a quoted cookie that contains =",
    headers('cookie: sid="a=b=="'),
    headers('cookie: sid="«sid»"'),
  ],
  [
    "a cookie of a response, but not its attributes",
    headers("set-cookie: sid=abc; Path=/; HttpOnly"),
    headers("set-cookie: sid=«sid»; Path=/; HttpOnly"),
  ],
  [
    "a key in a header",
    headers("X-API-Key: k 1"),
    headers("X-API-Key: «x-api-key»"),
  ],
  [
    "a token in the URL of a header",
    headers("referer: https://a.example/?token=abc&x=1"),
    headers("referer: https://a.example/?token=«token»&x=1"),
  ],
  [
    "a query parameter",
    { url: "/a?x=1&access_token=abc&y" },
    { url: "/a?x=1&access_token=«access-token»&y" },
  ],
  [
    "a query parameter with an escaped name",
    { url: "/a?pass%77ord=a%20b" },
    { url: "/a?pass%77ord=«password»" },
  ],
  [
    "a query parameter in brackets",
    { url: "/a?user[password]=abc" },
    { url: "/a?user[password]=«user-password»" },
  ],
  [
    "two values of a query parameter",
    { url: "/a?token=abc&token=def&token=abc" },
    { url: "/a?token=«token»&token=«token 2»&token=«token»" },
  ],
  [
    "a value after a question mark in the query",
    { url: "/a?b?token=1&pin=12?3" },
    { url: "/a?b?token=«b-token»&pin=«pin»" },
  ],
  [
    "a URL in a URL in a query",
    { url: "/a?b=%2Fc%3Fd%3D%252Fe%253Ftoken%253Dabc%2526f%253D1" },
    { url: "/a?b=%2Fc%3Fd%3D%252Fe%253Ftoken%253D«token»%2526f%253D1" },
  ],
  [
    "a parameter of the path",
    { url: "/reset/abcdef", params: { token: "abcdef" } },
    { url: "/reset/«token»", params: { token: "«token»" } },
  ],
  [
    "an escaped parameter of the path",
    { url: "/reset/%61bc/%C3%A9%2f", params: { token: "abc", pin: "é/" } },
    { url: "/reset/«token»/«pin»", params: { token: "«token»", pin: "«pin»" } },
  ],
  [
    "a JSON string",
    body('{"user":"ada","password":"abc"}'),
    body('{"user":"ada","password":"«password»"}'),
  ],
  [
    "JSON with spaces",
    body('{\n  "password" : "abc"\n}'),
    body('{\n  "password" : "«password»"\n}'),
  ],
  ["a JSON number", body('{"pin":1234}'), body('{"pin":«pin»}')],
  ["a JSON digit", body('{"pin":7,"n":7}'), body('{"pin":«pin»,"n":7}')],
  [
    "a JSON key with an escape",
    body('{"pass\\u0077ord":"abc"}'),
    body('{"pass\\u0077ord":"«password»"}'),
  ],
  [
    "a JSON string with escapes",
    body('{"password":"a\\"b\\\\\\u0063"}'),
    body('{"password":"«password»"}'),
  ],
  [
    "duplicate keys of JSON",
    body('{"pin":"1234","pin":"5678"}'),
    body('{"pin":"«pin»","pin":"«pin 2»"}'),
  ],
  [
    "nested JSON",
    body('[{"a":{"b":[{"token":"abc"}]}}]'),
    body('[{"a":{"b":[{"token":"«token»"}]}}]'),
  ],
  [
    "an array of secrets",
    body('{"tokens":["abc",1234,["def"]],"x":"y"}'),
    body('{"tokens":["«tokens»",«tokens 2»,["«tokens 3»"]],"x":"y"}'),
  ],
  [
    "an object of secrets",
    body('{"credentials":{"user":"ada","n":{"x":12345}},"y":"z"}'),
    body(
      '{"credentials":{"user":"«credentials»","n":{"x":«credentials 2»}},"y":"z"}',
    ),
  ],
  [
    "a secret after an object of secrets",
    body('{"session":{},"a":"b","pin":"1234"}'),
    body('{"session":{},"a":"b","pin":"«pin»"}'),
  ],
  [
    "a secret in an object of secrets, by its own name",
    body('{"session":{"token":"abc","id":"de"}}'),
    body('{"session":{"token":"«token»","id":"«session»"}}'),
  ],
  [
    "JSON that was cut in a string",
    body('{"a":"b","password":"abc', { isCut: true }),
    body('{"a":"b","password":"«password»', { isCut: true }),
  ],
  [
    "JSON that was cut after the quote",
    body('{"password":"', { isCut: true }),
    body('{"password":"', { isCut: true }),
  ],
  [
    "JSON that was cut in an escape",
    body('{"password":"abc\\u00', { isCut: true }),
    body('{"password":"«password»', { isCut: true }),
  ],
  [
    "JSON that was cut after a backslash",
    body('{"password":"abc\\', { isCut: true }),
    body('{"password":"«password»', { isCut: true }),
  ],
  [
    "JSON that was cut in a number",
    body('{"pin":12', { isCut: true }),
    body('{"pin":«pin»', { isCut: true }),
  ],
  [
    "a cut number that is logged",
    { ...body('{"n":5,"pin":12', { isCut: true }), ...logs("1234, 312, 56") },
    {
      ...body('{"n":5,"pin":«pin»', { isCut: true }),
      ...logs("«pin», 312, 56"),
    },
  ],
  [
    "JSON that was cut deep below a secret",
    body('{"secrets":{"a":["b c', { isCut: true }),
    body('{"secrets":{"a":["«secrets»', { isCut: true }),
  ],
  [
    "malformed JSON",
    body('{"name":"Ada, "password":"hunter2"}'),
    body('{"name":"Ada, "password":"«password»"}'),
  ],
  [
    "malformed JSON without quotes",
    body('{"password":hunter2}'),
    body('{"password":«password»}'),
  ],
  [
    "JSON in a JSON string",
    body('{"payload":"{\\"password\\":\\"a\\\\\\"bcdef\\"}"}'),
    body('{"payload":"{\\"password\\":\\"«password»\\"}"}'),
  ],
  [
    "a URL in a JSON string",
    body('{"url":"https://a.example/?token=abc&b=c"}'),
    body('{"url":"https://a.example/?token=«token»&b=c"}'),
  ],
  [
    "JSON without a type",
    body('{"password":"abc"}', { type: "" }),
    body('{"password":"«password»"}', { type: "" }),
  ],
  [
    "several JSON values",
    body('{"pin":"1234"}\n{"pin":"5678"}\n', { type: "application/x-ndjson" }),
    body('{"pin":"«pin»"}\n{"pin":"«pin 2»"}\n', {
      type: "application/x-ndjson",
    }),
  ],
  [
    "a JSON response",
    body('{"access_token":"abc","token_type":"bearer"}', { of: "response" }),
    body('{"access_token":"«access-token»","token_type":"bearer"}', {
      of: "response",
    }),
  ],
  [
    "a form",
    body("user=ada&password=a+b%21&x=1", FORM),
    body("user=ada&password=«password»&x=1", FORM),
  ],
  [
    "a form with an escaped name",
    body("user%5Bp%61ssword%5D=abc", FORM),
    body("user%5Bp%61ssword%5D=«user-password»", FORM),
  ],
  [
    "an authorization in a form",
    body("authorization=Bearer+a%2Bb", FORM),
    body("authorization=«authorization»", FORM),
  ],
  [
    "cookies with escapes in JSON",
    body('{"cookie":"a=\\"b\\"; c=d"}'),
    body('{"cookie":"«cookie»"}'),
  ],
  [
    "an escaped value that is logged",
    {
      ...headers("cookie: sid=s%3Aabcdef.ghi; theme=dark; a=abcdef; token=xyz"),
      ...{ url: "/?jwt=%6bey1234" },
      ...logs("s:abcdef.ghi, dark, abcdef, xyz, %6bey1234, key1234"),
    },
    {
      ...headers("cookie: sid=«sid»; theme=«theme»; a=«a»; token=«token»"),
      ...{ url: "/?jwt=«jwt»" },
      ...logs("«sid», dark, «a», «token», «jwt», «jwt»"),
    },
  ],
  [
    "a form that was cut",
    body("a=b&password=ab%2", { ...FORM, isCut: true }),
    body("a=b&password=«password»", { ...FORM, isCut: true }),
  ],
  [
    "a form with an empty secret",
    body("password=&password&x=1", FORM),
    body("password=&password&x=1", FORM),
  ],
  [
    "JSON in a form",
    body("payload=%7B%22token%22%3A%22abc%22%7D", FORM),
    body("payload=%7B%22token%22%3A%22«token»%22%7D", FORM),
  ],
  [
    "a multipart form",
    multipart({ user: "ada", password: "a\r\nb", x: "y" }),
    multipart({ user: "ada", password: "«password»", x: "y" }),
  ],
  [
    "a multipart form with a key of several lines",
    multipart({ private_key: "-----BEGIN KEY-----\r\n--abc\r\n-----END" }),
    multipart({ private_key: "«private-key»" }),
  ],
  [
    "a multipart form with an encoded name",
    body(
      "--x\nContent-Disposition: form-data; filename=author;\n name*=utf-8''pin\n\n1234\n--x--",
      { type: "multipart/form-data", boundary: '"x"' },
    ),
    body(
      "--x\nContent-Disposition: form-data; filename=author;\n name*=utf-8''pin\n\n«pin»\n--x--",
      { type: "multipart/form-data", boundary: '"x"' },
    ),
  ],
  [
    "a multipart form that was cut",
    {
      ...body(
        '--x\r\nContent-Disposition: form-data; name="otp"\r\n\r\n9876\r\n' +
          '--x\r\nContent-Disposition: form-data; name="pin"\r\n\r\n1234\r\n-',
        { type: "multipart/form-data", boundary: "x", isCut: true },
      ),
      ...logs("12345, 98765"),
    },
    {
      ...body(
        '--x\r\nContent-Disposition: form-data; name="otp"\r\n\r\n«otp»\r\n' +
          '--x\r\nContent-Disposition: form-data; name="pin"\r\n\r\n«pin»\r\n-',
        { type: "multipart/form-data", boundary: "x", isCut: true },
      ),
      ...logs("«pin», 98765"),
    },
  ],
  [
    "JSON in a multipart form",
    multipart({ data: '{"token":"abc"}' }),
    multipart({ data: '{"token":"«token»"}' }),
  ],
  [
    "messages of a socket",
    messages('{"type":"login","token":"abc"}', "token=def", "a b"),
    messages('{"type":"login","token":"«token»"}', "token=«token 2»", "a b"),
  ],
  [
    "an event",
    messages('event: a\ndata: {"token":"abc"}\n\n'),
    messages('event: a\ndata: {"token":"«token»"}\n\n'),
  ],
  [
    "validated values",
    { validated: { body: { pin: 1234, a: [{ jwt: "x" }], b: 5 } } },
    { validated: { body: { pin: "«pin»", a: [{ jwt: "«jwt»" }], b: 5 } } },
  ],
  [
    "validated headers",
    { validated: { headers: { authorization: "Basic YTpi", cookie: "a=c" } } },
    {
      validated: {
        headers: { authorization: "Basic «authorization»", cookie: "a=«a»" },
      },
    },
  ],
  [
    "a value after a colon",
    logs("password: hunter2", "{ pin: 1234 }", "at hunter2, 1234"),
    logs("password: «password»", "{ pin: «pin» }", "at «password», «pin»"),
  ],
  [
    "headers of a request that a program logs",
    logs(
      "> Authorization: Bearer abc-123\n> Accept: */*",
      "curl -H 'Authorization: Basic dTpodW50ZXIy'",
      "at abc-123, hunter2",
    ),
    logs(
      "> Authorization: Bearer «Authorization»\n> Accept: */*",
      "curl -H 'Authorization: Basic «Authorization 2»'",
      "at «Authorization», «password»",
    ),
  ],
  [
    "a value after an equals sign with spaces",
    logs("token = abc-123", "pin => 1234", "jwt= e9.x9", "at abc-123, 1234"),
    logs("token = «token»", "pin => «pin»", "jwt= «jwt»", "at «token», «pin»"),
  ],
  [
    "the passwords in URLs",
    {
      ...body('{"url":"amqp://shop:9aZ!x@mq:5672/"}', { of: "response" }),
      ...logs("postgres://ada:k%2By@db/a failed", "redis://:p@ss@[::1], k+y"),
    },
    {
      ...body('{"url":"amqp://shop:«password»@mq:5672/"}', { of: "response" }),
      ...logs(
        "postgres://ada:«password 2»@db/a failed",
        "redis://:«password 3»@[::1], «password 2»",
      ),
    },
  ],
  [
    "a long password in a URL",
    logs(`mysql://iam:${"t0k".repeat(400)}@db`),
    logs("mysql://iam:«password»@db"),
  ],
  [
    "secrets in a path without a route",
    { url: "/proxy/redis%3A%2F%2Fada%3Ak3y%40db/token=abc?a=b" },
    { url: "/proxy/redis%3A%2F%2Fada%3A«password»%40db/token=«token»?a=b" },
  ],
  [
    "validated values below a secret",
    { validated: { body: { secrets: { a: 1n, b: true, c: null, d: ["x"] } } } },
    {
      validated: {
        body: {
          secrets: { a: "«secrets»", b: true, c: null, d: ["«secrets 2»"] },
        },
      },
    },
  ],
  [
    "the value of an issue",
    {
      issues: [{
        in: "body",
        pointer: "#/users/0/password",
        detail: 'too short: "abc"',
        value: '"abc"',
      }],
    },
    {
      issues: [{
        in: "body",
        pointer: "#/users/0/password",
        detail: 'too short: "«password»"',
        value: '"«password»"',
      }],
    },
  ],
  [
    "a secret in the value of an issue",
    {
      issues: [{
        in: "body",
        pointer: "#",
        detail: "x",
        value: '{"pin":1234}',
      }],
    },
    {
      issues: [{
        in: "body",
        pointer: "#",
        detail: "x",
        value: '{"pin":«pin»}',
      }],
    },
  ],
  [
    "a member that a program logs",
    logs(
      '{ password: \'hunter2\', token: "a\'b", pwd: "\'`a\\"b" }',
      "pin=123&x",
      "jwt=`abc`",
      'Map { "otp" => "789" }',
    ),
    logs(
      '{ password: \'«password»\', token: "«token»", pwd: "«pwd»" }',
      "pin=«pin»&x",
      "jwt=`«jwt»`",
      'Map { "otp" => "«otp»" }',
    ),
  ],
];

/** Writes a secret of a header in other parts of the request. */
function elsewhere(value: string, text: string, rest: Part = {}): Part {
  return { ...headers(`x-api-key: ${value}`), ...logs(text), ...rest };
}

const KEY = `-----BEGIN KEY-----\n${"abcdefghij".repeat(6)}\nab==`;

/** Rows whose secret `x-api-key` is also in a log: the value, the log, the result. */
const ELSEWHERE: readonly (readonly [string, string, string, string])[] = [
  ["a value", "abcdef", "got abcdef!", "got «x-api-key»!"],
  ["a value in a word", "abcdef", "xabcdefx", "x«x-api-key»x"],
  [
    "a short value",
    "abc",
    "abc, (abc) abc",
    "«x-api-key», («x-api-key») «x-api-key»",
  ],
  [
    "a short value in words",
    "abc",
    "abcd zabc éabc abcé 1abc",
    "abcd zabc éabc abcé 1abc",
  ],
  [
    "a short value after an escape",
    "abc",
    "a%20abc \\nabc",
    "a%20«x-api-key» \\n«x-api-key»",
  ],
  ["a short value next to emoji", "abc", "🙂abc🙂", "🙂«x-api-key»🙂"],
  ["a digit", "7", "7 of 17", "7 of 17"],
  ["a common word", "true", "it is true", "it is true"],
  [
    "a name of secrets",
    "password",
    'password: "password"',
    'password: "«x-api-key»"',
  ],
  ["JSON", 'a"b\\c\nd', '{"x":"a\\"b\\\\c\\nd"}', '{"x":"«x-api-key»"}'],
  [
    "JSON in JSON",
    'a"b\\c',
    '"{\\"x\\":\\"a\\\\\\"b\\\\\\\\c\\"}"',
    '"{\\"x\\":\\"«x-api-key»\\"}"',
  ],
  [
    "a string of console.log",
    'a"b\\c\td',
    "{ x: 'a\"b\\\\c\\td' }",
    "{ x: '«x-api-key»' }",
  ],
  [
    "a key of several lines that is logged",
    KEY,
    Deno.inspect({ key: KEY }),
    '{\n  key: "«x-api-key»\\n" +\n    "«x-api-key»\\n" +\n    "ab=="\n}',
  ],
  [
    "escapes of other languages",
    "é/ab",
    "\\u00e9/ab é\\/ab",
    "«x-api-key» «x-api-key»",
  ],
  ["percent-encoding", "a b/c+é", "a%20b%2Fc%2B%C3%A9", "«x-api-key»"],
  [
    "percent-encoding in lower case",
    "a b/c+é",
    "a%20b%2fc%2b%c3%a9",
    "«x-api-key»",
  ],
  ["plus-encoding", "a b/c+é", "x=a+b%2Fc%2B%C3%A9&y", "x=«x-api-key»&y"],
  ["encodeURI()", "a b/c+é", "a%20b/c+%C3%A9", "«x-api-key»"],
  ["base64", "hunter2!", "aHVudGVyMiE=", "«x-api-key»="],
  ["base64 for URLs", "??>>~~??", "Pz8-Pn5-Pz8", "«x-api-key»"],
  [
    "base64 of a longer text",
    "hunter2!",
    btoa("ada:hunter2!:x"),
    "YWRhOm«x-api-key»Ong=",
  ],
  [
    "the beginning of a long value",
    "k".repeat(90),
    "k".repeat(70) + "…",
    "«x-api-key»…",
  ],
  ["less than the beginning", "k".repeat(90), "k".repeat(60), "k".repeat(60)],
  ["its own placeholder", "x-api-key", "x-api-key", "«x-api-key»"],
  ["other placeholders", "abcdef", "«abcdef»", "««x-api-key»»"],
  ["a value in guillemets", "«abcdef»", "«abcdef»", "«x-api-key»"],
  ["a lone surrogate", "abc\ud800def", "abc\ud800def", "«x-api-key»"],
  [
    "characters of expressions",
    "a.*+?^${}()|[]",
    "a.*+?^${}()|[] abc",
    "«x-api-key» abc",
  ],
];

/** Parts that hold no secret. */
const HARMLESS: readonly (readonly [string, Part])[] = [
  [
    "headers",
    headers(
      "accept: */*",
      "content-type: application/json",
      'if-none-match: "abc"',
    ),
  ],
  [
    "a challenge",
    headers('www-authenticate: Bearer realm="a", error="invalid_token"'),
  ],
  [
    "a key of a handshake",
    headers("sec-websocket-key: dGhl", "idempotency-key: a1"),
  ],
  ["the kind of a token", body('{"token_type":"bearer","expires_in":60}')],
  ["a number of tokens", body('{"max_tokens":100,"usage":{"total_tokens":7}}')],
  ["null and booleans", body('{"password":null,"token":true,"pin":false}')],
  ["an empty secret", body('{"password":"","tokens":[],"secrets":{}}')],
  ["authors", body('{"author":"Ada","authority":"x","authored":1}')],
  ["keys", body('{"key":"a","keyboard":"b","publicKey":"c","sortKey":"d"}')],
  ["pages", body('{"pagination":{"page":1},"passage":"x","compass":"n"}')],
  ["sessions of a conference", body('{"sessions":[{"title":"a"}]}')],
  ["a secret word as a value", body('{"type":"password","label":"token"}')],
  ["a secret word in an array", body('["password","abc","token","def"]')],
  ["a name in a sentence", body('{"text":"password: wrong, token: none"}')],
  ["a pair of a name and a value", body('{"name":"pin","value":"1234"}')],
  ["a query", { url: "/books?author=ada&sort=key&page=2&tokenize=yes" }],
  ["URLs", logs("http://a:80/@ada, mailto:ada@b.c, http://ada@b.c:80/d:e@f")],
  ["a path", { url: "/password/reset/token", route: "/password/reset/token" }],
  ["a form", body("author=ada&key=1&monkey=2", FORM)],
  ["a multipart form", multipart({ file: "abc", author: "x" })],
  ["an unknown token", logs("Unexpected token: }", "token is expired")],
  ["a number after a colon", logs("attempts per token: 12, at most")],
  ["a sentence with a comparison", logs("password === given", "if (token) x")],
  ["an authorization in a sentence", logs("authorization: Bearer or Basic")],
  ["a variable without a value", logs("PASSWORD= \nPORT=8000")],
  ["a type", logs("interface User { password: string; pin: number }")],
  ["an issue", {
    issues: [{ in: "body", pointer: "#/author", detail: "x", value: '"abc"' }],
  }],
  ["validated values", { validated: { query: { page: 1, key: "a" } } }],
  ["HTML", body('<input type="password" name="token">', { type: "text/html" })],
];

Deno.test("Secrets finds values by their names", async (t) => {
  for (const [title, part, expected] of FOUND) {
    await t.step(title, () => assertEquals(redact(part), expected));
  }
});

Deno.test("Secrets replaces a value in the rest of its request", async (t) => {
  for (const [title, value, text, expected] of ELSEWHERE) {
    await t.step(title, () => {
      assertEquals(
        redact(elsewhere(value, text)),
        elsewhere("«x-api-key»", expected),
      );
    });
  }
});

Deno.test("Secrets changes nothing in harmless parts", async (t) => {
  for (const [title, part] of HARMLESS) {
    await t.step(title, () => assertEquals(redact(part), part));
  }
});

Deno.test("Secrets finds the names of an option", () => {
  const part = { url: "/a?Tenant-ID=abc", validated: { query: { plate: 12 } } };
  assertEquals(redact(part), part);
  assertEquals(redact(part, ["tenantId", "PLATE"]), {
    url: "/a?Tenant-ID=«Tenant-ID»",
    validated: { query: { plate: "«plate»" } },
  });
});

Deno.test("Secrets replaces the password of Basic authentication everywhere", () => {
  const credentials = btoa("ada:hünter:2".replace("ü", "\u00c3\u00bc"));
  assertEquals(
    redact({
      ...headers(`authorization: Basic ${credentials}`, `x-a: ${credentials}`),
      ...logs(`login of ada with hünter:2, h%C3%BCnter%3A2, ${credentials}`),
    }),
    {
      ...headers(
        "authorization: Basic «authorization»",
        "x-a: «authorization»",
      ),
      ...logs(
        "login of ada with «password», «password», «authorization»",
      ),
    },
  );
});

const FRAME = { file: "/home/hunter2/api/route.ts", line: 1, column: 2 };

/** A request whose secrets `hunter2!` and `t0k€n/1` are in each member. */
function everywhere(password: string, token: string, url = token): Part {
  const text = `${password} and ${token}`;
  return {
    request: {
      headers: [["authorization", `Bearer ${token}`], ["x-a", text]],
      body: {
        type: "application/json",
        size: 1,
        text: `{"password":"${password}","note":"${text}"}`,
        isCut: false,
      },
    },
    url: `/${url}?a=${url}`,
    route: "/[id]",
    file: "/home/hunter2!/api/[id]/route.ts",
    params: { id: token },
    wildcardParams: [token],
    validated: { body: { note: text, list: [text], [text]: 1 } },
    issues: [{
      in: "body",
      pointer: "#/note",
      detail: text,
      value: `"${text}"`,
    }],
    error: {
      text: `Error: ${text}`,
      frames: [{
        ...FRAME,
        text: `GET ${text}`,
      }],
      cause: { text: `TypeError: ${text}`, frames: [] },
    },
    ...logs(`{ password: "${password}" }`, text),
    response: {
      headers: [["set-cookie", `a=${token}; Path=/`], ["location", `/${url}`]],
      body: { type: "text/html", size: 1, text: `<p>${text}`, isCut: true },
    },
    ...messages(text),
    ended: { by: "client", code: 1000, reason: text },
  };
}

Deno.test("Secrets replaces values in each member of a request, but not in its files", () => {
  const token = "t0k€n/1";
  const secrets = new Secrets(secretNames());
  const result = secrets.redact(
    everywhere("hunter2!", token, encodeURIComponent(token)),
  );
  assertEquals(result, everywhere("«password»", "«authorization»"));
  assertEquals(secrets.names, ["authorization", "password"]);
});

Deno.test("Secrets replaces values that later members name, and keeps placeholders", () => {
  const secrets = new Secrets(secretNames());
  let entry: Part = secrets.redact({ url: "/a?b=abcdef", ...logs("abcdef") });
  assertEquals(entry, { url: "/a?b=abcdef", ...logs("abcdef") });
  const message = '{"token":"abcdef","pin":"authorization","jwt":"token"}';
  entry = { ...entry, ...messages(message), ...headers("authorization: xyz") };
  const expected = {
    url: "/a?b=«token»",
    ...logs("«token»"),
    ...messages('{"token":"«token»","pin":"«pin»","jwt":"«jwt»"}'),
    ...headers("authorization: «authorization»"),
  };
  for (let times = 0; times < 3; times++) {
    entry = secrets.redact(entry);
    assertEquals(entry, expected);
  }
  assertEquals(secrets.names, ["authorization", "token", "pin", "jwt"]);
  const cookie = headers("cookie: abcdef=dark");
  assertEquals(secrets.redact(cookie), headers("cookie: abcdef=«abcdef»"));
  assertEquals(secrets.redact(logs("«abcdef»")), logs("«abcdef»"));
});

Deno.test("Secrets replaces the longest of several values", () => {
  const start = "k".repeat(64);
  assertEquals(
    redact({
      ...body(
        `{"tokens":["ab","ab-c","${start}1","${start}22","abcdef1","cdef12"]}`,
      ),
      ...logs(`ab-c ab-cd ab ${start}22 ${start}1 ${start}2 abcdef1 abcdef12`),
    }).logs,
    logs(
      "«tokens 2» «tokens»-cd «tokens» «tokens 4» «tokens 3» «tokens 4» «tokens 5» «tokens 5»2",
    ).logs,
  );
});

Deno.test("Secrets replaces any number of values where they were found", () => {
  const values = Array.from({ length: 2_000 }, (_, index) => `value-${index}`);
  const secrets = new Secrets(secretNames());
  const text = JSON.stringify({ tokens: values });
  const { request } = secrets.redact(body(text));
  assert(!request!.body!.text!.includes("value"));
  assertEquals(secrets.names.length, 500);
});

Deno.test("Secrets gives each value its own environment variable", () => {
  const text =
    '{"api_key":"a1","apiKey":"a2","api_key 2":"a3","API-KEY":"a4",' +
    '"api_key":"a5","密码password$(x)":"a6","credentials":"a7",' +
    '"jwt_2":"b1","jwt":"b2","JWT":"b3"}';
  const secrets = new Secrets(secretNames());
  secrets.redact(body(text));
  assertEquals(secrets.names, [
    "api-key",
    "apiKey 2",
    "api-key-2 2",
    "API-KEY 3",
    "api-key 4",
    "password-x",
    "credentials",
    "jwt-2",
    "jwt",
    "JWT 3",
  ]);
  const variables = secrets.names.map(variableOf);
  assertEquals(new Set(variables).size, variables.length);
});

Deno.test("Secrets finds a value that was cut within an escape", () => {
  const log = logs('it is "aé€-and-more"');
  const replaced = logs('it is "«password»"');
  for (const end of ["", "\\", "\\u", "\\u20a", "\ufffd"]) {
    const json = (value: string) =>
      body(`{"password":"${value}`, { isCut: true });
    assertEquals(
      redact({ ...json(`a\\u00e9${end}`), ...log }),
      { ...json("«password»"), ...replaced },
    );
  }
  for (const end of ["", "%", "%e", "%E2", "%E2%82"]) {
    const form = (value: string) =>
      body(`password=${value}`, { ...FORM, isCut: true });
    assertEquals(
      redact({ ...form(`a%C3%A9${end}`), ...log }),
      { ...form("«password»"), ...replaced },
    );
  }
});

Deno.test("Secrets omits values that are nested too deeply", () => {
  let value: unknown = { pin: 1234 };
  for (let depth = 0; depth < 10_000; depth++) value = [value];
  const { validated } = redact({
    ...headers("cookie: a=b"),
    validated: { value },
  });
  assertMatch(JSON.stringify(validated), /^\{"value":\[+"…"\]+\}$/);
});

Deno.test("Secrets finds the whole value that a body cuts", () => {
  for (const value of ["ab", "hunter2", "a b"]) {
    const part = {
      ...body(`{"password":"${value}`, { isCut: true }),
      ...logs(`xab ${value}, ${value}cd, ${value}-and-more! ok`),
    };
    assertEquals(
      redact(part).logs?.[0]?.text,
      "xab «password», «password», «password» ok",
    );
  }
});

Deno.test("Secrets removes citations of malformed JSON from the messages of V8", () => {
  const source = '{"password":$"correct horse","note":"x"}';
  const error = assertThrows(() => JSON.parse(source), SyntaxError);
  assertStringIncludes(error.message, "correct");
  const part = { ...body(source), ...logs(`Failed: ${error}`) };
  assertEquals(redact(part), {
    ...body('{"password":«password»"«password 2»","note":"x"}'),
    ...logs(
      `Failed: SyntaxError: Unexpected token '$', "…" is not valid JSON`,
    ),
  });
});

Deno.test("Secrets replaces a secret in each encoding", () => {
  const encodings: ((value: string) => string)[] = [
    (value) => value,
    (value) => JSON.stringify({ value }),
    (value) => JSON.stringify(JSON.stringify({ value })),
    (value) => Deno.inspect({ value }),
    (value) => `/a?${new URLSearchParams({ value })}`,
    (value) => `/${encodeURIComponent(value)}`,
    (value) => new URL(`http://localhost/${encodeURIComponent(value)}`).href,
    (value) => new TextEncoder().encode(value).toBase64(),
    (value) => new TextEncoder().encode(`a:${value}:b`).toBase64(),
    (value) =>
      new TextEncoder().encode(`{"${value}"}`).toBase64({
        alphabet: "base64url",
      }),
  ];
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 8 }).map((text) =>
        text.toUpperCase()
      ),
      fc.string({ unit: "binary", maxLength: 8 }).map((text) =>
        text.toUpperCase()
      ),
      fc.constantFrom("json", "form", "query", "multipart", "validated"),
      (before, after, place) => {
        const value = `${before}hunter2hunter2${after}`;
        const text = encodings.map((encode) => encode(value)).join("\n");
        const places: Record<typeof place, Part> = {
          json: body(JSON.stringify({ password: value })),
          form: body(`${new URLSearchParams({ password: value })}`, FORM),
          query: { url: `/?password=${encodeURIComponent(value)}` },
          multipart: multipart({ password: value.replaceAll(/[\r\n]/g, "") }),
          validated: { validated: { body: { password: value } } },
        };
        const result = redact({ ...places[place], ...logs(text) });
        if (place === "multipart" && /[\r\n]/.test(value)) return;
        const all = Deno.inspect(result, {
          strAbbreviateSize: Infinity,
          depth: 9,
        });
        assert(!all.includes("hunter2"), all);
        for (
          const base64 of [
            "aHVudGVyMmh1bnRlcj",
            "h1bnRlcjJodW50ZX",
            "odW50ZXIyaHVudGVy",
          ]
        ) {
          assert(!all.includes(base64), all);
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("Secrets replaces secrets of malicious bodies in linear time", async (t) => {
  const fill = (text: string) => text.repeat(16_384 / text.length);
  const values = (count: number, of: (index: number) => unknown) =>
    JSON.stringify({ token: Array.from({ length: count }, (_, i) => of(i)) });
  const bodies: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      ['"', '"\\', '"\\"', "[", '{"token":', "token=", 'token="', "a", "=", "&"]
        .concat(["«", "\r\n-", "a:'b:\"", '{"token":["\\"', '..."', "%", "{}"])
        .concat(["«token»", "Basic ", "cookie=", "token='", "--x\r\n\r\n"])
        .map((text) => [text, fill(text)]),
    ),
    "spaces": `"a"${fill(" ")}`,
    "one value": `{"token":"${fill("a")}"}`,
    "one value with escapes": values(1, () => fill("é")),
    "many values": values(3_000, (index) => index + 1_000),
    "many values with escapes": values(1_200, (index) => `é"${index}/`),
    "values with one beginning":
      values(200, (index) => fill("a").slice(0, index + 6)) +
      fill("a"),
  };
  for (const [title, text] of Object.entries(bodies)) {
    await t.step(title, () => {
      for (
        const type of ["application/json", FORM.type, "multipart/form-data"]
      ) {
        const start = performance.now();
        redact({
          ...body(text, { type, isCut: true, boundary: "x" }),
          response: { headers: [["cookie", text], ["x-a", text]] },
          ...{ url: `/?${text}`, validated: { body: text } },
          ...logs(text, text),
          ...messages(text),
        });
        // Takes less than 0.3 seconds; expressions that backtrack would take minutes.
        const duration = performance.now() - start;
        assert(duration < 5_000, `${type}: ${duration} ms`);
      }
    });
  }
});
