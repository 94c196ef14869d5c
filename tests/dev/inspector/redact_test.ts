import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { entryBody } from "../../../src/dev/inspector/body.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import {
  secretNames,
  variableOf,
} from "../../../src/dev/inspector/secret_names.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";
import { after, before } from "./marked.ts";

const create = () => new Secrets(secretNames());

/** Asserts that placeholders replace exactly the values with a mark. */
function assertRedacts<Marked>(
  marked: Marked,
  redact: (secrets: Secrets, value: Marked) => unknown,
): void {
  assertEquals(redact(create(), before(marked)), after(marked));
}

Deno.test("Secrets replaces members of JSON, and keeps the rest as it was sent", () => {
  const rows = [
    '{"password":"<password|hunter2>","name":"password"}',
    '{"a":[{"jwt":"<jwt|x>"},{"jwt":"<jwt 2|y>"},{"jwt":"<jwt|x>"}]}',
    '{"tokens":["<tokens|a>",{"b":"<tokens 2|c>"},null,true]}',
    '{"token":"Bearer <token|abc>","api-key":"Basic <api-key|abcd>"}',
    '{"pin":"<pin|a\\"b>","n":1e400,"big":12345678901234567890,"f":1.0}',
    '{"__proto__":{"password":"<password|x>"},"a":1}',
    '{"cookie":"<cookie|a=b; c=d>"}',
    '{"next":"/cb?token=<token|abc>&a=1#access_token=<token 2|d>"}',
    '{"form":"password=<password|x>&b=1"}',
    '{"db":"postgres://ada:<password|k3y>@db/shop"}',
    '{"a":"{\\"password\\":\\"<password|x>\\"}"}',
    '"hunter2"',
    "null",
  ];
  for (const row of rows) assertRedacts(row, (it, text) => it.json(text));
  const shown = [
    ['{"pass\\u0077ord":"\\u0061b"}', '{"password":"«password»"}'],
    [' { "a" : 1e400 } ', '{"a":1e400}'],
    // Of equal names, a parser keeps the last.
    ['{"password":"hunter2","password":""}', '{"password":""}'],
    ['{"a":{"password":"hunter2"},"a":1}', '{"a":1}'],
    ['["{\\"pin\\":12,\\"pin\\":null}"]', '["{\\"pin\\":null}"]'],
  ] as const;
  for (const [sent, json] of shown) assertEquals(create().json(sent), json);
  for (
    const text of [
      "",
      "hunter2",
      '{"password":"hunter2"',
      '{"password":hunter2}',
      `${"[".repeat(102)}${"]".repeat(102)}`,
      `${'{"a":'.repeat(102)}1${"}".repeat(102)}`,
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    ]
  ) assertEquals(create().json(text), undefined, text.slice(0, 30));
  // Notes numbers, since their placeholders are strings.
  const secrets = create();
  assertEquals(secrets.json('{"id":1,"a":"b"}'), '{"id":1,"a":"b"}');
  assertEquals(secrets.hasNumber, false);
  assertEquals(secrets.json('{"pin":1.50,"n":2.0}'), '{"pin":"«pin»","n":2.0}');
  assertEquals(secrets.hasNumber, true);
});

Deno.test("Secrets leaves out the values of cookies as a schema gets them", () => {
  for (const sent of ["hunter2%20xyz", '"hunter2 xyz"']) {
    const secrets = create();
    secrets.headers([["cookie", `uid=${sent}`]]);
    assertEquals(secrets.json('{"uid":"hunter2 xyz"}'), '{"uid":"«cookie»"}');
  }
});

Deno.test("Secrets replaces values of headers, and keeps schemes and names of cookies", () => {
  assertRedacts(
    [
      ["authorization", "Bearer <authorization|abc.def>"],
      ["proxy-authorization", "Custom"],
      ["x-api-key", "<api-key|a, b>"],
      [
        "cookie",
        "theme=<cookie|dark>; sid=<sid|a=b>; token=<token|x>; empty=; <cookie 2|alone>",
      ],
      ["set-cookie", "session=<session|y>; Path=/; HttpOnly"],
      ["set-cookie", "theme=<cookie|dark>"],
      ["referer", "http://a/?page=1&token=<token 2|z>"],
      ["link", "</x?api_key=<api-key 2|k>>; rel=next"],
      ["x-data", '{"pin":"<pin|1234>"}'],
      ["accept", "text/plain;q=0.5"],
      ["content-type", "text/plain; charset=utf-8"],
    ].map(([name, value]) =>
      [
        name!,
        value === "Custom" ? "<authorization 2|Custom a>" : value!,
      ] as const
    ),
    (it, headers) => it.headers(headers),
  );
});

Deno.test("Secrets replaces parameters of a path and of a query", () => {
  const rows: readonly (readonly [string, Record<string, string>])[] = [
    ["/a/b?token=<token|abc>&page=2&token=<token 2|d%20e>", {}],
    ["/reset/<token|abc>/abcd?x=abc", { token: "<token|abc>" }],
    ["/reset/<token|a%2Fb>", { token: "a/b" }],
    ["/a?next=<secret|http%3A%2F%2Fb%2F%3Ftoken%3Dabc>", {}],
    ["/a?data=<secret|%7B%22pin%22%3A1%7D>", {}],
    ["/a?user[password]=<password|b>&t%6Fken=<token|c>&?pin=<pin|d>", {}],
    ["/a?token=&token&=b", {}],
    ['/a?data=<secret|{"pin":12,"pin":""}>&data={ "a": [1, 2] }', {}],
    ["/a?b=/?token=<secret|c>".replace("/?token=<secret|c>", "c"), {}],
    ["/nowhere/abc", {}],
  ];
  for (const [url, params] of rows) {
    assertRedacts(url, (it, sent) => it.url(sent, before(params)));
  }
});

/** The text that an entry shows of a body. */
function shown(
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
): string | undefined {
  const secrets = create();
  return entryBody([["content-type", type]], content, { secrets })?.text;
}

Deno.test("a body shows its text if all of it is JSON or a form", () => {
  const form = "application/x-www-form-urlencoded";
  const multipart = "multipart/form-data; boundary=x";
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
  const parts = part('name="password"', "hunter2") + part('name="a"', "b") +
    part('name="f"; filename="a.json"', '{"password":"hunter2"}');
  const json = '{"password":"«password»"}';
  assertEquals(shown('{"password":"a"}', "application/vnd.a+json"), json);
  assertEquals(shown("a=1&pin=%20a;b'c&d", form), "a=1&pin=«pin»&d");
  assertEquals(JSON.parse(shown(`${parts}--x--\r\n`, multipart)!), {
    password: "«password»",
    a: "b",
    f: { file: "a.json", type: "application/octet-stream", size: 22 },
  });
  // `secrets_test.ts` has bodies of other types, and malformed ones.
  const long = `"${"x".repeat(16 * 1024)}"`;
  assertEquals(shown(long, "application/json"), undefined);
  const odd = new Uint8Array([0xff, 0x31]);
  assertEquals(shown(odd, "application/json"), undefined);
  // A body that nothing has read has a type and a size.
  const unread = (...headers: [string, string][]) =>
    entryBody(headers, undefined, { secrets: create() });
  assertEquals(unread(), undefined);
  assertEquals(unread(["content-length", "0"]), undefined);
  assertEquals(
    unread(["Content-Length", "7"], ["Content-Type", "A/B; c=d"]),
    { type: "a/b", size: 7 },
  );
  assertEquals(unread(["transfer-encoding", "chunked"]), { type: "" });
});

Deno.test("Secrets leaves the values that it has replaced out of other texts", () => {
  const secrets = create();
  secrets.json(
    '{"pin":"abc","token":"abcd","jwt":"abcdef","password":"token"}',
  );
  secrets.url("/?api_key=a%20b%2Bc", {});
  assertEquals(
    secrets.leaveOut("abc abcd xabcdefx a b+c a%20b%2Bc token «token»"),
    "abc «token» x«jwt»x «api-key» «api-key» «password» «token»",
  );
  assertEquals(secrets.leaveOut("«abcd» «jwt 2»"), "««token»» «jwt 2»");
  assertEquals(create().leaveOut("abcd"), "abcd");
  assertRedacts(
    '{"a":["<token|a\\"bcd>"," <token|a\\"bcd>"],"token":"<token|a\\"bcd>"}',
    (it, text) => it.json(text) && it.json(text),
  );
  assertEquals(
    secrets.pairs("a=1&b=abcd&abcd&c=x+abcd"),
    "a=1&b=«token»&«token»&c=«secret»",
  );
});

Deno.test("Secrets replaces any number of values, and names some of them", () => {
  const secrets = create();
  const tokens = Array.from({ length: 2_000 }, (_, index) => `value-${index}`);
  assert(!secrets.json(JSON.stringify({ tokens }))!.includes("value"));
  assertEquals(secrets.names.length, 500);
  // Each has its own environment variable.
  const other = create();
  other.json(
    '{"api_key":"a1","apiKey":"a2","API-KEY":"a4","密码password$(x)":"a6",' +
      '"jwt_2":"b1","jwt":"b2","JWT":"b3"}',
  );
  const names = "api-key,api-key 2,api-key 3,password,jwt,jwt 2,jwt 3";
  assertEquals(other.names.join(), names);
  const variables = new Set(other.names.map(variableOf));
  assertEquals(variables.size, other.names.length);
});

Deno.test("Secrets replaces any value", () => {
  const around = fc.string({ unit: "binary", maxLength: 8 });
  fc.assert(
    fc.property(around, around, (start, end) => {
      const value = `${start}hunter2${end}`;
      const pair = `${new URLSearchParams({ password: value })}`;
      const [name, sent] = ["x-api-key", value];
      for (
        const text of [
          create().json(JSON.stringify({ a: [{ password: value }] })),
          create().url(`/?b=1&${pair}`, {}),
          create().url(`/${encodeURIComponent(value.toWellFormed())}`, {
            token: value.toWellFormed(),
          }),
          create().pairs(pair),
          JSON.stringify(create().headers([[name, sent]])),
        ]
      ) assert(text !== undefined && !text.includes("hunter2"), text);
    }),
    { numRuns: 300 },
  );
});

Deno.test("Secrets replaces values of malicious texts in linear time", async () => {
  const fill = (text: string) => text.repeat(16_384 / text.length);
  const pieces =
    '"|[|{"token":|token=|&|?token=|://a:|://|;|=|%|«token»|Basic |a'.split(
      "|",
    );
  const texts = pieces.map(fill).concat(
    pieces.map((text) => JSON.stringify({ token: fill(text), a: fill(text) })),
    JSON.stringify({ token: Array.from({ length: 3_000 }, (_, n) => n) }),
  );
  // Takes less than a second; expressions that backtrack would take minutes.
  await assertCpuTime(10_000, () => {
    for (const text of texts) {
      const secrets = create();
      secrets.json(text);
      secrets.url(`/?${text}`, {});
      secrets.pairs(text);
      secrets.headers([["cookie", text], ["x-a", text], ["token", text]]);
      secrets.leaveOut(text);
    }
  });
});
