/** Contracts of folders: what a guard demands is checked before it runs (behaviour 10.7). */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { CapturedLog, FolderApplication } from "../support/application.ts";

const ZOD = `import { z } from "npm:zod@^4.1.13";`;

/** A middleware file that notes in the response that it ran, and what it saw. */
const level = (name: string, contract: string): string =>
  `${ZOD}
  export const contract = ${contract};
  export default async (request, next) => {
    const seen = JSON.stringify(request.validated);
    const response = await next();
    response.headers.append("x-seen", "${name} " + seen);
    return response;
  };`;

const ECHO = `
  export const GET = (request) => Response.json(request.validated);
  export const POST = (request) => Response.json(request.validated);`;

interface Outcome {
  readonly status: number;
  readonly seen: string | null;
  readonly body: Record<string, unknown> | undefined;
}

async function send(
  application: FolderApplication,
  target: string,
  init: RequestInit = {},
): Promise<Outcome> {
  const response = await application.fetch(target, init);
  const text = await response.text();
  return {
    status: response.status,
    seen: response.headers.get("x-seen"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

for (const lazy of [false, true]) {
  const create = (files: Record<string, string>) =>
    FolderApplication.create(files, { lazy });
  const how = `(lazy: ${lazy})`;

  Deno.test(`each level sees the raw values, and the nearest wins by name ${how}`, async () => {
    await using application = await create({
      "middleware.js": level(
        "outer",
        `{ headers: z.object({ a: z.string(), b: z.string().transform(() => "outer") }) }`,
      ),
      "[id]/middleware.js": level(
        "inner",
        `{ params: z.strictObject({ id: z.coerce.number() }), query: z.object({ q: z.string() }) }`,
      ),
      "[id]/[name]/route.js": `${ZOD}
        export const schema = { get: { headers: z.object({ b: z.coerce.number() }) } };
        ${ECHO}`,
    });
    const headers = { a: "1", b: "2" };
    const { status, body, seen } = await send(application, "/api/7/x?q=z", {
      headers,
    });
    assertEquals(status, 200);
    assertEquals(body, {
      headers: { a: "1", b: 2 },
      params: { id: 7 },
      query: { q: "z" },
    });
    assertEquals(
      seen,
      'inner {"params":{"id":7},"query":{"q":"z"},"headers":{"a":"1","b":"outer"}}, ' +
        'outer {"headers":{"a":"1","b":"outer"}}',
    );
  });

  Deno.test(`an output that is no plain object stays whole ${how}`, async () => {
    await using application = await create({
      "middleware.js": level(
        "outer",
        `{ headers: z.any().transform(() => new Map([["a", 1]])) }`,
      ),
      "route.js": `${ZOD}
        export const schema = { get: { headers: z.any().transform(() => new Date(0)) } };
        export const GET = ({ validated: { headers } }) =>
          Response.json(headers instanceof Date);`,
      "map/route.js": `
        export const GET = ({ validated: { headers } }) =>
          Response.json(headers.get("a"));`,
      "plain/route.js": `${ZOD}
        export const schema = { get: { headers: z.any().transform(() => ({ b: 2 })) } };
        ${ECHO}`,
    });
    const read = async (path: string): Promise<unknown> =>
      await (await application.fetch(path)).json();
    assertEquals(
      [
        await read("/api"),
        await read("/api/map"),
        await read("/api/plain"),
      ],
      [true, 1, { headers: { b: 2 } }],
    );
  });

  Deno.test(`a level that fails ends the request there, with all its issues ${how}`, async () => {
    await using application = await create({
      "middleware.js": level("outer", "{}"),
      "a/middleware.js": level(
        "inner",
        `{ headers: z.object({ h: z.string() }), query: z.object({ q: z.string() }) }`,
      ),
      "a/route.js": `${ZOD}
        export const schema = { post: { body: z.object({ x: z.string() }) } };
        ${ECHO}`,
    });
    const body = new ReadableStream({
      pull() {
        throw new Error("the body was read");
      },
    }, { highWaterMark: 0 });
    const outcome = await send(application, "/api/a", { method: "POST", body });
    assertEquals([outcome.status, outcome.seen], [400, null]);
    const errors = outcome.body!.errors as { in: string; pointer: string }[];
    assertEquals(errors.map((each) => [each.in, each.pointer]), [
      ["query", "#/q"],
      ["headers", "#/h"],
    ]);
  });

  Deno.test(`where no handler responds, the middleware runs unchecked ${how}`, async () => {
    await using application = await create({
      "middleware.js": level(
        "outer",
        `{ headers: z.object({ h: z.string() }) }`,
      ),
      "route.js":
        `export const GET = (request) => Response.json(request.validated);`,
    });
    for (const [method, status] of [["OPTIONS", 204], ["PUT", 405]] as const) {
      const outcome = await send(application, "/api", { method });
      assertEquals([outcome.status, outcome.seen], [status, "outer {}"]);
    }
    for (const method of ["GET", "HEAD"]) {
      assertEquals((await send(application, "/api", { method })).status, 400);
      const headers = { h: "x" };
      const fits = await send(application, "/api", { method, headers });
      assertEquals([fits.status, fits.seen], [
        200,
        'outer {"headers":{"h":"x"}}',
      ]);
    }
  });

  Deno.test(`a contract may stand without a middleware ${how}`, async () => {
    await using application = await create({
      "middleware.js": `${ZOD}
        export const contract = { query: z.object({ page: z.coerce.number() }), tags: ["a"] };`,
      "route.js": ECHO,
    });
    assertEquals((await send(application, "/api")).status, 400);
    const { body } = await send(application, "/api?page=2");
    assertEquals(body, { query: { page: 2 } });
    const [route] = await application.app.routes();
    assertEquals([route!.middleware, route!.contracts.length], [[], 1]);
  });

  Deno.test(`asynchronous schemas are awaited level by level ${how}`, async () => {
    await using application = await create({
      "middleware.js": level(
        "outer",
        `{ headers: z.object({ h: z.string().refine(async (h) => h === "x") }) }`,
      ),
      "route.js": ECHO,
    });
    const call = async (h: string) =>
      (await send(application, "/api", { headers: { h } })).status;
    assertEquals([await call("y"), await call("x")], [400, 200]);
  });
}

/** A guard by the header `token`, which notes what it saw; contracts are around it. */
const LAZY = {
  "middleware.js": level("outer", "{ query: z.object({ q: z.string() }) }"),
  "a/middleware.js": `${ZOD}
    export const contract = { headers: z.object({ h: z.string() }) };
    export default async (request, next) => {
      const seen = JSON.stringify(request.validated);
      const response = request.headers.has("token")
        ? await next()
        : new Response(null, { status: 401 });
      response.headers.append("x-seen", "guard " + seen);
      return response;
    };`,
};
const METHODS = ["OPTIONS", "PUT", "BREW", "GET", "HEAD"];

Deno.test("no request causes an import before the guards have passed (behaviour 10.6)", async () => {
  await using application = await FolderApplication.create({
    ...LAZY,
    "a/route.js": `throw new Error("broken");`,
  }, { lazy: true });
  using log = new CapturedLog();
  for (const method of METHODS) {
    for (const query of ["?q=1", ""]) {
      for (const headers of [{ h: "x" }, {}] as Record<string, string>[]) {
        const outcome = await send(application, `/api/a${query}`, {
          method,
          headers,
        });
        const seen = query === ""
          ? "guard {}, outer {}"
          : `guard ${
            headers.h === undefined
              ? "{}"
              : '{"headers":{"h":"x"},"query":{"q":"1"}}'
          }, outer {"query":{"q":"1"}}`;
        assertEquals([outcome.status, outcome.seen], [401, seen], method);
      }
    }
  }
  assertEquals(log.lines, []);
  // Behind the guard, it fails, whether the request fits the contracts or not.
  const headers = { token: "t" };
  const failed = await application.fetch("/api/a", { method: "PUT", headers });
  assertEquals(failed.status, 500);
  assertStringIncludes(log.lines[0]!, "broken");
});

Deno.test("a first request that does not fit a contract is refused behind the guards (behaviour 10.6)", async () => {
  const statuses: Record<string, number> = {
    OPTIONS: 204,
    PUT: 405,
    BREW: 501,
    GET: 400,
    HEAD: 400,
  };
  for (const [method, status] of Object.entries(statuses)) {
    await using application = await FolderApplication.create({
      ...LAZY,
      "a/route.js": ECHO,
    }, { lazy: true });
    const headers = { token: "t" };
    const init = { method, headers };
    const outcome = await send(application, "/api/a?q=1", init);
    assertEquals(outcome.status, status);
    if (method === "GET") {
      assertEquals(
        (outcome.body!.errors as { in: string; pointer: string }[])
          .map((each) => [each.in, each.pointer]),
        [["headers", "#/h"]],
      );
    }
    // From the import on, such a request ends before the guard.
    const get = await send(application, "/api/a", { headers: {} });
    assertEquals([get.status, get.seen], [400, null]);
  }
});

Deno.test("a request that is sent again with other headers is checked again (behaviour 10.6)", async () => {
  await using application = await FolderApplication.create({
    ...LAZY,
    "a/route.js": ECHO,
  }, { lazy: true });
  const request = new Request("http://localhost/api/a?q=1");
  assertEquals((await application.app.fetch(request)).status, 401);
  request.headers.set("h", "x");
  request.headers.set("token", "t");
  const response = await application.app.fetch(request);
  assertEquals(await response.json(), {
    query: { q: "1" },
    headers: { h: "x" },
  });
});

Deno.test("validateResponses knows the responses of folders", async () => {
  await using application = await FolderApplication.create({
    "middleware.js": `${ZOD}
      export const contract = { response: { 418: z.object({ tea: z.boolean() }), 200: z.string() } };`,
    "route.js": `${ZOD}
      export const schema = { get: { response: { 200: z.object({}) } } };
      export const GET = ({ url }) => url.endsWith("?tea")
        ? Response.json({ tea: 1 }, { status: 418 })
        : Response.json({});`,
  }, { validateResponses: true });
  using log = new CapturedLog();
  assertEquals((await application.fetch("/api")).status, 200);
  assertEquals((await application.fetch("/api?tea")).status, 500);
  assertStringIncludes(log.lines[0]!, "status 418 does not fit its schema");
});

const GUARD = `export const contract = { security: [{ bearer: [] }] };
  export default (_, next) => next();`;
const ROUTE = "export const GET = () => new Response();";

const FAULTS: Readonly<
  Record<string, { files: Record<string, string>; message: string }>
> = {
  "an unknown member": {
    files: { "middleware.js": "export const contract = { body: {} };" },
    message:
      'middleware.js": contract.body is unknown; a contract has "params", "query", "headers", "response", "tags", "deprecated", "security", "access", "provides"',
  },
  "a value that no middleware sets": {
    files: {
      "middleware.js": "export const contract = { provides: ['user'] };",
    },
    message:
      'middleware.js": contract.provides must be an array of RequestState objects, such as [user]',
  },
  "values without middleware that sets them": {
    files: {
      "middleware.js":
        "export const contract = { provides: [{ name: 'a', find() {} }] };",
    },
    message:
      'middleware.js": contract.provides is declared, but the folder has no middleware',
  },
  "values that a contract needs": {
    files: { "middleware.js": "export const contract = { needs: [] };" },
    message: 'middleware.js": contract.needs is unknown',
  },
  "a schema that is none": {
    files: { "middleware.js": "export const contract = { headers: {} };" },
    message:
      'middleware.js": contract.headers is not a Standard Schema; create it with a library such as zod',
  },
  "a wrong status": {
    files: {
      "middleware.js":
        `${ZOD} export const contract = { response: { 99: z.string() } };`,
    },
    message: 'middleware.js": contract.response has the key "99"',
  },
  "a response without a status": {
    files: {
      "middleware.js":
        `${ZOD} export const contract = { response: z.string() };`,
    },
    message:
      'middleware.js": contract.response is a single schema, but a folder needs',
  },
  "no object": {
    files: { "middleware.js": "export const contract = 5;" },
    message: 'middleware.js": contract is a number; it must be an object with',
  },
  "a guard that is only documented": {
    files: {
      "middleware.js":
        "export const contract = { security: [{ bearer: [] }] };",
    },
    message:
      'middleware.js": contract.security is declared, but the folder has no middleware; export the middleware as default',
  },
  "a slip of the name": {
    files: {
      "middleware.js":
        "export const contracts = { tags: [] }; export default (_, next) => next();",
    },
    message:
      'middleware.js": export "contracts" has no effect; name it "contract"',
  },
  "a place in a route file": {
    files: {
      "route.js":
        `${ZOD} export const contract = { headers: z.object({ a: z.string() }) }; ${ROUTE}`,
    },
    message:
      'route.js": export "contract" has no effect in a route file; move it to the middleware file of a folder, or its members to schema',
  },
  "the name of a schema": {
    files: {
      "middleware.js":
        `${ZOD} export const schema = { headers: z.object({ a: z.string() }) }; export default (_, next) => next();`,
    },
    message:
      'middleware.js": export "schema" has no effect in a middleware file; name it "contract"',
  },
  "a folder with a way around the guard": {
    files: {
      "middleware.js": GUARD,
      "a/middleware.js":
        "export const contract = { security: [{ a: [] }, {}] }; export default (_, next) => next();",
    },
    message: "or open single methods with schema.get.security",
  },
  "a folder that opts out of the guard": {
    files: {
      "middleware.js": GUARD,
      "a/middleware.js": "export const contract = { security: [] };",
    },
    message:
      'a/middleware.js": contract.security allows anonymous requests, but "',
  },
};

for (const [fault, { files, message }] of Object.entries(FAULTS)) {
  Deno.test(`the start refuses a contract with ${fault}`, async () => {
    await using application = await FolderApplication.create({
      "route.js": ROUTE,
      ...files,
    });
    const { faults } = await application.app.inspect();
    const told = faults.map(({ path, reason }) => `"${path}": ${reason}`);
    assertStringIncludes(told.join("\n"), message);
  });
}

Deno.test("exports named contract and schema may be somebody's own", async () => {
  await using application = await FolderApplication.create({
    "middleware.js":
      `${ZOD} export const schema = z.object({}); export default (_, next) => next();`,
    "route.js":
      `export const contract = { tags: ["signed"], headers: {} }; ${ROUTE}`,
  });
  assertEquals((await application.app.inspect()).faults, []);
});
