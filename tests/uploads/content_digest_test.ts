import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { file } from "@bough/framework/uploads";
import { TestApplication } from "../support/application.ts";
import { digestsOf } from "../../src/uploads/content_digest.ts";

const BODY = "Hello";
const SHA_256 = createHash("sha256").update(BODY).digest("base64");
const SHA_512 = createHash("sha512").update(BODY).digest("base64");
const FALSE = createHash("sha256").update("other").digest("base64");

const GOOD = `sha-256=:${SHA_256}:`;
const BAD = `sha-256=:${FALSE}:`;

/** Statuses by header (RFC 9651, sections 3.2, 4.2.2 and 4.2.7). */
const ROWS: readonly (readonly [what: string, header: string, number])[] = [
  ["a true digest", GOOD, 200],
  ["a false digest", BAD, 400],
  ["a digest without padding", GOOD.replace(/=:$/, ":"), 200],
  ["a false digest without padding", BAD.replace(/=:$/, ":"), 400],
  ["no byte", "sha-256=::", 400],
  ["too few bytes", "sha-256=:AAAA:", 400],
  ["a digest with further bytes", `sha-256=:${SHA_256.slice(0, -1)}AAAA:`, 400],
  ["two digests", `${GOOD}, sha-512=:${SHA_512}:`, 200],
  ["two digests without spaces", `${GOOD},sha-512=:${SHA_512}:`, 200],
  ["one true and one false digest", `${BAD}, sha-512=:${SHA_512}:`, 400],
  ["a true digest after a false one of its name", `${BAD}, ${GOOD}`, 200],
  ["a false digest after a true one of its name", `${GOOD}, ${BAD}`, 400],
  ["a last member without a value", `${BAD}, sha-256`, 200],
  ["a last member that is a boolean", `${BAD}, sha-256=?0;a`, 200],
  ["a parameter", `${GOOD};a=1`, 200],
  ["a parameter and a false digest", `${BAD} ; a="1,2" , b=1`, 400],
  ["a digest in a string", `a="${BAD}"`, 200],
  [
    "a digest in a string with commas",
    `a="x, ${BAD}, ", b="\\", ${BAD},"`,
    200,
  ],
  ["a digest after a string", `a=",", ${BAD}`, 400],
  ["another name", `x-${BAD}, sha-256-x=:AAAA:, SHA-256=:AAAA:`, 200],
  ["spaces around", `  ${BAD}\t`, 400],
  ["an open string", `a="${BAD}`, 200],
];

Deno.test("a Content-Digest is compared with the body (behaviour 7.8)", async () => {
  const application = TestApplication.of({
    "files/route.ts": {
      schema: { put: { body: file() } },
      PUT: async ({ validated }) =>
        new Response(await new Response(validated.body.stream).text()),
    },
  });
  for (const [what, digest, status] of ROWS) {
    const headers = { "content-type": "text/plain", "content-digest": digest };
    const init = { method: "PUT", headers, body: BODY };
    const response = await application.fetch("/api/files", init);
    assertEquals(response.status, status, what);
  }
});

Deno.test("a body is hashed once for each algorithm (behaviour 7.8)", () => {
  const many = `${BAD}, sha-512=:${SHA_512}:, `.repeat(1_000) + GOOD;
  const digests = digestsOf(many);
  assertEquals(
    digests.map(({ algorithm }) => algorithm),
    ["sha-256", "sha-512"],
  );
});
