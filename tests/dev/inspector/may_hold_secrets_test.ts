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

Deno.test("a draft without a secret stays as it is when its secrets are replaced", () => {
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

Deno.test("a name of several words may announce a secret", () => {
  const bodyOf = (text: string) => {
    const body = new BodyCopy();
    body.setAll(text);
    return body;
  };
  const mayHold = (url: string, text: string, type = "application/json") =>
    mayHoldSecrets({
      ...{ id: 1, time: 0, start: 0, end: 1, method: "POST", url, logs: [] },
      request: { headers: [["content-type", type]], body: bodyOf(text) },
      response: { headers: [], body: bodyOf("") },
      params: {},
    }, isSecret);
  assertEquals(mayHold("/?page=2", '{"title":"password"}'), false);
  assertEquals(mayHold("/?api.key=x", ""), true);
  assertEquals(mayHold("/?a=1&api key=x", ""), true);
  assertEquals(mayHold("/?%74oken=x", ""), true);
  assertEquals(mayHold("/", '{"api.key":"x"}'), true);
  assertEquals(mayHold("/", '{"\\u0074oken":"x"}'), true);
  assertEquals(mayHold("/", "id=1", "application/x-www-form-urlencoded"), true);
  assertEquals(mayHold("/", "--b", "multipart/form-data; boundary=b"), true);
  assertEquals(mayHold("/", "The token is: x", "text/plain"), false);
});
