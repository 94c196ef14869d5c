import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import * as v from "valibot";
import { Framework, RouteError } from "@bough/framework";
import {
  openapi,
  type OpenApiOptions,
  Problem,
  type ProblemDocument,
} from "@bough/framework/openapi";
import {
  behindPrefix,
  CapturedLog,
  TestApplication,
  TestServer,
} from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { type Files, handler, routeOf } from "./support.ts";

const INFO = { title: 'A <b> & c & "d"', version: "1.0.0" };
const FILES: Files = {
  "route.ts": routeOf({ get: { query: v.object({}) } }),
};

function create(
  options: Partial<OpenApiOptions> = {},
  lazy = false,
): TestApplication {
  const plugins = [openapi({ info: INFO, ...options })];
  return TestApplication.of(FILES, { plugins, lazy });
}

for (const lazy of [false, true]) {
  Deno.test(`openapi() creates the document once (lazy: ${lazy})`, async () => {
    const application = create({}, lazy);
    using log = new CapturedLog();
    const first = await application.fetch("/openapi.json");
    assertEquals(first.status, 200);
    assertEquals(first.headers.get("content-type"), "application/json");
    const text = await first.text();
    assertEquals(JSON.parse(text).openapi, "3.1.0");
    assertEquals(Object.keys(JSON.parse(text).paths), ["/api"]);
    const second = await application.fetch("/openapi.json");
    assertEquals(await second.text(), text);
    assertEquals(log.lines.length, 1, "the warning comes once");
    assertMatch(
      log.lines[0]!,
      /^\[bough\] OpenAPI: "route\.ts": schema\.get\.query has no JSON Schema: /,
    );
  });
}

Deno.test("the error of clashing paths names openapi()", async () => {
  const plugins = [openapi({ info: INFO }), openapi({ info: INFO })];
  const { app } = TestApplication.of(FILES, { plugins });
  await assertRejects(
    () => app.start(),
    RouteError,
    '"plugin openapi" would serve the same URLs, "/docs"',
  );
});

Deno.test("openapi() compares the tags of If-None-Match weakly (RFC 9110, 13.1.2)", async () => {
  const application = create();
  using _ = new CapturedLog();
  for (const path of ["/openapi.json", "/docs", "/docs/start.js"]) {
    const first = await application.fetch(path);
    const etag = first.headers.get("etag")!;
    await first.body?.cancel();
    const inner = etag.slice(1, -1);
    for (
      const [value, status] of [
        [etag, 304],
        [`W/${etag}`, 304],
        [`"a,b", ${etag}`, 304],
        [`"x"\t ,\t${etag} , ,W/"y"`, 304],
        [`,,${etag},,`, 304],
        ["*", 304],
        [` * `, 304],
        [`"*"`, 200],
        [`*, "x"`, 200],
        [inner, 200],
        [`"${inner}x"`, 200],
        [`"x${inner}"`, 200],
        [`"${inner.toUpperCase()}"`, 200],
        ["", 200],
        ['"', 200],
      ] as const
    ) {
      const headers = { "if-none-match": value };
      const response = await application.fetch(path, { headers });
      const { length } = await response.text();
      assertEquals(
        [response.status, response.headers.get("etag"), length > 0],
        [status, etag, status === 200],
        value,
      );
    }
  }
});

Deno.test("openapi() serves the page with all of its files", async () => {
  const application = create({
    servers: [{ url: "/" }, { url: "https://api.example.com/v1" }],
  });
  const page = await application.fetch("/docs");
  assertEquals(page.headers.get("content-type"), "text/html; charset=utf-8");
  const html = await page.text();
  assertStringIncludes(
    html,
    "<title>A &lt;b> &amp; c &amp; &quot;d&quot;</title>",
  );
  assertEquals(
    html.includes("http"),
    false,
    "the page loads nothing from another origin",
  );
  assertEquals(
    page.headers.get("content-security-policy"),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self' https://api.example.com; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assertEquals(page.headers.get("referrer-policy"), "no-referrer");
  assertEquals(page.headers.get("cache-control"), "no-cache");
  const types: (string | null)[] = [];
  for (const [, path] of html.matchAll(/(?:src|href|shown)="([^":]+)"/g)) {
    const { status, headers, body } = await application.fetch(`/${path}`);
    await body?.cancel();
    assertEquals(
      [status, headers.has("etag"), headers.get("x-content-type-options")],
      [200, true, "nosniff"],
      path,
    );
    types.push(headers.get("content-type"));
  }
  assertEquals(
    types,
    ["text/css", "text/css", "text/javascript", "text/javascript"]
      .concat("application/json").map((type) => `${type}; charset=utf-8`),
  );
  assertEquals((await application.fetch("/docs/other.js")).status, 404);
});

Deno.test("openapi() serves the document and the page at the paths in its options", async () => {
  using _ = new CapturedLog();
  const application = create({
    path: "/meta/api.json",
    docs: "/meta/docs",
  });
  assertEquals((await application.fetch("/openapi.json")).status, 404);
  const html = await (await application.fetch("/meta/docs")).text();
  const paths = urlsIn(html, "http://localhost/meta/docs")
    .map((url) => url.slice("http://localhost".length));
  assertEquals(paths, [
    "/meta/docs/swagger-ui.css",
    "/meta/docs/style.css",
    "/meta/docs/swagger-ui.js",
    "/meta/docs/start.js",
    "/",
    "/meta/api.json",
    "/meta/docs/document.json",
  ]);
  const without = create({ docs: false });
  assertEquals((await without.fetch("/docs")).status, 404);
});

/** The URLs to which a page refers, as a browser resolves them. */
function urlsIn(html: string, base: string): string[] {
  return html.matchAll(/(?:src|href|data-\w+)="([^":]+)"/g)
    .map(([, url]) => new URL(url!, base).href).toArray();
}

Deno.test("the page works behind a proxy that strips a prefix", async () => {
  using _ = new CapturedLog();
  for (const docs of ["/docs", "/meta/docs"]) {
    const { app } = create({ docs });
    await using server = await TestServer.start(app);
    await using proxy = behindPrefix(server, "/shop");
    const prefix = proxy.url("/shop");
    for (const end of ["", "/", "//"]) {
      const response = await fetch(prefix + docs + end);
      assertEquals([response.status, response.url], [200, prefix + docs]);
      const urls = urlsIn(await response.text(), response.url);
      assert(urls.length > 5);
      for (const url of urls) {
        const isRoot = url === `${prefix}/`;
        const response = await fetch(isRoot ? `${url}api` : url);
        await response.body?.cancel();
        assertEquals(response.status, 200, url);
      }
    }
  }
});

Deno.test("openapi() rejects malformed paths", () => {
  for (const path of ["docs", "/docs/", "/", "", "/a b", "/[id]", "//a"]) {
    assertThrows(
      () => openapi({ info: INFO, path }),
      TypeError,
      `path must be a path such as "/docs", got "${path}"`,
    );
    assertThrows(() => openapi({ info: INFO, docs: path }), TypeError, "docs");
  }
});

Deno.test("openapi() rejects options of an invalid document", () => {
  const refused: readonly (readonly [
    option: string,
    value: unknown,
    fault: string,
  ])[] = [
    ...[undefined, null, "Shop", []].map((info) =>
      [
        "info",
        info,
        ' must be an object such as { title: "Shop", version: "1.0.0" }',
      ] as const
    ),
    ["info", { title: "Shop" }, ".version must be a string, got undefined"],
    ["info", { version: "1.0.0" }, ".title must be a string"],
    ["info", { title: "Shop", version: 1 }, ".version must be a string, got 1"],
    ["info", { title: 1, version: "1.0.0" }, ".title must be a string"],
    ["securitySchemes", "bearer", " must be an object of schemes, such as"],
    ["securitySchemes", [], " must be an object of schemes"],
    ["securitySchemes", { bearer: "http" }, ".bearer must be an object"],
    ["securitySchemes", { bearer: null }, ".bearer must be an object"],
    ["security", "bearer", " must be an array of objects, such as [{ bearer:"],
    ["security", { bearer: [] }, " must be an array of objects"],
    ["security", ["bearer"], "[0] must be an object, such as { bearer: [] }"],
    ["security", [{ bearer: true }], "[0].bearer must be an array of strings"],
    ["security", [{ bearer: [1] }], "[0].bearer[0] must be a string"],
    ["servers", "/", " must be an array of objects, such as [{ url:"],
    ["servers", {}, " must be an array of objects"],
    ["servers", ["/"], '[0] must be { url: "https://api.example.com" }'],
    ["servers", [{}], "[0].url must be a string, got undefined"],
    ["servers", [{ url: 1 }], "[0].url must be a string"],
    ["tags", "books", ' must be an array of objects, such as [{ name: "books"'],
    ["tags", ["books"], '[0] must be { name: "books" }'],
    ["tags", [{}], "[0].name must be a string"],
    ["tags", [{ name: 1 }], "[0].name must be a string"],
  ];
  for (const [option, value, fault] of refused) {
    const options = {
      info: INFO,
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      [option]: value,
    };
    assertThrows(
      () => openapi(options as unknown as OpenApiOptions),
      TypeError,
      `Cannot create the OpenAPI document: ${option}${fault}`,
      JSON.stringify(options),
    );
  }
  assertThrows(
    () => openapi({} as OpenApiOptions),
    TypeError,
    "Cannot create the OpenAPI document: info must be an object",
  );
});

Deno.test("openapi() creates the document again after a failure", async () => {
  let isBroken = true;
  const manifest = {
    "route.ts": { GET: handler },
    "broken/route.ts": () =>
      isBroken
        ? Promise.reject(new Error("broken"))
        : Promise.resolve({ GET: handler }),
  };
  const plugins = [openapi({ info: INFO })];
  const application = new TestApplication(new Framework({ manifest, plugins }));
  using _ = new CapturedLog();
  using clock = new FakeClock();
  assertEquals((await application.fetch("/openapi.json")).status, 500);
  isBroken = false;
  // Bough retries a failed import a second later (behaviour 9.4).
  clock.tick(1_001);
  const response = await application.fetch("/openapi.json");
  assertEquals(Object.keys((await response.json()).paths), [
    "/api",
    "/api/broken",
  ]);
});

Deno.test("Problem accepts only problem documents", () => {
  const { validate } = Problem["~standard"];
  const problem = { type: "about:blank", title: "Not Found", status: 404 };
  const extended: ProblemDocument = Object.assign({ more: 1 }, problem);
  assertEquals(validate(extended), { value: extended });
  for (
    const [value, message] of [
      [undefined, "must be an object"],
      [{}, '"type" must be a string'],
      [{ ...problem, title: 1 }, '"title" must be a string'],
      [{ ...problem, status: "404" }, '"status" must be a whole number'],
    ]
  ) {
    assertEquals(validate(value), { issues: [{ message: message as string }] });
  }
});
