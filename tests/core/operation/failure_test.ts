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

async function used(): Promise<Response> {
  const response = new Response("x");
  await response.text();
  return response;
}

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
  "returns-error": [() => Response.error(), "Response.error()"],
  "returns-used": [used, "whose body was already used"],
  "throws-used": [
    () => used().then((response) => Promise.reject(response)),
    "whose body was already used",
  ],
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

Deno.test("if a response is sent twice, Bough responds with 500, and logs the route (behaviour 8.2)", async () => {
  for (const [name, create] of Object.entries(BODIES)) {
    using log = new CapturedLog();
    const response = create();
    const application = TestApplication.of({
      "[id]/route.ts": {
        GET: () => response,
        POST: () => Promise.resolve(response),
      },
    });
    await using server = await application.serve();
    const url = server.url("/api/7");
    const first = await fetch(url);
    await first.body?.cancel();
    assert(first.ok, name);
    for (const method of ["GET", "POST"]) {
      const again = await fetch(url, { method });
      assertEquals(again.status, 500, name);
      assertEquals(await again.json(), INTERNAL, name);
      const line = log.lines.at(-1)!;
      const start = `${method} /api/[id] ([id]/route.ts) failed`;
      assert(line.includes(start), `${name}: ${line}`);
      assert(line.includes("body was already used"), `${name}: ${line}`);
    }
    assertEquals(log.lines.length, 2, name);
  }
});

const pass: TestModule = { default: (_request, next) => next() };

Deno.test("if the body of a response is locked, Bough responds with 500, and logs the route (behaviour 8.8)", async () => {
  const fetched = () => fetch("data:text/plain,x");
  for (const [name, create] of Object.entries({ ...BODIES, fetched })) {
    using log = new CapturedLog();
    const locked = async () => {
      const response = await create();
      response.body!.getReader();
      return response;
    };
    const route: TestModule = {
      GET: locked,
      POST: async () => {
        throw await locked();
      },
    };
    const application = TestApplication.of({
      "[id]/route.ts": route,
      "guarded/middleware.ts": pass,
      "guarded/route.ts": route,
    });
    await using server = await application.serve();
    for (
      const [path, pattern] of [
        ["/api/7", "/api/[id]"],
        ["/api/guarded", "/api/guarded"],
      ] as const
    ) {
      for (const method of ["GET", "POST"]) {
        const response = await fetch(server.url(path), { method });
        assertEquals(response.status, 500, name);
        assertEquals(await response.json(), INTERNAL, name);
        const line = log.lines.at(-1)!;
        assert(line.includes(`${method} ${pattern} (`), `${name}: ${line}`);
        assert(line.includes("body was locked"), `${name}: ${line}`);
      }
    }
    assertEquals(log.lines.length, 4, name);
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

Deno.test("if Deno hides the private members of a response, Bough uses the public ones", async () => {
  const { getOwnPropertySymbols } = Object;
  Object.getOwnPropertySymbols = () => [];
  const url = new URL(
    "../../../src/core/common/response.ts?other",
    import.meta.url,
  );
  const { assertUsable } = await import(url.href).finally(() => {
    Object.getOwnPropertySymbols = getOwnPropertySymbols;
  });
  const used = new Response("x");
  await used.text();
  const locked = new Response(new ReadableStream());
  locked.body!.getReader();
  assertThrows(() => assertUsable(used), TypeError, "body was already used");
  assertThrows(() => assertUsable(locked), TypeError, "body was locked");
  for (const body of ["x", null, new ReadableStream()]) {
    const response = new Response(body);
    assertEquals(assertUsable(response), response);
  }
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
