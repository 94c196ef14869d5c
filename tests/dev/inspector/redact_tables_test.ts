import { assertEquals } from "@std/assert";
import {
  after,
  assertRedacts,
  before,
  body,
  cutBody,
  FORM,
  headers,
  logs,
  messages,
  MULTIPART,
  multipart,
  type Part,
  redact,
} from "./marked.ts";

/** Parts that a function makes of texts. */
function each<Text>(
  partOf: (text: Text) => Part,
  texts: Readonly<Record<string, Text>>,
): Record<string, Part> {
  return Object.fromEntries(
    Object.entries(texts).map(([title, text]) => [title, partOf(text)]),
  );
}

/** Parts whose secrets are recognized by their names. */
const FOUND: Readonly<Record<string, Part>> = {
  ...each(headers, {
    "a bearer token": "Authorization: Bearer <authorization|abc.def>",
    "an authorization without a scheme": "authorization: <authorization|abc>",
    "an authorization with parameters":
      'authorization: Digest <authorization|username="ada", response="1">',
    "the credentials of a proxy":
      "proxy-authorization: Basic <authorization|YTpi>",
    "each cookie":
      "cookie: sid=<sid|abc>; theme=<cookie|dark>;x=; <cookie 2|y>",
    "a quoted cookie that contains =": 'cookie: sid="<sid|a=b==>"',
    "a cookie of a response, but not its attributes":
      "set-cookie: sid=<sid|abc>; Path=/; HttpOnly",
    "a key in a header": "X-API-Key: <api-key|k 1>",
    "a token in the URL of a header":
      "referer: https://a.example/?token=<token|abc>&x=1",
  }),
  ...each((url) => ({ url }), {
    "a query parameter": "/a?x=1&access_token=<token|abc>&y",
    "a query parameter with an escaped name": "/a?pass%77ord=<password|a%20b>",
    "a query parameter in brackets": "/a?user[password]=<password|abc>",
    "two values of a query parameter":
      "/a?token=<token|abc>&token=<token 2|def>&token=<token|abc>",
    "a value after a question mark in the query":
      "/a?b?token=<token|1>&pin=<pin|12?3>",
    "secrets in a path without a route":
      "/proxy/redis%3A%2F%2Fada%3A<password|k3y>%40db/token=<token|abc>?a=b",
    "a URL in a URL in a query":
      "/a?b=%2Fc%3Fd%3D%252Fe%253Ftoken%253D<token|abc>%2526f%253D1",
  }),
  ...each(body, {
    "a JSON string": '{"user":"ada","password":"<password|abc>"}',
    "JSON with spaces": '{\n  "password" : "<password|abc>"\n}',
    "a JSON number": '{"pin":<pin|1234>}',
    "a JSON digit": '{"pin":<pin|7>,"n":7}',
    "a JSON key with an escape": '{"pass\\u0077ord":"<password|abc>"}',
    "a JSON string with escapes": '{"password":"<password|a\\"b\\\\\\u0063>"}',
    "duplicate keys of JSON": '{"pin":"<pin|1234>","pin":"<pin 2|5678>"}',
    "nested JSON": '[{"a":{"b":[{"token":"<token|abc>"}]}}]',
    "an array of secrets":
      '{"tokens":["<tokens|abc>",<tokens 2|1234>,["<tokens 3|def>"]],"x":"y"}',
    "an object of secrets":
      '{"credentials":{"user":"<credential|ada>","n":{"x":<credential 2|12345>}},"y":"z"}',
    "a secret after an object of secrets":
      '{"session":{},"a":"b","pin":"<pin|1234>"}',
    "a secret in an object of secrets, by its own name":
      '{"session":{"token":"<token|abc>","id":"<session|de>"}}',
    "malformed JSON": '{"name":"Ada, "password":"<password|hunter2>"}',
    "malformed JSON without quotes": '{"password":<password|hunter2>}',
    "JSON in a JSON string":
      '{"payload":"{\\"password\\":\\"<password|a\\\\\\"bcdef>\\"}"}',
    "a URL in a JSON string":
      '{"url":"https://a.example/?token=<token|abc>&b=c"}',
    "cookies with escapes in JSON": '{"cookie":"<cookie|a=\\"b\\"; c=d>"}',
  }),
  ...each(([text, log]) => ({ ...cutBody(text!), ...logs(log!) }), {
    "JSON that was cut in a string": [
      '{"a":"b","password":"abc',
      "<password|abc>",
    ],
    "JSON that was cut after the quote": ['{"password":"', "abc"],
    "JSON that was cut in an escape": [
      '{"password":"abc\\u00',
      "<password|abc>",
    ],
    "JSON that was cut after a backslash": [
      '{"password":"abc\\',
      "<password|abc>",
    ],
    "JSON that was cut in a number": ['{"pin":12', "<pin|12>"],
    "JSON that was cut deep below a secret": [
      '{"secrets":{"a":["b c',
      "<secret|b c>",
    ],
  }),
  ...each((text) => body(text, FORM), {
    "a form": "user=ada&password=<password|a+b%21>&x=1",
    "a form with an escaped name": "user%5Bp%61ssword%5D=<password|abc>",
    "an authorization in a form": "authorization=<authorization|Bearer+a%2Bb>",
    "a form with an empty secret": "password=&password&x=1",
    "JSON in a form": "payload=%7B%22token%22%3A%22<token|abc>%22%7D",
  }),
  "a parameter of the path": {
    url: "/reset/<token|abcdef>",
    params: { token: "<token|abcdef>" },
  },
  "an escaped parameter of the path": {
    url: "/reset/<token|%61bc>/<pin|%C3%A9%2f>",
    params: { token: "<token|abc>", pin: "<pin|é/>" },
  },
  "a cut number that is logged": {
    ...cutBody('{"n":5,"pin":<pin|12>'),
    ...logs("<pin|1234>, 312, 56"),
  },
  "JSON without a type": body('{"password":"<password|abc>"}', { type: "" }),
  "several JSON values": body(
    '{"pin":"<pin|1234>"}\n{"pin":"<pin 2|5678>"}\n',
    { type: "application/x-ndjson" },
  ),
  "a JSON response": body(
    '{"access_token":"<token|abc>","token_type":"bearer"}',
    { of: "response" },
  ),
  "an escaped value that is logged": {
    ...headers(
      "cookie: sid=<sid|s%3Aabcdef.ghi>; theme=<cookie|dark>; a=<cookie 2|abcdef>; token=<token|xyz>",
    ),
    url: "/?jwt=<jwt|%6bey1234>",
    ...logs(
      "<sid|s:abcdef.ghi>, dark, <cookie 2|abcdef>, <token|xyz>, <jwt|%6bey1234>, <jwt|key1234>",
    ),
  },
  "a form that was cut": {
    ...cutBody("a=b&password=ab%2", FORM),
    ...logs("<password|ab>"),
  },
  "a multipart form": multipart({
    user: "ada",
    password: "<password|a\r\nb>",
    x: "y",
  }),
  "a multipart form with a key of several lines": multipart({
    private_key: "<private-key|-----BEGIN KEY-----\r\n--abc\r\n-----END>",
  }),
  "a multipart form with an encoded name": body(
    "--x\nContent-Disposition: form-data; filename=author;\n name*=utf-8''pin\n\n<pin|1234>\n--x--",
    { ...MULTIPART, boundary: '"x"' },
  ),
  "a multipart form that was cut": {
    ...cutBody(
      '--x\r\nContent-Disposition: form-data; name="otp"\r\n\r\n<otp|9876>\r\n' +
        '--x\r\nContent-Disposition: form-data; name="pin"\r\n\r\n<pin|1234>\r\n-',
      MULTIPART,
    ),
    ...logs("<pin|12345>, 98765"),
  },
  "JSON in a multipart form": multipart({ data: '{"token":"<token|abc>"}' }),
  "messages of a socket": messages(
    '{"type":"login","token":"<token|abc>"}',
    "token=<token 2|def>",
    "a b",
  ),
  "an event": messages('event: a\ndata: {"token":"<token|abc>"}\n\n'),
  "validated headers": {
    validated: {
      headers: {
        authorization: "Basic <authorization|YTpi>",
        cookie: "a=<cookie|c>",
      },
    },
  },
  "a value after a colon": logs(
    "password: <password|hunter2>",
    "{ pin: <pin|1234> }",
    "at <password|hunter2>, <pin|1234>",
  ),
  "headers of a request that a program logs": logs(
    "> Authorization: Bearer <authorization|abc-123>\n> Accept: */*",
    "curl -H 'Authorization: Basic <authorization 2|dTpodW50ZXIy>'",
    "at <authorization|abc-123>, <password|hunter2>",
  ),
  "a value after an equals sign with spaces": logs(
    "token = <token|abc-123>",
    "pin => <pin|1234>",
    "jwt= <jwt|e9.x9>",
    "at <token|abc-123>, <pin|1234>",
  ),
  "the passwords in URLs": {
    ...body('{"url":"amqp://shop:<password|9aZ!x>@mq:5672/"}', {
      of: "response",
    }),
    ...logs(
      "postgres://ada:<password 2|k%2By>@db/a failed",
      "redis://:<password 3|p@ss>@[::1], <password 2|k+y>",
    ),
  },
  "a long password in a URL": logs(
    `mysql://iam:<password|${"t0k".repeat(400)}>@db`,
  ),
  "the value of an issue": {
    issues: [{
      in: "body",
      pointer: "#/users/0/password",
      detail: 'too short: "<password|abc>"',
      value: '"<password|abc>"',
    }],
  },
  "a secret in the value of an issue": {
    issues: [{
      in: "body",
      pointer: "#",
      detail: "x",
      value: '{"pin":<pin|1234>}',
    }],
  },
  "a member that a program logs": logs(
    '{ password: \'<password|hunter2>\', token: "<token|a\'b>", pwd: "<pwd|\'`a\\"b>" }',
    "pin=<pin|123>&x",
    "jwt=`<jwt|abc>`",
    'Map { "otp" => "<otp|789>" }',
  ),
};

/** Secrets `x-api-key` in a header, and logs that repeat them. */
const ELSEWHERE: Readonly<Record<string, readonly [string, string]>> = {
  "a value": ["abcdef", "got <api-key|abcdef>!"],
  "a value in a word": ["abcdef", "x<api-key|abcdef>x"],
  "a short value": [
    "abc",
    "<api-key|abc>, (<api-key|abc>) <api-key|abc>",
  ],
  "a short value in words": ["abc", "abcd zabc éabc abcé 1abc"],
  "a short value after an escape": [
    "abc",
    "a%20<api-key|abc> \\n<api-key|abc>",
  ],
  "a short value next to emoji": ["abc", "🙂<api-key|abc>🙂"],
  "a digit": ["7", "7 of 17"],
  "a common word": ["true", "it is true"],
  "a name of secrets": ["password", 'password: "<api-key|password>"'],
  "JSON": ['a"b\\c\nd', '{"x":"<api-key|a\\"b\\\\c\\nd>"}'],
  "JSON in JSON": [
    'a"b\\c',
    '"{\\"x\\":\\"<api-key|a\\\\\\"b\\\\\\\\c>\\"}"',
  ],
  "a string of console.log": [
    'a"b\\c\td',
    "{ x: '<api-key|a\"b\\\\c\\td>' }",
  ],
  "lines of an entry of the log": [
    "key1\nkey2",
    "cannot read <api-key|key1\n  key2>",
  ],
  "escapes of other languages": [
    "é/ab",
    "<api-key|\\u00e9/ab> <api-key|é\\/ab>",
  ],
  "percent-encoding": ["a b/c+é", "<api-key|a%20b%2Fc%2B%C3%A9>"],
  "percent-encoding in lower case": [
    "a b/c+é",
    "<api-key|a%20b%2fc%2b%c3%a9>",
  ],
  "plus-encoding": ["a b/c+é", "x=<api-key|a+b%2Fc%2B%C3%A9>&y"],
  "encodeURI()": ["a b/c+é", "<api-key|a%20b/c+%C3%A9>"],
  "base64": ["hunter2!", "<api-key|aHVudGVyMiE>="],
  "base64 for URLs": ["??>>~~??", "<api-key|Pz8-Pn5-Pz8>"],
  "base64 of a longer text": [
    "hunter2!",
    "YWRhOm<api-key|h1bnRlcjIh>Ong=",
  ],
  "the beginning of a long value": [
    "k".repeat(90),
    `<api-key|${"k".repeat(70)}>…`,
  ],
  "less than the beginning": ["k".repeat(90), "k".repeat(60)],
  "its own placeholder": ["x-api-key", "<api-key|x-api-key>"],
  "other placeholders": ["abcdef", "«<api-key|abcdef>»"],
  "a value in guillemets": ["«abcdef»", "<api-key|«abcdef»>"],
  "a lone surrogate": ["abc\ud800def", "<api-key|abc\ud800def>"],
  "characters of expressions": [
    "a.*+?^${}()|[]",
    "<api-key|a.*+?^${}()|[]> abc",
  ],
};

/** Parts that hold no secret. */
const HARMLESS: Readonly<Record<string, Part>> = {
  "headers": headers(
    "accept: */*",
    "content-type: application/json",
    'if-none-match: "abc"',
  ),
  "a challenge": headers(
    'www-authenticate: Bearer realm="a", error="invalid_token"',
  ),
  "a key of a handshake": headers(
    "sec-websocket-key: dGhl",
    "idempotency-key: a1",
  ),
  "the kind of a token": body('{"token_type":"bearer","expires_in":60}'),
  "a number of tokens": body('{"max_tokens":100,"usage":{"total_tokens":7}}'),
  "null and booleans": body('{"password":null,"token":true,"pin":false}'),
  "an empty secret": body('{"password":"","tokens":[],"secrets":{}}'),
  "authors": body('{"author":"Ada","authority":"x","authored":1}'),
  "keys": body('{"key":"a","keyboard":"b","publicKey":"c","sortKey":"d"}'),
  "pages": body('{"pagination":{"page":1},"passage":"x","compass":"n"}'),
  "sessions of a conference": body('{"sessions":[{"title":"a"}]}'),
  "a secret word as a value": body('{"type":"password","label":"token"}'),
  "a secret word in an array": body('["password","abc","token","def"]'),
  "a name in a sentence": body('{"text":"password: wrong, token: none"}'),
  "a pair of a name and a value": body('{"name":"pin","value":"1234"}'),
  "a query": { url: "/books?author=ada&sort=key&page=2&tokenize=yes" },
  "URLs": logs("http://a:80/@ada, mailto:ada@b.c, http://ada@b.c:80/d:e@f"),
  "a path": { url: "/password/reset/token", route: "/password/reset/token" },
  "a form": body("author=ada&key=1&monkey=2", FORM),
  "a multipart form": multipart({ file: "abc", author: "x" }),
  "an unknown token": logs("Unexpected token: }", "token is expired"),
  "a number after a colon": logs("attempts per token: 12, at most"),
  "a sentence with a comparison": logs("password === given", "if (token) x"),
  "an authorization in a sentence": logs("authorization: Bearer or Basic"),
  "a variable without a value": logs("PASSWORD= \nPORT=8000"),
  "a type": logs("interface User { password: string; pin: number }"),
  "an issue": {
    issues: [{ in: "body", pointer: "#/author", detail: "x", value: '"abc"' }],
  },
  "validated values": { validated: { query: { page: 1, key: "a" } } },
  "HTML": body('<input type="password" name="token">', { type: "text/html" }),
};

Deno.test("Secrets finds values by their names", async (t) => {
  for (const [title, marked] of Object.entries(FOUND)) {
    await t.step(title, () => assertRedacts(marked));
  }
});

Deno.test("Secrets replaces a value in the rest of its request", async (t) => {
  for (const [title, [value, marked]] of Object.entries(ELSEWHERE)) {
    await t.step(title, () => {
      const part = {
        ...headers(`x-api-key: ${value}`),
        ...logs(before(marked)),
      };
      assertEquals(redact(part), {
        ...headers("x-api-key: «api-key»"),
        ...logs(after(marked)),
      });
    });
  }
});

Deno.test("Secrets changes nothing in harmless parts", async (t) => {
  for (const [title, part] of Object.entries(HARMLESS)) {
    await t.step(title, () => assertEquals(redact(part), part));
  }
});
