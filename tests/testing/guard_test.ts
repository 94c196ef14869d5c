/** Guards reject requests without credentials, and with wrong ones. */
import { assertEquals } from "@std/assert";
import type { MethodSchema, MiddlewareRequest } from "@bough/framework";
import { z } from "zod";
import { check } from "./support.ts";

const AS = { authorization: "Bearer test", "x-shop": "1" };

/** Responds to a request that a guard rejects; `undefined` if it passes. */
type Guard = (request: MiddlewareRequest & Request) => Response | undefined;

const tokenOf = ({ headers }: Request) => headers.get("authorization");
const isKnown = (request: Request) => tokenOf(request) === "Bearer test";

/** A guard that rejects requests with a status. */
const refuse = (
  status: number,
  rejects: (request: MiddlewareRequest & Request) => boolean = (request) =>
    !isKnown(request),
): Guard =>
(request) => rejects(request) ? new Response(null, { status }) : undefined;

async function securityOf(
  guard: Guard,
  { response, schema = {}, status = 200, as = AS }: {
    /** The responses that the contract of the guard declares. */
    readonly response?: NonNullable<MethodSchema["response"]>;
    readonly schema?: MethodSchema;
    readonly status?: number;
    readonly as?: object;
  } = {},
): Promise<(string | undefined)[][]> {
  const { failures } = await check({
    "middleware.ts": {
      contract: { security: [{ bearer: [] }], ...(response && { response }) },
      default: (request, next) =>
        guard(request as MiddlewareRequest & Request) ?? next(),
    },
    "a/route.ts": {
      schema: { get: schema },
      GET: () => new Response(null, { status }),
    },
  }, { properties: ["security"], as: as as typeof AS, runs: 3 });
  return failures.map(({ expected, seen, test, requests }) => [
    expected,
    seen,
    test.match(/^ {2}(assert.*)$/m)?.[1],
    requests.at(-1)?.method,
  ]);
}

Deno.test("a guard rejects with a 401 or a 403, whether they are declared or not", async () => {
  for (const status of [401, 403]) {
    assertEquals(await securityOf(refuse(status)), []);
    const response = { [status]: {} };
    assertEquals(await securityOf(refuse(status), { response }), []);
  }
});

Deno.test("a guard that allows all requests, or violates its contract, is found", async () => {
  const either = "a 401 or a 403, since no credentials were sent";
  const anyOf = "assert([401, 403].includes(response.status));";
  assertEquals(await securityOf(() => undefined), [
    [either, "a 200", anyOf, "GET"],
  ]);
  assertEquals(await securityOf(refuse(404)), [
    [either, "a 404", anyOf, "GET"],
  ]);
  const onlyGet = refuse(
    401,
    (request) => !isKnown(request) && request.method === "GET",
  );
  assertEquals(await securityOf(onlyGet), [[either, "a 200", anyOf, "HEAD"]]);
  assertEquals(await securityOf(refuse(403), { response: { 401: {} } }), [[
    "a 401, since no credentials were sent",
    "a 403",
    "assertEquals(response.status, 401);",
    "GET",
  ]]);
  const [fault] = await securityOf(refuse(401), {
    response: { 401: z.object({ why: z.string() }) },
  });
  assertEquals(fault!.slice(0, 2), [
    "a 401 as declared",
    'a 401 that does not fit its schema: at "#" Invalid input: expected object, received undefined',
  ]);
});

Deno.test("a schema may require the credentials, too", async () => {
  const headers = z.object({ authorization: z.string() });
  const guard = refuse(
    401,
    (request) => tokenOf(request) !== null && !isKnown(request),
  );
  assertEquals(await securityOf(guard, { schema: { headers } }), []);
});

Deno.test("a guard that rejects anonymous requests to an open operation is found (behaviour 10.7)", async () => {
  const isOpen = ({ security = [] }: MiddlewareRequest) =>
    security.length === 0 ||
    security.some((way) => Object.keys(way).length === 0);
  const reading = refuse(
    401,
    (request) => !isKnown(request) && !isOpen(request),
  );
  for (const security of [[], [{ bearer: [] }, {}]]) {
    const schema = { security };
    const name = JSON.stringify(security);
    assertEquals(await securityOf(reading, { schema }), [], name);
    for (const status of [401, 403]) {
      assertEquals(await securityOf(refuse(status), { schema }), [[
        `a response other than ${status}, since the operation allows anonymous requests`,
        `a ${status}`,
        `assertNotEquals(response.status, ${status});`,
        "GET",
      ]], name);
    }
    assertEquals(
      await securityOf(refuse(401), { schema, as: {} }),
      [],
      "without credentials, nothing shows that the guard is the reason",
    );
    // A login rejects a wrong password, whatever the guard does.
    assertEquals(await securityOf(reading, { schema, status: 401 }), [], name);
  }
  // A method that requires more than its folder is guarded like others.
  const schema = { security: [{ bearer: ["admin"] }] };
  assertEquals(await securityOf(refuse(401), { schema }), []);
});

/** The expectations and observations for a guard that knows some tokens. */
async function seenOf(
  knows: (token: string, request: Request) => boolean,
  as: object = AS,
): Promise<string[]> {
  const found = await securityOf(
    refuse(401, (request) => !knows(tokenOf(request) ?? "", request)),
    { as },
  );
  return found.map(([expected, seen]) => `${expected}: ${seen}`);
}

const WRONG = "a 401 or a 403, since the credentials are wrong: a ";

Deno.test("a guard that accepts wrong or malformed credentials is found", async () => {
  assertEquals(await seenOf((token) => token === "Bearer test"), []);
  for (
    const knows of [
      (token) => token !== "",
      (token) => token.startsWith("Bearer") && token.length > 0,
      (token) => token.length >= 8,
      (token) => "Bearer test".startsWith(token) && token !== "",
      (token) => token.startsWith("Basic") || token === "Bearer test",
    ] satisfies ((token: string) => boolean)[]
  ) assertEquals(await seenOf(knows), [`${WRONG}200`], `${knows}`);
  const crash = (token: string) =>
    token !== "" &&
    (token.split(" ")[1]!.length, token === "Bearer test");
  assertEquals(await seenOf(crash), [`${WRONG}500`]);
  // A guard that only reads the claims of a token.
  const authorization =
    "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
  const claims = (token: string) => {
    try {
      const text = atob(token.slice(7).split(".")[1] ?? "bnVsbA==");
      return JSON.parse(text || "null")?.sub === "a";
    } catch {
      return false;
    }
  };
  assertEquals(await seenOf(claims, { authorization }), [`${WRONG}200`]);
  // RFC 6750, 3.1, allows 400 for malformed credentials.
  assertEquals(
    await securityOf((request) => {
      const token = tokenOf(request);
      if (token === "Bearer test") return undefined;
      const isMalformed = token && !token.startsWith("Bearer ");
      return new Response(null, { status: isMalformed ? 400 : 401 });
    }),
    [],
  );
});

Deno.test("a guard that accepts expired credentials is found", async () => {
  const as = { alice: AS, expired: { authorization: "Bearer old" } };
  assertEquals(await seenOf((token) => token === "Bearer test", as), []);
  assertEquals(
    await seenOf((token) => /^Bearer (?:test|old)$/.test(token), as),
    ["a 401 or a 403, since the credentials have expired: a 200"],
  );
});

Deno.test("only credentials are sent wrong, in their own form", async () => {
  // A token without a scheme is not sent as a scheme.
  const raw = { authorization: "s3cret-t0ken" };
  assertEquals(await seenOf((token) => token === "s3cret-t0ken", raw), []);
  // Other headers may name a tenant.
  const keyOf = ({ headers }: Request) => headers.get("x-key");
  const tenant: Guard = (request) => {
    if (![null, "acme"].includes(request.headers.get("x-tenant"))) {
      return new Response(null, { status: 404 });
    }
    return keyOf(request) === "k3y"
      ? undefined
      : new Response(null, { status: 401 });
  };
  const as = { "x-key": "k3y", "x-tenant": "acme" };
  assertEquals(await securityOf(tenant, { as }), []);
  assertEquals(
    await seenOf(
      (_token, request) => ["k3y", "q7q"].includes(keyOf(request)!),
      { "x-key": "k3y" },
    ),
    [`${WRONG}200`],
  );
});
