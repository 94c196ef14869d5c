import { HttpError, type HttpErrorOptions } from "@bough/framework";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { problem } from "../../../src/core/errors.ts";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { HOSTILE } from "../../support/hostile.ts";
import { INTERNAL, throwing } from "./support.ts";

/** Handlers that break their contract, each with its error in the log. */
const BROKEN: Readonly<
  Record<string, readonly [handler: () => unknown, log: string]>
> = {
  "throws": [() => {
    throw new Error("secret x");
  }, "Error: secret x"],
  "rejects": [() => Promise.reject(new Error("secret")), "Error: secret"],
  "throws-text": [() => {
    throw "secret";
  }, "secret"],
  "throws-nothing": [() => {
    throw undefined;
  }, "undefined"],
  "returns-object": [
    () => ({ a: 1 }),
    "must return a Response, but this one returned an object of class Object",
  ],
  "returns-nothing": [() => {}, "but this one returned undefined"],
  "returns-null": [() => null, "but this one returned null"],
  "returns-text": [() => "x", "but this one returned a string"],
  "resolves-object": [() => Promise.resolve({}), "returned an object"],
};

Deno.test("if a handler is broken, Bough responds with 500, hides the reason, and logs one line (behaviour 8.2, 8.6)", async () => {
  const application = TestApplication.of(Object.fromEntries(
    Object.entries(BROKEN).map(([name, [GET]]) =>
      [`${name}/[id]/route.ts`, { GET }] as const
    ),
  ));
  await using server = await application.serve();
  for (const [name, [, text]] of Object.entries(BROKEN)) {
    using log = new CapturedLog();
    const response = await fetch(server.url(`/api/${name}/1`));
    assertEquals(response.status, 500, name);
    assertEquals(
      response.headers.get("content-type"),
      "application/problem+json",
    );
    assertEquals(await response.json(), INTERNAL, name);
    assertEquals(log.lines.length, 1, name);
    const start = `[bough] GET /api/${name}/[id] (${name}/[id]/route.ts) `;
    assertStringIncludes(log.lines[0]!, start);
    assertStringIncludes(log.lines[0]!, text);
  }
});

/** Values that have the class of an error for clients, but not its members. */
const HOLLOW: Readonly<Record<string, () => unknown>> = {
  "no constructor": () => Object.create(HttpError.prototype),
  "a status of success": () =>
    Object.assign(Object.create(HttpError.prototype), { status: 200 }),
  "a string as its status": () =>
    Object.assign(Object.create(HttpError.prototype), { status: "404" }),
  "an unknown status": () =>
    Object.defineProperty(new HttpError(404), "status", { value: 604 }),
  "a status that throws": () =>
    Object.defineProperty(new HttpError(404), "status", {
      get() {
        throw 1;
      },
    }),
};

for (const [name, create] of Object.entries(HOLLOW)) {
  Deno.test(`Bough responds to an HttpError with ${name} with 500 (behaviour 8.2)`, async () => {
    using log = new CapturedLog();
    const application = TestApplication.of({ "route.ts": throwing(create) });
    const response = await application.fetch("/api");
    assertEquals(response.status, 500);
    assertEquals(await response.json(), INTERNAL);
    assert(
      log.lines.some((line) =>
        line.startsWith("[bough] GET /api (route.ts) failed: ")
      ),
    );
  });
}

Deno.test("the log line of a thrown error has its file and its stack (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": "export function GET() { null.x; }",
  });
  await (await application.fetch("/api")).body?.cancel();
  const [line] = log.lines;
  assert(
    /^\[bough\] GET \/api \(.*api\/route\.js\) failed: /.test(line!),
    line,
  );
  assert(/route\.js:1:\d+/.test(line!), line);
});

/** Creates responses whose bodies Deno keeps in different ways. */
const BODIES: Readonly<Record<string, () => Response>> = {
  "text": () => new Response("x"),
  "empty text": () => new Response(""),
  "json": () => Response.json({ a: 1 }),
  "json with a status": () => Response.json({ a: 1 }, { status: 201 }),
  "text with headers": () => new Response("x", { headers: { a: "b", c: "d" } }),
  "bytes": () => new Response(new Uint8Array(3)),
  "a blob": () => new Response(new Blob(["x"])),
  "a form": () => new Response(new URLSearchParams("a=b")),
  "a stream": () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(3));
          controller.close();
        },
      }),
    ),
  "a clone": () => new Response("x").clone(),
};

const pass: TestModule = { default: (_request, next) => next() };

/** Makes handlers whose second response, at the latest, cannot be sent. */
const UNSENDABLE: Readonly<
  Record<
    string,
    readonly [
      message: string,
      handlerOf: (create: () => Response) => () => Response | Promise<Response>,
    ]
  >
> = {
  "was sent": ["already used", (create) => {
    const response = create();
    return () => response;
  }],
  "was read": ["already used", (create) => async () => {
    const response = create();
    await response.bytes();
    return response;
  }],
  "was read later": ["already used", (create) => async () => {
    const response = create();
    await Promise.resolve();
    response.bytes();
    return response;
  }],
  "is locked": ["locked", (create) => () => {
    const response = create();
    response.body!.getReader();
    return response;
  }],
};

for (const [name, [message, handlerOf]] of Object.entries(UNSENDABLE)) {
  Deno.test(`if the body of a response ${name}, validateResponses responds with 500, and logs the route (behaviour 8.8)`, async () => {
    for (const [body, create] of Object.entries(BODIES)) {
      const GET = handlerOf(create);
      const application = TestApplication.of({
        "[id]/route.ts": { GET },
        "guarded/middleware.ts": pass,
        "guarded/route.ts": { GET },
      }, { validateResponses: true });
      await using server = await application.serve();
      {
        using _log = new CapturedLog();
        await (await fetch(server.url("/api/7"))).body?.cancel();
      }
      for (
        const [path, pattern] of [
          ["/api/7", "/api/[id]"],
          ["/api/guarded", "/api/guarded"],
        ] as const
      ) {
        using log = new CapturedLog();
        const response = await fetch(server.url(path));
        assertEquals(response.status, 500, body);
        assertEquals(await response.json(), INTERNAL, body);
        assertEquals(log.lines.length, 1, body);
        assertStringIncludes(log.lines[0]!, `GET ${pattern} (`);
        assertStringIncludes(log.lines[0]!, `body was ${message}`);
      }
    }
  });
}

Deno.test("validateResponses accepts a response that a nested application has checked (behaviour 8.8)", async () => {
  const inner = TestApplication.of({
    "route.ts": { GET: () => Response.json("inner") },
  }, { validateResponses: true });
  const outer = TestApplication.of({
    "new/route.ts": { GET: () => inner.fetch("/api") },
    "route.ts": { GET: (request) => inner.app.fetch(request, request.info) },
  }, { validateResponses: true });
  await using server = await outer.serve();
  for (const path of ["/api/new", "/api"]) {
    assertEquals(await (await fetch(server.url(path))).json(), "inner");
  }
});

Deno.test("validateResponses responds to Response.error() with 500, and logs the route (behaviour 8.8)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "route.ts": { GET: () => Response.error() },
  }, { validateResponses: true });
  assertEquals((await application.fetch("/api")).status, 500);
  assertStringIncludes(log.lines[0]!, "GET /api (route.ts) failed");
  assertStringIncludes(log.lines[0]!, "Response.error(), which cannot be sent");
});

Deno.test("Response.error() of a deprecated method, or below middleware, is named in the log (behaviour 8.8)", async () => {
  const schema = { get: { deprecated: { since: "2026-07-01" } } };
  const application = TestApplication.of({
    "old/route.ts": { schema, GET: () => Response.error() },
    "guarded/middleware.ts": pass,
    "guarded/route.ts": { GET: () => Response.error() },
  });
  await using server = await application.serve();
  for (const path of ["/api/old", "/api/guarded"]) {
    using log = new CapturedLog();
    const response = await fetch(server.url(path));
    assertEquals(response.status, 500);
    await response.body?.cancel();
    assertStringIncludes(log.lines.join(), "handler returned Response.error()");
  }
});

Deno.test("a checked response keeps its length, even if middleware sets a header", async () => {
  const application = TestApplication.of({
    "middleware.ts": {
      default: async (_request, next) => {
        const response = await next();
        response.headers.set("x-served-by", "bough");
        return response;
      },
    },
    "route.ts": { GET: () => Response.json("a") },
  }, { validateResponses: true });
  await using server = await application.serve();
  const response = await fetch(server.url("/api"));
  assertEquals(response.headers.get("content-length"), "3");
  assertEquals(await response.json(), "a");
});

Deno.test("if Deno cannot send a response, app.serve() responds with 500, and logs the error of Deno (behaviour 8.8)", async () => {
  const [, sentTwice] = UNSENDABLE["was sent"]!;
  const [, read] = UNSENDABLE["was read"]!;
  const handlers = {
    ...Object.fromEntries(
      Object.entries(BODIES).flatMap(([name, create]) => [
        [`sent twice: ${name}`, sentTwice(create)] as const,
        [`read: ${name}`, read(create)] as const,
      ]),
    ),
    "locked": UNSENDABLE["is locked"]![1](BODIES["a stream"]!),
    "thrown": async () => {
      throw await read(BODIES.text!)();
    },
    "an error": () => Response.error(),
  };
  for (const [name, GET] of Object.entries(handlers)) {
    // Middleware gets a copy of an error, which cannot be made.
    for (const isGuarded of name === "an error" ? [false] : [false, true]) {
      const application = TestApplication.of({
        ...(isGuarded && { "middleware.ts": pass }),
        "route.ts": { GET },
      });
      await using server = await application.serve();
      using log = new CapturedLog();
      const url = server.url("/api");
      await (await fetch(url)).body?.cancel();
      const response = await fetch(url);
      assertEquals(response.status, 500, name);
      assertEquals(await response.json(), INTERNAL, name);
      const line = log.lines.at(-1)!;
      assertStringIncludes(line, "[bough] a response could not be sent: ");
      const logged = log.lines.length;
      const head = await fetch(url, { method: "HEAD" });
      assertEquals([head.status, await head.text()], [500, ""], name);
      assert(log.lines.length > logged, name);
    }
  }
});

Deno.test("a response without a body may be sent again", async () => {
  using log = new CapturedLog();
  const response = new Response(null, { status: 204 });
  const application = TestApplication.of({
    "route.ts": { GET: () => response },
  });
  await using server = await application.serve();
  for (let round = 0; round < 3; round++) {
    assertEquals((await fetch(server.url("/api"))).status, 204);
  }
  assertEquals(log.lines, []);
});

Deno.test("if a thrown value cannot be inspected, Bough responds with 500, and logs the route (behaviour 8.2, 8.5)", async () => {
  const route: TestModule = {
    GET({ params }) {
      throw HOSTILE[params.name!];
    },
    PUT: ({ params }) => Promise.reject(HOSTILE[params.name!]),
    async POST(request) {
      await request.json();
      throw HOSTILE[request.params.name!];
    },
  };
  for (const onError of [undefined, () => undefined]) {
    const application = TestApplication.of({
      "[name]/route.ts": route,
      "guarded/middleware.ts": pass,
      "guarded/[name]/route.ts": route,
    }, { ...(onError && { onError }) });
    await using server = await application.serve();
    for (const name of Object.keys(HOSTILE)) {
      for (const folder of ["", "guarded/"]) {
        for (const method of ["GET", "PUT", "POST"]) {
          using log = new CapturedLog();
          const url = server.url(`/api/${folder}${encodeURIComponent(name)}`);
          const response = await fetch(url, {
            method,
            ...(method === "POST" && { body: "{}" }),
          });
          assertEquals(response.status, 500, name);
          assertEquals(await response.json(), INTERNAL, name);
          assertEquals(log.lines.length, 1, log.lines.join("\n"));
          const place = `[bough] ${method} /api/${folder}[name] (`;
          assert(log.lines[0]!.startsWith(place), log.lines[0]);
        }
      }
    }
  }
});

Deno.test("Bough responds to a thrown HttpError with a problem document (behaviour 8.1, 8.2)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "full/route.ts": {
      async GET() {
        await Promise.resolve();
        throw new HttpError(409, "Stock is out", {
          headers: { "retry-after": "5", "content-type": "text/plain" },
          cause: new Error("secret"),
          left: 0,
          type: "https://example.com/problems/stock",
          status: 200,
        } as HttpErrorOptions);
      },
    },
    "bare/route.ts": throwing(() => new HttpError(418)),
    "odd/route.ts": throwing(() => new HttpError(499, "x")),
    "unprintable/route.ts": throwing(() => new HttpError(400, "x", { n: 1n })),
  });
  const full = await application.fetch("/api/full");
  assertEquals(full.status, 409);
  assertEquals(full.headers.get("retry-after"), "5");
  assertEquals(full.headers.get("content-type"), "application/problem+json");
  assertEquals(await full.json(), {
    type: "https://example.com/problems/stock",
    title: "Conflict",
    status: 409,
    detail: "Stock is out",
    left: 0,
  });
  const bare = await application.fetch("/api/bare");
  assertEquals(await bare.json(), {
    type: "about:blank",
    title: "I'm a teapot",
    status: 418,
  });
  const odd = await application.fetch("/api/odd");
  assertEquals((await odd.json()).title, "Error");
  assertEquals(log.lines, []);
  const unprintable = await application.fetch("/api/unprintable");
  assertEquals(unprintable.status, 400);
  assertEquals(log.lines.length, 1);
});

Deno.test("new HttpError() rejects other statuses than 400 to 599", () => {
  for (const status of [200, 302, 399, 600, 404.5, NaN]) {
    assertThrows(
      () => new HttpError(status),
      RangeError,
      `status must be 400 to 599, got ${status}`,
    );
  }
  assertEquals(new HttpError(404).message, "HTTP status 404");
  assertEquals(new HttpError(404, "gone").message, "gone");
});

Deno.test("a thrown Response is sent unchanged (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  const application = TestApplication.of({
    "route.ts": throwing(() =>
      new Response("moved", { status: 303, headers: { location: "/x" } })
    ),
  });
  const response = await application.fetch("/api");
  assertEquals(response.status, 303);
  assertEquals(response.headers.get("location"), "/x");
  assertEquals(await response.text(), "moved");
  assertEquals(log.lines, []);
});

Deno.test("HttpError rejects an option named header, and suggests headers", () => {
  assertThrows(
    // JavaScript can pass this; the types reject it.
    () =>
      new HttpError(404, "none", {
        header: { "retry-after": "1" },
      } as unknown as HttpErrorOptions),
    TypeError,
    'name it "headers"',
  );
  assertEquals(new HttpError(404, "none", { id: 1 }).extensions, { id: 1 });
});

Deno.test("an extension member cannot replace the problem document", async () => {
  const toJSON = () => ({ everything: "else" });
  for (
    const [extensions, expected] of [
      [{ toJSON, id: 1 }, { id: 1 }],
      [{ ["__proto__"]: { toJSON }, id: 1 }, {
        ["__proto__"]: { everything: "else" },
        id: 1,
      }],
      [{ toJSON: "a text" }, { toJSON: "a text" }],
      [{ nested: { toJSON } }, { nested: { everything: "else" } }],
    ] as const
  ) {
    const response = problem(new HttpError(404, "none", extensions));
    assertEquals(
      await response.text(),
      JSON.stringify({
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "none",
        ...expected,
      }),
    );
  }
});
