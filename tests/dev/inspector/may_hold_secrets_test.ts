import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { BodyCopy } from "../../../src/dev/inspector/body_copy.ts";
import {
  type Draft,
  entryOf,
  mayHoldSecrets,
} from "../../../src/dev/inspector/draft.ts";
import { Secrets } from "../../../src/dev/inspector/redact.ts";
import { secretNames } from "../../../src/dev/inspector/secret_names.ts";

const isSecret = secretNames(["licence"]);

/** Names of secrets and other names, and pieces between them and their values. */
const pieces = fc.constantFrom(
  ...["password", "token", "licence", "id", "title", "api_key", "x-api-key"],
  ...["pass\\u0077ord", "Authorization", "Bearer abc123", "Basic dXNlcjpwdw=="],
  ...['"', "'", "\\", ":", "=", " ", ",", "{", "}", "[", "]", "&", "?", "%70"],
  ...["é", "\u212aey", "userPin", "SID", " ".repeat(30), "\\u0070in", "\\t"],
  ...["\n", "\r\n", "«", "»", "abc123", "1234", "://", "@", "--b", "user:pw@h"],
);
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("7", "a=1&b=2", '{"id":"a: b"}') },
  fc.array(pieces, { maxLength: 12 }).map((all) => all.join("")),
);

/** JSON, or text of pieces. */
const bodyText = fc.oneof(
  text,
  fc.json().map(String),
  text.map((key) => JSON.stringify({ [key]: "abc123" })),
);

const message = fc.record({
  type: fc.constantFrom(
    "application/json",
    "application/json",
    "text/plain",
    "text/html; charset=utf-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
  ),
  name: fc.constantFrom("accept", "accept", "x-id", "x-token"),
  value: text,
  body: bodyText,
}).map(({ type, name, value, body }) => {
  const copy = new BodyCopy();
  copy.setAll(body);
  return {
    headers: [["content-type", type], [name, value]] as const,
    body: copy,
  };
});

const draft: fc.Arbitrary<Draft> = fc.record({
  id: fc.constant(1),
  time: fc.constant(0),
  start: fc.constant(0),
  end: fc.constant(1),
  method: fc.constant("POST"),
  url: text.map((path) => `/${path}`),
  request: message,
  response: message,
  params: fc.dictionary(pieces, text, { maxKeys: 2 }),
  wildcardParams: fc.option(fc.array(text, { maxLength: 2 }), {
    nil: undefined,
  }),
  validated: fc.option(fc.json().map((json) => [["body", json] as const]), {
    nil: undefined,
  }),
  logs: fc.array(
    fc.record({ time: fc.constant(1), level: fc.constant("log"), text }),
    { maxLength: 2 },
  ),
});

Deno.test("Secrets changes nothing in a draft without a secret", () => {
  let plain = 0;
  fc.assert(
    fc.property(draft, (draft) => {
      if (mayHoldSecrets(draft, isSecret)) return;
      plain++;
      const entry = entryOf(draft);
      assertEquals(new Secrets(isSecret).redact(entry), entry);
    }),
    { numRuns: 3_000 },
  );
  assert(plain > 30);
});

/** Words of names of secrets and of other names, and what joins them. */
const words = fc.constantFrom(
  ...["password", "pass", "phrase", "secret", "token", "tokens", "connection"],
  ...["string", "api", "key", "keys", "code", "auth", "verifier", "sess", "id"],
  ...["sid", "connect", "otp", "pw", "cookie", "sig", "pin", "2", "user", "db"],
  ...["licence", "type", "count", "ar"],
  ...["-", "_", ".", " ", "[", "é", "\u212aey"],
).chain((word) =>
  fc.constantFrom(
    word,
    word.toUpperCase(),
    word.slice(0, 1).toUpperCase() + word.slice(1),
  )
);

Deno.test("a text with a name of a secret may hold a secret", () => {
  let secret = 0;
  fc.assert(
    fc.property(fc.array(words, { maxLength: 5 }), (all) => {
      const name = all.join("");
      // With an escape, only the words of the name decide.
      if (!isSecret(`%${name}`)) return;
      secret++;
      assert(isSecret(name), name);
      assert(isSecret.mayBeIn(`{"${name}":`), name);
      assert(isSecret.mayBeIn(`a&${name}=`), name);
    }),
    { numRuns: 10_000 },
  );
  assert(secret > 1_000);
});

Deno.test("names may hide behind escapes and wide gaps", () => {
  const texts = [
    '{"licence\\r\\n":"abc123"}',
    '{"licence\r\n":"abc123"}',
    `{"password"${" ".repeat(30)}:"abc123"}`,
    "épass=abc123",
    "redis://:p@ss@[::1]",
  ];
  for (const each of texts) {
    assert(new Secrets(isSecret).redact({ url: `/?${each}` }).url !== each);
    assert(isSecret.mayBeIn(each), each);
  }
  for (const each of ["Pinot from an author: key=1", "a hotpot, sid", "x"]) {
    assert(!isSecret.mayBeIn(each), each);
  }
});
