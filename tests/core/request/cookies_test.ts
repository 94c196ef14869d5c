/** Schemas of cookies (behaviour 7.10). */
import type { FolderContract } from "@bough/framework";
import { diffDocuments } from "@bough/framework/diff";
import { openapi, Problem } from "@bough/framework/openapi";
import { assertMatch as assertTag } from "@bough/framework/protect";
import { checkContracts } from "@bough/framework/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { Http2Client } from "../../support/http2.ts";
import { documentOf as validDocument } from "../../openapi/support.ts";
import { rawRequest } from "../../support/raw_http.ts";

const cookies = z.object({
  theme: z.enum(["light", "dark"]),
  name: z.string().optional(),
  constructor: z.string().optional(),
});
type Handling = NonNullable<TestModule["GET"]>;
const GET: Handling = ({ validated }) => Response.json(validated.cookies);
const FILES: Readonly<Record<string, TestModule>> = {
  "a/route.ts": { schema: { get: { cookies } }, GET },
  "all/route.ts": { schema: { get: { cookies: z.looseObject({}) } }, GET },
  "folder/middleware.ts": {
    contract: {
      cookies: z.object({ lang: z.string().default("en") }),
    } satisfies FolderContract,
  },
  "folder/route.ts": { schema: { get: { cookies } }, GET },
};

const ROWS: Readonly<
  Record<string, readonly [path: string, cookie: string, expected: unknown]>
> = {
  "a cookie": ["a", "theme=dark", { theme: "dark" }],
  "other cookies": ["a", "a=1; theme=dark; b", { theme: "dark" }],
  "the first of several": ["a", "theme=dark; theme=no", { theme: "dark" }],
  "escapes": ["a", "theme=dark; name=J%C3%BCrgen", {
    theme: "dark",
    name: "Jürgen",
  }],
  "no escapes": ["a", "theme=dark; name=50%", { theme: "dark", name: "50%" }],
  "quotation marks": ["a", 'theme="dark"; name=a"b', {
    theme: "dark",
    name: 'a"b',
  }],
  "an equals sign": ["a", "theme=dark; name=a=b=", {
    theme: "dark",
    name: "a=b=",
  }],
  "names as sent": ["a", "theme=dark; Name=x", { theme: "dark" }],
  "another space": ["all", "\u00a0a=1; a=2", { "Â\u00a0a": "1", a: "2" }],
  "any names": ["all", "toString=y;; =z; w=", {
    toString: "y",
    w: "",
  }],
  "no cookies": ["all", "", {}],
  "a contract": ["folder", "theme=dark; lang=de", {
    lang: "de",
    theme: "dark",
  }],
};

Deno.test("a schema of cookies gets the decoded cookies by name (behaviour 7.10)", async () => {
  await using server = await TestApplication.of(FILES).serve();
  for (const [name, [path, cookie, expected]] of Object.entries(ROWS)) {
    const head = `GET /api/${path} HTTP/1.1${cookie && `\ncookie: ${cookie}`}`;
    const { body } = await rawRequest(server.port, head);
    assertEquals(body, JSON.stringify(expected), name);
  }
  const missing = await rawRequest(server.port, "GET /api/a HTTP/1.1");
  assertEquals([missing.status, JSON.parse(missing.body).errors], [400, [{
    in: "cookies",
    pointer: "#/theme",
    detail: 'Invalid option: expected one of "light"|"dark"',
  }]]);
});

Deno.test("cookies in several fields of HTTP/2 are one list (behaviour 7.10)", async () => {
  await using server = await TestApplication.of(FILES).serve();
  await using client = new Http2Client(server.port);
  const cookie = ["a=1", "theme=dark"] as unknown as string;
  const { body } = await client.request({
    ":method": "GET",
    ":path": "/api/a",
    ":authority": "localhost",
    cookie,
  });
  assertEquals(JSON.parse(body), { theme: "dark" });
});

const SCHEME = { session: { type: "apiKey", in: "cookie", name: "session" } };
const info = { title: "a", version: "1" };

async function documentOf(schema: object) {
  const files = { "a/route.ts": { schema: { get: schema }, GET } };
  return (await validDocument(files)).document;
}

Deno.test("a document lists the cookies of a schema, and no header for all", async () => {
  const headers = z.object({ cookie: z.string(), "x-a": z.string() });
  const document = await documentOf({ headers, cookies });
  const { parameters } = document.paths["/api/a"]!.get!;
  assertEquals(
    parameters!.map((each) => [each.in, each.name, each.required]),
    [
      ["header", "x-a", true],
      ["cookie", "theme", true],
      ["cookie", "name", false],
      ["cookie", "constructor", false],
    ],
  );
  const before = await documentOf({
    cookies: z.object({ a: z.string().optional() }),
  });
  const changesOf = async (cookies: z.ZodType) =>
    (await diffDocuments(before, await documentOf({ cookies })))
      .map(({ place }) => place);
  assertEquals(await changesOf(z.object({ a: z.string().optional() })), []);
  assertEquals(await changesOf(z.object({})), ["cookies#/a"]);
  assertEquals(await changesOf(z.object({ a: z.string() })), ["cookies#/a"]);
  assertEquals(
    await changesOf(z.object({ a: z.string().max(3).optional() })),
    ["cookies#/a"],
  );
});

Deno.test("a schema may not check the cookie of a security scheme (behaviour 7.10)", async () => {
  const names = { session: z.string(), key: z.string() };
  const schema = { get: { cookies: z.object(names) } };
  const key = { type: "apiKey", in: "header", name: "key" };
  const securitySchemes = { ...SCHEME, key };
  const { app } = TestApplication.of(
    { "a/route.ts": { schema, GET } },
    { plugins: [openapi({ info, securitySchemes })] },
  );
  const { faults } = await app.inspect();
  assertEquals(faults.map(({ path, reason }) => `${path}: ${reason}`), [
    'a/route.ts: schema.get.cookies has "session", which a security scheme names; remove it, since the guard reads it, and sends 401',
  ]);
});

const themes = cookies.omit({ constructor: true });

/** An application whose users have a session, and whose pages have a theme. */
function themed(
  handler: Handling,
): Readonly<Record<string, TestModule>> {
  return {
    "middleware.ts": {
      contract: { security: [{ session: [] }], response: { 401: {} } },
      default: (request, next) =>
        /\bsession=ada\b/.test(request.headers.get("cookie") ?? "")
          ? next()
          : new Response(null, { status: 401 }),
    },
    "pages/route.ts": {
      schema: { get: { cookies: themes, response: { 200: themes } } },
      GET: handler,
    },
  };
}

const FAULTS: Readonly<
  Record<string, readonly [Handling, property: string]>
> = {
  "an error for one value": [({ validated }) => {
    if (validated.cookies.theme === "light") throw new Error("light");
    return Response.json(validated.cookies);
  }, "failure"],
  "an error without an optional cookie": [
    ({ validated: { cookies } }) =>
      Response.json({ ...cookies, name: cookies.name.trim() }),
    "failure",
  ],
  "a value that is not declared": [
    ({ validated }) => Response.json({ ...validated.cookies, theme: "blue" }),
    "declared",
  ],
};

Deno.test("the cookies of an identity replace those of a schema", async () => {
  const { app } = TestApplication.of(themed(GET), {
    plugins: [openapi({ info, securitySchemes: SCHEME })],
  });
  const sent = { theme: "light", session: "ada" };
  const { failures } = await checkContracts(app, {
    as: { cookie: "session=ada; theme=dark" },
    generators: { "GET /api/pages": { cookies: [sent] } },
    runs: 30,
    seed: 1,
  });
  assertEquals(failures, []);
});

Deno.test("contract tests change the representation that a cookie selects", async () => {
  const lang = z.enum(["en", "de"]).default("en");
  const text = z.string().max(5);
  const schema = {
    get: { cookies: z.object({ lang }) },
    patch: {
      cookies: z.object({ lang }),
      headers: z.object({ "if-match": z.string() }),
      body: z.object({ text }),
      response: { 200: z.object({ text }), 412: Problem },
    },
  };
  let [now, version] = ["", 0];
  const tagOf = ({ validated }: Parameters<Handling>[0]) =>
    `"${version}-${validated.cookies.lang}"`;
  const sent: Handling = (request) =>
    Response.json({ text: now }, { headers: { etag: tagOf(request) } });
  const { app } = TestApplication.of({
    "note/route.ts": {
      schema,
      GET: sent,
      PATCH(request) {
        assertTag(request, tagOf(request));
        if (now !== request.validated.body.text) version++;
        now = request.validated.body.text;
        return sent(request);
      },
    },
  });
  for (let seed = 1; seed <= 5; seed++) {
    const { failures } = await checkContracts(app, { seed, runs: 20 });
    assertEquals(failures, [], `seed ${seed}`);
  }
});

Deno.test("contract tests send and omit cookies together with the session", async () => {
  const check = (handler: Handling) => {
    const { app } = TestApplication.of(themed(handler), {
      plugins: [openapi({ info, securitySchemes: SCHEME })],
    });
    const as = { cookie: "session=ada" };
    return checkContracts(app, { as, runs: 30, seed: 1 });
  };
  const { failures, coverage } = await check(GET);
  assertEquals(failures, []);
  assertEquals(
    coverage!.flatMap(({ seen }) => seen).filter((each) => /cook/.test(each)),
    [
      'cookies/theme "light"',
      'cookies/theme "dark"',
      "cookies/name",
      "cookies/name absent",
    ],
  );
  for (const [name, [handler, property]] of Object.entries(FAULTS)) {
    using _log = new CapturedLog();
    const { failures: [failure] } = await check(handler);
    assertEquals(failure?.property, property, name);
    // A printed test sends the session, too.
    assertMatch(failure!.test, /"cookie": \[as\.cookie, "theme=\w+/);
  }
});
