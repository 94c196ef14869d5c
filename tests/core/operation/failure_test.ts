import { HttpError, type HttpErrorOptions } from "@bough/framework";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  CapturedLog,
  FolderApplication,
  TestApplication,
  type TestModule,
} from "../../support/application.ts";
import { HOSTILE } from "../../support/hostile.ts";
import { INTERNAL, throwing } from "./support.ts";

const fail = (create: () => unknown) => throwing(create).GET!;

/** Handlers that break their contract, each with its error in the log. */
const BROKEN: Readonly<
  Record<string, readonly [NonNullable<TestModule["GET"]>, log: string]>
> = {
  "throws": [fail(() => new Error("secret x")), "Error: secret x"],
  "rejects": [() => Promise.reject(new Error("secret")), "Error: secret"],
  "throws-text": [fail(() => "secret"), "secret"],
  "throws-nothing": [fail(() => undefined), "undefined"],
  "returns-object": [
    () => ({ a: 1 }),
    "must return a Response, but this one returned an object of class Object; return Response.json(value)",
  ],
  "returns-list": [() => [], "class Array; return Response.json(value)"],
  "returns-class": [() => new Map(), "returned an object of class Map\n"],
  "returns-hollow": [() => Object.create(null), "returned a object\n"],
  "returns-odd": [() => Object.create({ constructor: 5 }), "a object\n"],
  "returns-function": [() => () => {}, "returned a function\n"],
  "returns-nothing": [
    () => {},
    'but this one returned undefined; is a "return" missing?',
  ],
  "returns-null": [() => null, "but this one returned null\n"],
  "returns-text": [() => "x", "but this one returned a string\n"],
  "resolves-object": [() => Promise.resolve({}), "returned an object"],
  // Values with the class of an error for clients, but without its members.
  ...Object.fromEntries(
    [
      () => Object.create(HttpError.prototype),
      () => Object.assign(Object.create(HttpError.prototype), { status: 200 }),
      () =>
        Object.assign(Object.create(HttpError.prototype), { status: "404" }),
      () => Object.defineProperty(new HttpError(404), "status", { value: 604 }),
      () =>
        Object.defineProperty(new HttpError(404), "status", {
          get() {
            throw 1;
          },
        }),
    ].map((
      create,
      index,
    ) => [`throws-hollow-${index}`, [fail(create), "failed: "]]),
  ),
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
    assertEquals([response.status, response.headers.get("content-type")], [
      500,
      "application/problem+json",
    ], name);
    assertEquals(await response.json(), INTERNAL, name);
    const start = `[bough] GET /api/${name}/[id] (${name}/[id]/route.ts) `;
    const lines = log.lines.filter((line) => line.startsWith(start));
    assert(lines.length > 0, name);
    // Bough also logs that it cannot read a hollow error.
    if (!name.includes("hollow")) assertEquals(log.lines.length, 1, name);
    assertStringIncludes(`${lines[0]}\n`, text, name);
  }
});

Deno.test("the log line of a thrown error has its file and its stack (behaviour 8.2)", async () => {
  using log = new CapturedLog();
  await using application = await FolderApplication.create({
    "route.js": "export function GET() { null.x; }",
  });
  await (await application.fetch("/api")).body?.cancel();
  assertMatch(
    log.lines[0]!,
    /^\[bough\] GET \/api \(.*api\/route\.js\) failed: [^]*route\.js:1:\d+/,
  );
});

type Create = () => Response;

/** Creates responses whose bodies Deno keeps in different ways. */
const BODIES: Readonly<Record<string, Create>> = {
  "text": () => new Response("x"),
  "empty-text": () => new Response(""),
  "json": () => Response.json({ a: 1 }),
  "json-with-a-status": () => Response.json({ a: 1 }, { status: 201 }),
  "text-with-headers": () => new Response("x", { headers: { a: "b", c: "d" } }),
  "bytes": () => new Response(new Uint8Array(3)),
  "a-blob": () => new Response(new Blob(["x"])),
  "a-form": () => new Response(new URLSearchParams("a=b")),
  "a-stream": () => new Response(ReadableStream.from([new Uint8Array(3)])),
  "a-clone": () => new Response("x").clone(),
};

const pass: TestModule = { default: (_request, next) => next() };

/** Makes handlers whose second response, at the latest, cannot be sent. */
const UNSENDABLE = {
  "was sent": (create: Create) => {
    const response = create();
    return () => response;
  },
  "was read": (create: Create) => async () => {
    const response = create();
    await response.bytes();
    return response;
  },
  "was read later": (create: Create) => async () => {
    const response = create();
    await Promise.resolve();
    response.bytes();
    return response;
  },
  "is locked": (create: Create) => () => {
    const response = create();
    response.body!.getReader();
    return response;
  },
};

for (const [name, handlerOf] of Object.entries(UNSENDABLE)) {
  const files = Object.fromEntries(
    Object.entries(BODIES).flatMap(([body, create]) => [
      ["guarded/middleware.ts", pass],
      [`${body}/route.ts`, { GET: handlerOf(create) }],
      [`guarded/${body}/route.ts`, { GET: handlerOf(create) }],
    ]),
  );
  const paths = Object.keys(BODIES)
    .flatMap((body) => [`/api/${body}`, `/api/guarded/${body}`]);

  Deno.test(`if the body of a response ${name}, validateResponses responds with 500, and logs the route (behaviour 8.8)`, async () => {
    const application = TestApplication.of(files, { validateResponses: true });
    await using server = await application.serve();
    for (const path of paths) {
      using log = new CapturedLog();
      await (await fetch(server.url(path))).body?.cancel();
      log.lines.splice(0);
      const response = await fetch(server.url(path));
      assertEquals(response.status, 500, path);
      assertEquals(await response.json(), INTERNAL, path);
      assertEquals(log.lines.length, 1, path);
      assertStringIncludes(log.lines[0]!, `GET ${path} (`);
      assertStringIncludes(
        log.lines[0]!,
        `body was ${name === "is locked" ? "locked" : "already used"}`,
      );
    }
  });

  Deno.test(`if the body of a response ${name}, Deno cannot send it, so app.serve() responds with 500, and logs the error of Deno (behaviour 8.8)`, async () => {
    const application = TestApplication.of(files);
    await using server = await application.serve();
    for (const path of paths) {
      // Deno sends a string while it is read.
      const isSent = name === "was read later" || name === "is locked";
      if (isSent && !path.includes("stream")) continue;
      using log = new CapturedLog();
      const url = server.url(path);
      await (await fetch(url)).body?.cancel();
      const response = await fetch(url);
      assertEquals(response.status, 500, path);
      assertEquals(await response.json(), INTERNAL, path);
      const line = log.lines.at(-1)!;
      assertStringIncludes(line, "[bough] a response could not be sent: ");
      const logged = log.lines.length;
      const head = await fetch(url, { method: "HEAD" });
      assertEquals([head.status, await head.text()], [500, ""], path);
      assert(log.lines.length > logged, path);
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

Deno.test("Response.error() and a thrown response that was read get a 500, and the log names the handler if Bough checks or copies the response (behaviour 8.8)", async () => {
  const GET = () => Response.error();
  const schema = { get: { deprecated: { since: "2026-07-01" } } };
  for (const validateResponses of [false, true]) {
    const application = TestApplication.of({
      "plain/route.ts": { GET },
      "thrown/route.ts": {
        async GET() {
          throw await UNSENDABLE["was read"](BODIES.text!)();
        },
      },
      "old/route.ts": { schema, GET },
      "guarded/middleware.ts": pass,
      "guarded/route.ts": { GET },
    }, { validateResponses });
    await using server = await application.serve();
    for (const name of ["old", "guarded", "plain", "thrown"]) {
      using log = new CapturedLog();
      const response = await fetch(server.url(`/api/${name}`));
      assertEquals(await response.json(), INTERNAL, name);
      const text = log.lines.join();
      if (name === "thrown" || name === "plain" && !validateResponses) {
        assertStringIncludes(text, "[bough] a response could not be sent: ");
        continue;
      }
      const message = "handler returned Response.error(), which cannot be sent";
      assertStringIncludes(text, message);
      if (!validateResponses) continue;
      assertStringIncludes(text, `GET /api/${name} (${name}/route.ts) failed`);
    }
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
  for (const options of [{}, { onError: () => undefined }]) {
    const { app } = TestApplication.of({
      "[name]/route.ts": route,
      "guarded/middleware.ts": pass,
      "guarded/[name]/route.ts": route,
    }, options);
    for (const name of Object.keys(HOSTILE)) {
      for (const folder of ["", "guarded/"]) {
        for (const method of ["GET", "PUT", "POST"]) {
          using log = new CapturedLog();
          const url = `http://h/api/${folder}${encodeURIComponent(name)}`;
          const body = method === "POST" ? "{}" : null;
          const response = await app.fetch(new Request(url, { method, body }));
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

Deno.test("Bough responds to a thrown HttpError with a problem document, and sends a thrown Response unchanged (behaviour 8.1, 8.2)", async () => {
  using log = new CapturedLog();
  const toJSON = () => ({ everything: "else" });
  const problemOf = (status: number, title: string, members = {}) =>
    JSON.stringify({ type: "about:blank", title, status, ...members });
  const stock = {
    type: "https://example.com/problems/stock",
    title: "Conflict",
    status: 409,
    detail: "Stock is out",
    left: 0,
  };
  const detail = "none";
  for (
    const [thrown, status, body] of [
      [
        new HttpError(409, "Stock is out", {
          headers: { "x-own": "5", "content-type": "text/plain" },
          cause: new Error("secret"),
          left: 0,
          type: "https://example.com/problems/stock",
          status: 200,
        } as HttpErrorOptions),
        409,
        JSON.stringify(stock),
      ],
      [new HttpError(418), 418, problemOf(418, "I'm a teapot")],
      [new HttpError(499, "x"), 499, problemOf(499, "Error", { detail: "x" })],
      // An extension member cannot replace the document.
      [
        new HttpError(404, detail, { toJSON, id: 1 }),
        404,
        problemOf(404, "Not Found", { detail, id: 1 }),
      ],
      [
        new HttpError(404, detail, { ["__proto__"]: { toJSON }, id: 1 }),
        404,
        problemOf(404, "Not Found", {
          detail,
          ["__proto__"]: { everything: "else" },
          id: 1,
        }),
      ],
      [
        new HttpError(404, detail, { toJSON: "a text", nested: { toJSON } }),
        404,
        problemOf(404, "Not Found", {
          detail,
          toJSON: "a text",
          nested: { everything: "else" },
        }),
      ],
      [
        new Response("moved", { status: 303, headers: { "x-own": "5" } }),
        303,
        "moved",
      ],
    ] as const
  ) {
    const application = TestApplication.of({
      "route.ts": throwing(() => thrown),
    });
    const response = await application.fetch("/api");
    const { headers } = response;
    assertEquals([response.status, await response.text()], [status, body]);
    if (status === 409 || status === 303) {
      assertEquals(headers.get("x-own"), "5");
    }
    if (status === 303) continue;
    assertEquals(headers.get("content-type"), "application/problem+json");
  }
  assertEquals(log.lines, []);
});

Deno.test("HttpError rejects an option named header, and suggests headers", () => {
  // JavaScript can pass this; the types reject it.
  const options = { header: { "retry-after": "1" } } as HttpErrorOptions;
  assertThrows(
    () => new HttpError(404, "none", options),
    TypeError,
    'name it "headers"',
  );
});
