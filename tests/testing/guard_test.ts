/** Without credentials, what is guarded is refused. */
import { assertEquals } from "@std/assert";
import { check } from "./support.ts";

const AS = { authorization: "Bearer test", "x-shop": "1" };

/** What is found of a route behind a guard, by the property `security` alone. */
async function securityOf(
  guard: string,
  { declared = "", schema = "", handler = "", as = AS } = {},
): Promise<(string | undefined)[][]> {
  const { failures } = await check({
    "middleware.js": `import { z } from "npm:zod@^4.1.13";
      export const contract = {
        security: [{ bearer: [] }],
        ${declared}
      };
      export default async (request, next) => {
        const isKnown = request.headers.get("authorization") === "Bearer test";
        ${guard}
        return next();
      };`,
    "a/route.js": `import { z } from "npm:zod@^4.1.13";
      export const schema = { get: { ${schema} } };
      export const GET = (request) => {
        ${handler}
        return new Response();
      };`,
  }, { properties: ["security"], as, runs: 3 });
  return failures.map(({ expected, seen, test, requests }) => [
    expected,
    seen,
    test.match(/^ {2}(assert.*)$/m)?.[1],
    requests.at(-1)?.method,
  ]);
}

const refuse = (status: number, condition = "!isKnown") =>
  `if (${condition}) return new Response(null, { status: ${status} });`;

Deno.test("a guard refuses by a 401 or a 403, whether they are declared or not", async () => {
  for (const status of [401, 403]) {
    assertEquals(await securityOf(refuse(status)), []);
    const declared = `response: { ${status}: {} },`;
    assertEquals(await securityOf(refuse(status), { declared }), []);
  }
});

Deno.test("a guard that lets anybody in, or refuses otherwise than declared, is found", async () => {
  const either = "a 401 or a 403, since no credentials were sent";
  const anyOf = "assert([401, 403].includes(response.status));";
  assertEquals(await securityOf(""), [[either, "a 200", anyOf, "GET"]]);
  assertEquals(
    await securityOf(refuse(404)),
    [[either, "a 404", anyOf, "GET"]],
  );
  assertEquals(
    await securityOf(refuse(401, '!isKnown && request.method === "GET"')),
    [[either, "a 200", anyOf, "HEAD"]],
  );
  const declared = "response: { 401: {} },";
  assertEquals(await securityOf(refuse(403), { declared }), [[
    "a 401, since no credentials were sent",
    "a 403",
    "assertEquals(response.status, 401);",
    "GET",
  ]]);
  const body = "response: { 401: z.object({ why: z.string() }) },";
  const [fault] = await securityOf(refuse(401), { declared: body });
  assertEquals(fault!.slice(0, 2), [
    "a 401 as declared",
    'a 401 that does not fit its schema: at "#" Invalid input: expected object, received undefined',
  ]);
});

Deno.test("a schema may ask for the credentials, too", async () => {
  const schema = "headers: z.object({ authorization: z.string() })";
  const guard = refuse(401, '!isKnown && request.headers.has("authorization")');
  assertEquals(await securityOf(guard, { schema }), []);
});

Deno.test("a guard that rejects anonymous requests to an open operation is found (behaviour 10.7)", async () => {
  const isOpen =
    "request.security.some((way) => Object.keys(way).length === 0)";
  const faultOf = (status: number) => [
    `a response other than ${status}, since the operation allows anonymous requests`,
    `a ${status}`,
    `assertNotEquals(response.status, ${status});`,
    "GET",
  ];
  for (const security of ["[]", "[{ bearer: [] }, {}]"]) {
    const schema = `security: ${security}`;
    const isEmpty = "request.security.length === 0";
    const reading = refuse(401, `!isKnown && !(${isEmpty} || ${isOpen})`);
    assertEquals(await securityOf(reading, { schema }), [], security);
    for (const status of [401, 403]) {
      assertEquals(
        await securityOf(refuse(status), { schema }),
        [faultOf(status)],
        security,
      );
    }
    assertEquals(
      await securityOf(refuse(401), { schema, as: {} as typeof AS }),
      [],
      "without credentials, nothing shows that the guard is the reason",
    );
    // A login rejects a wrong password, whatever the guard does.
    const handler = "return new Response(null, { status: 401 });";
    assertEquals(await securityOf(reading, { schema, handler }), [], security);
  }
  // A method that requires more than its folder is guarded like others.
  const schema = `security: [{ bearer: ["admin"] }]`;
  assertEquals(await securityOf(refuse(401), { schema }), []);
});

Deno.test("a guard that accepts wrong or malformed credentials is found", async () => {
  const seenOf = async (isKnown: string, as: unknown = AS) => {
    const found = await securityOf(
      `const token = request.headers.get("authorization") ?? "";
       if (!(${isKnown})) return new Response(null, { status: 401 });`,
      { as: as as typeof AS },
    );
    return found.map(([expected, seen]) => `${expected}: ${seen}`);
  };
  const wrong = "a 401 or a 403, since the credentials are wrong: a ";
  assertEquals(await seenOf('token === "Bearer test"'), []);
  for (
    const isKnown of [
      'token !== ""',
      'token.startsWith("Bearer") && token.length > 0',
      "token.length >= 8",
      '"Bearer test".startsWith(token) && token !== ""',
      'token.startsWith("Basic") || token === "Bearer test"',
    ]
  ) assertEquals(await seenOf(isKnown), [`${wrong}200`], isKnown);
  const crash =
    'token === "" ? false : (token.split(" ")[1].length, token === "Bearer test")';
  assertEquals(await seenOf(crash), [`${wrong}500`]);
  // A guard that only reads the claims of a token.
  const jwt = "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
  const claims =
    'JSON.parse(atob(token.slice(7).split(".")[1] ?? "bnVsbA==") || "null")?.sub === "a"';
  assertEquals(
    await seenOf(
      `(() => { try { return ${claims}; } catch { return false; } })()`,
      { authorization: jwt },
    ),
    [`${wrong}200`],
  );
  const expired = { alice: AS, expired: { authorization: "Bearer old" } };
  assertEquals(await seenOf('token === "Bearer test"', expired), []);
  assertEquals(
    await seenOf('token === "Bearer test" || token === "Bearer old"', expired),
    ["a 401 or a 403, since the credentials have expired: a 200"],
  );
  // RFC 6750, 3.1, allows 400 for malformed credentials.
  assertEquals(
    await securityOf(
      `const token = request.headers.get("authorization");
       if (token !== "Bearer test") return new Response(null, { status: token && !token.startsWith("Bearer ") ? 400 : 401 });`,
    ),
    [],
  );
  // A token without a scheme is not sent as a scheme.
  const raw = { authorization: "s3cret-t0ken" };
  assertEquals(await seenOf('token === "s3cret-t0ken"', raw), []);
  // Other headers may name a tenant.
  const isKnown =
    `request.headers.get("x-key") === "k3y" || request.headers.get("x-key") === "q7q"`;
  const key = { "x-key": "k3y", "x-tenant": "acme" };
  const tenant =
    `if (![null, "acme"].includes(request.headers.get("x-tenant"))) return new Response(null, { status: 404 });
     const isKnown2 = request.headers.get("x-key") === "k3y";
     if (!isKnown2) return new Response(null, { status: 401 });`;
  assertEquals(await securityOf(tenant, { as: key as never }), []);
  assertEquals(
    await seenOf(isKnown, { "x-key": "k3y" }),
    [`${wrong}200`],
  );
});
