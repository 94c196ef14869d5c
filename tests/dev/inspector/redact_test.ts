import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import {
  secretNames,
  variableOf,
} from "../../../src/dev/inspector/secret_names.ts";
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
  multipart,
  type Part,
  redact,
} from "./marked.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

Deno.test("Secrets replaces validated values that are not strings", () => {
  const of = (body: unknown): Part => ({ validated: { body } });
  assertEquals(
    redact(of({ pin: 1234, a: [{ jwt: "x" }], b: 5 })),
    of({ pin: "«pin»", a: [{ jwt: "«jwt»" }], b: 5 }),
  );
  assertEquals(
    redact(of({ secrets: { a: 1n, b: true, c: null, d: ["x"] } })),
    of({ secrets: { a: "«secret»", b: true, c: null, d: ["«secret 2»"] } }),
  );
});

Deno.test("Secrets replaces the lines of a key that is logged", () => {
  const key = `-----BEGIN KEY-----\n${"abcdefghij".repeat(6)}\nab==`;
  const logged = logs(Deno.inspect({ key }));
  assertEquals(redact({ ...headers(`x-api-key: ${key}`), ...logged }), {
    ...headers("x-api-key: «api-key»"),
    ...logs(
      '{\n  key: "«api-key»\\n" +\n    "«api-key»\\n" +\n    "ab=="\n}',
    ),
  });
});

Deno.test("Secrets finds the names of an option", () => {
  const part = { url: "/a?Tenant-ID=abc", validated: { query: { plate: 12 } } };
  assertEquals(redact(part), part);
  assertEquals(redact(part, ["tenantId", "PLATE"]), {
    url: "/a?Tenant-ID=«tenant-id»",
    validated: { query: { plate: "«plate»" } },
  });
});

Deno.test("Secrets replaces the password of Basic authentication everywhere", () => {
  const credentials = btoa("ada:hünter:2".replace("ü", "\u00c3\u00bc"));
  const marked = `<authorization|${credentials}>`;
  assertRedacts({
    ...headers(`authorization: Basic ${marked}`, `x-a: ${marked}`),
    ...logs(
      `login of ada with <password|hünter:2>, <password|h%C3%BCnter%3A2>, ${marked}`,
    ),
  });
});

const FRAME = { file: "/home/hunter2/api/route.ts", line: 1, column: 2 };

const PASSWORD = "<password|hunter2!>";
const TOKEN = "<authorization|t0k€n/1>";
const IN_URL = "<authorization|t0k%E2%82%ACn%2F1>";
const TEXT = `${PASSWORD} and ${TOKEN}`;

/** A request with secrets in each member. */
const EVERYWHERE: Part = {
  request: {
    headers: [["authorization", `Bearer ${TOKEN}`], ["x-a", TEXT]],
    body: {
      type: "application/json",
      size: 1,
      text: `{"password":"${PASSWORD}","note":"${TEXT}"}`,
      isCut: false,
    },
  },
  url: `/${IN_URL}?a=${IN_URL}`,
  route: "/[id]",
  file: "/home/hunter2!/api/[id]/route.ts",
  params: { id: TOKEN },
  wildcardParams: [TOKEN],
  validated: { body: { note: TEXT, list: [TEXT], [TEXT]: 1 } },
  issues: [{
    in: "body",
    pointer: "#/note",
    detail: TEXT,
    value: `"${TEXT}"`,
  }],
  error: {
    text: `Error: ${TEXT}`,
    frames: [{
      ...FRAME,
      text: `GET ${TEXT}`,
    }],
    cause: { text: `TypeError: ${TEXT}`, frames: [] },
  },
  ...logs(`{ password: "${PASSWORD}" }`, TEXT),
  response: {
    headers: [["set-cookie", `a=${TOKEN}; Path=/`], ["location", `/${IN_URL}`]],
    body: { type: "text/html", size: 1, text: `<p>${TEXT}`, isCut: true },
  },
  ...messages(TEXT),
  ended: { by: "client", code: 1000, reason: TEXT },
};

Deno.test("Secrets replaces values in each member of a request, but not in its files", () => {
  const secrets = new Secrets(secretNames());
  assertEquals(secrets.redact(before(EVERYWHERE)), after(EVERYWHERE));
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
  assertEquals(secrets.redact(cookie), headers("cookie: «token»=«cookie»"));
  assertEquals(secrets.redact(logs("«cookie»")), logs("«cookie»"));
});

Deno.test("Secrets replaces the longest of several values", () => {
  const start = "k".repeat(64);
  assertRedacts({
    ...body(
      `{"tokens":["<tokens|ab>","<tokens 2|ab-c>","<tokens 3|${start}1>","<tokens 4|${start}22>","<tokens 5|abcdef1>","<tokens 6|cdef12>"]}`,
    ),
    ...logs(
      `<tokens 2|ab-c> <tokens|ab>-cd <tokens|ab> <tokens 4|${start}22> <tokens 3|${start}1> <tokens 4|${start}2> <tokens 5|abcdef1> <tokens 5|abcdef1>2`,
    ),
  });
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
    "api-key 2",
    "api-key 3",
    "api-key 4",
    "api-key 5",
    "password",
    "credential",
    "jwt",
    "jwt 2",
    "jwt 3",
  ]);
  const variables = secrets.names.map(variableOf);
  assertEquals(new Set(variables).size, variables.length);
});

Deno.test("Secrets finds a value that was cut within an escape", () => {
  const log = logs('it is "<password|aé€-and-more>"');
  for (const end of ["", "\\", "\\u", "\\u20a", "\ufffd"]) {
    const json = cutBody(`{"password":"<password|a\\u00e9${end}>`);
    assertRedacts({ ...json, ...log });
  }
  for (const end of ["", "%", "%e", "%E2", "%E2%82"]) {
    const form = cutBody(`password=<password|a%C3%A9${end}>`, FORM);
    assertRedacts({ ...form, ...log });
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
    assertRedacts({
      ...cutBody(`{"password":"<password|${value}>`),
      ...logs(
        `xab <password|${value}>, <password|${value}cd>, <password|${value}-and-more!> ok`,
      ),
    });
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
  const around = fc.string({ unit: "binary", maxLength: 8 })
    .map((text) => text.toUpperCase());
  fc.assert(
    fc.property(
      around,
      around,
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
        // Parts of the value in base64, at each offset.
        const encoded = /aHVudGVyMmh1bnRlcj|h1bnRlcjJodW50ZX|odW50ZXIyaHVudGVy/;
        assert(!encoded.test(all), all);
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
    await t.step(title, async () => {
      for (
        const type of ["application/json", FORM.type, "multipart/form-data"]
      ) {
        // Takes less than 0.3 seconds; expressions that backtrack would take minutes.
        await assertCpuTime(5_000, () =>
          redact({
            ...body(text, { type, isCut: true, boundary: "x" }),
            response: { headers: [["cookie", text], ["x-a", text]] },
            ...{ url: `/?${text}`, validated: { body: text } },
            ...logs(text, text),
            ...messages(text),
          }));
      }
    });
  }
});
