/** Contract tests find faults of operations, whichever library wrote their schemas. */
import { Framework, HttpError } from "@bough/framework";
import { Problem } from "@bough/framework/openapi";
import {
  checkContracts,
  type CheckOptions,
  contractTests,
  failureText,
} from "@bough/framework/testing";
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { toStandardJsonSchema as form } from "npm:@valibot/to-json-schema@^1.8.0";
import { type } from "npm:arktype@^2.2.9";
import * as v from "valibot";
import { z } from "zod";
import {
  TestApplication,
  TestFolder,
  type TestModule,
  TestServer,
} from "../support/application.ts";
import {
  check,
  found,
  type Handler,
  type Modules,
  passesWith,
} from "./support.ts";

/** The schemas of a note, by library. */
const NOTE = {
  zod: {
    query: z.object({ draft: z.enum(["yes", "no"]).optional() }),
    body: z.object({
      text: z.string().min(1).max(20),
      stars: z.int().min(1).max(5),
    }),
    response: { 201: z.object({ id: z.int(), text: z.string() }) },
  },
  valibot: {
    query: form(v.object({ draft: v.optional(v.picklist(["yes", "no"])) })),
    body: form(v.object({
      text: v.pipe(v.string(), v.minLength(1), v.maxLength(20)),
      stars: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)),
    })),
    response: { 201: form(v.object({ id: v.number(), text: v.string() })) },
  },
  arktype: {
    query: type({ "draft?": "'yes' | 'no'" }),
    body: type({
      text: "1 <= string <= 20",
      stars: "1 <= number.integer <= 5",
    }),
    response: { 201: type({ id: "number", text: "string" }) },
  },
};

const good: Handler = ({ validated: { body } }) =>
  Response.json({ id: 1, text: body.text }, { status: 201 });

const faulty: Handler = ({ validated: { body } }) => {
  if (body.stars === 5) throw new TypeError("five stars");
  const text = body.text.length > 10 ? null : body.text;
  return Response.json({ id: 1, text }, { status: 201 });
};

const FAULTY: Modules = {
  "notes/route.ts": { schema: { post: NOTE.zod }, POST: faulty },
};

for (const [library, post] of Object.entries(NOTE)) {
  Deno.test(`the schemas of ${library} test an application`, async () => {
    const checkWith = (POST: Handler) =>
      check({ "notes/route.ts": { schema: { post }, POST } });
    const healthy = await checkWith(good);
    assertEquals(found(healthy), []);
    assertEquals(healthy.results.map(({ note }) => note).filter(Boolean), []);
    assertEquals(found(await checkWith(faulty)), [
      "failure POST /api/notes",
      "declared POST /api/notes",
    ]);
  });
}

Deno.test("a failure is shrunk, and printed only as a test", async () => {
  const report = await check(FAULTY, { properties: ["failure"] });
  const [failure] = report.failures;
  assert(failure !== undefined);
  const { body } = failure.requests.at(-1)!;
  assertEquals(failure.requests.length, 1);
  assertEquals(failure.replays, true);
  assertEquals(JSON.parse(body!).stars, 5);
  assertEquals(JSON.parse(body!).text.length, 1);
  const text = failureText(failure);
  assertStringIncludes(text, "POST /api/notes");
  assertStringIncludes(text, 'new Request("http://localhost/api/notes"');
  assertEquals(text.includes("curl"), false, text);
  assertStringIncludes(text, "seed:     2:11");
  assertStringIncludes(failure.test, "assertNotEquals(response.status, 500);");
  const again = await check(FAULTY, { properties: ["failure"] });
  assertEquals(again.failures[0]!.requests, failure.requests);
});

interface Note {
  readonly id: number;
  readonly text: string;
}

/** Notes in a store that `reset` empties, and a new application does not. */
class Notes {
  readonly all = new Map<string, Note>();
  readonly route: TestModule;
  #next = 1;

  constructor(most = Infinity) {
    this.route = {
      schema: { post: { body: z.object({ text: z.string().max(5) }) } },
      POST: ({ validated: { body } }) => {
        if (this.all.size > most) throw new Error("full");
        const note = { id: this.#next++, ...body };
        this.all.set(String(note.id), note);
        return Response.json(note, { status: 201 });
      },
    };
  }

  readonly reset = (): void => {
    this.all.clear();
    this.#next = 1;
  };
}

Deno.test("a failure keeps the earlier requests that it needs", async () => {
  const { route, reset } = new Notes(3);
  const report = await check({ "notes/route.ts": route }, {
    properties: ["failure"],
    reset,
  });
  const [failure] = report.failures;
  assertEquals(failure?.replays, true);
  assertEquals(failure?.requests.length, 5);
});

Deno.test("a resource that was created and deleted is gone", async () => {
  const response = { 404: Problem };
  for (
    const [isDeleted, expected] of [
      [true, []],
      [false, ["state POST /api/notes"]],
    ] as const
  ) {
    const { route, all } = new Notes();
    const find = ({ id }: Readonly<Record<string, string>>): Note => {
      const note = all.get(id!);
      if (note === undefined) throw new HttpError(404);
      return note;
    };
    const report = await check({
      "notes/route.ts": route,
      "notes/[id]/route.ts": {
        schema: { get: { response }, delete: { response } },
        GET: ({ params }) => Response.json(find(params)),
        DELETE: ({ params }) => {
          const { id } = find(params);
          if (isDeleted) all.delete(String(id));
          return new Response(null, { status: 204 });
        },
      },
    });
    assertEquals(found(report), [...expected]);
  }
});

Deno.test("generators provide values that are hard to generate", async () => {
  const code = z.string().refine((text) => text === "open sesame");
  const files: Modules = {
    "codes/route.ts": {
      schema: { post: { body: z.object({ code }) } },
      POST: () => {
        throw new Error("never sent");
      },
    },
  };
  const starved = await check(files);
  assertEquals(found(starved), []);
  assertStringIncludes(
    starved.results[0]!.note!,
    "not tested: body: no generated value fits its schema",
  );
  const fed = await check(files, {
    generators: { "POST /codes": { body: [{ code: "open sesame" }] } },
  });
  assertEquals(found(fed)[0], "failure POST /api/codes");
});

Deno.test("a 4xx must be declared, and a 429 ends the run", async () => {
  const checkWith = (status: number) =>
    check({
      "things/route.ts": {
        GET: () => {
          throw new HttpError(status);
        },
      },
    });
  assertEquals(found(await checkWith(404)), ["declared GET /api/things"]);
  const limited = await checkWith(429);
  assertEquals(found(limited), []);
  assertEquals(limited.results[0]!.note, "stopped by a 429 response");
});

Deno.test("a note names an operation that refuses every request", async () => {
  const files: Modules = {
    "(staff)/middleware.ts": {
      contract: { security: [{ bearer: [] }], response: { 401: {} } },
      default: ({ headers }, next) =>
        headers.get("authorization") === "Bearer test"
          ? next()
          : new Response(null, { status: 401 }),
    },
    "(staff)/report/route.ts": { GET: () => new Response() },
    "things/[id]/route.ts": {
      schema: { get: { response: { 200: {}, 404: {} } } },
      GET: ({ params }) =>
        new Response(null, { status: params.id === "7" ? 200 : 404 }),
    },
  };
  const notesOf = async (options: CheckOptions) => {
    const report = await check(files, options);
    assertEquals(found(report), []);
    return report.results.flatMap(({ operation, property, note }) =>
      note === undefined ? [] : [`${property} ${operation}: ${note}`]
    );
  };
  const unknown = ["accepted", "declared"].map((property) =>
    `${property} GET /api/things/[id]: every response had the status 404; provide existing values with "generators"`
  );
  const rejected = ["accepted", "declared"].map((property) =>
    `${property} GET /api/report: every response had the status 401; send credentials with "as"`
  );
  assertEquals(await notesOf({}), [
    rejected[0],
    unknown[0],
    rejected[1],
    unknown[1],
  ]);
  const as = { authorization: "Bearer test" };
  assertEquals(await notesOf({ as }), unknown);
  const generators = { "GET /things/[id]": { params: [{ id: "7" }] } };
  assertEquals(await notesOf({ as, generators }), []);
});

Deno.test("contractTests() prints the notes of operations", async () => {
  await using folder = await TestFolder.create({
    "api/closed/route.js":
      `export const schema = { get: { security: [{ bearer: [] }], response: { 401: {} } } };
      export const GET = () => new Response(null, { status: 401 });`,
    "api/open/route.js": "export const GET = () => new Response();",
    "contract_test.js": `import { Framework } from "@bough/framework";
      import { contractTests } from "@bough/framework/testing";
      contractTests(new Framework({ apiDir: "api" }), { runs: 5 });`,
  });
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-R", "--no-check", "--config", config, "contract_test.js"],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const shown = new TextDecoder().decode(stdout) +
    new TextDecoder().decode(stderr);
  assertEquals(code, 0, shown);
  assertStringIncludes(
    shown,
    'GET /api/closed: every response had the status 401; send credentials with "as"',
  );
});

Deno.test("an unhandled promise is a failure", async () => {
  const report = await check({
    "left/route.ts": {
      GET: async () => {
        void Promise.reject(new Error("left behind"));
        await new Promise((go) => setTimeout(go));
        return new Response();
      },
    },
  });
  assertEquals(found(report), ["failure GET /api/left"]);
  assertStringIncludes(report.failures[0]!.seen, "left behind");
});

Deno.test("contract tests wait once for a response that does not come", async () => {
  let count = 0;
  const report = await check({
    "never/route.ts": {
      GET: () => {
        count++;
        return new Promise(() => {});
      },
    },
    "events/route.ts": {
      GET: () =>
        new Response(new ReadableStream(), {
          headers: { "content-type": "text/event-stream" },
        }),
    },
  }, { responseTimeout: 300 });
  assertEquals(found(report), ["failure GET /api/never"]);
  assertEquals(count, 1);
});

Deno.test("work that fails after the response, or does not end, fails with its route (behaviour 6.6)", async () => {
  let sent = 0;
  let count = 0;
  const report = await check({
    "orders/route.ts": {
      POST: (request) => {
        request.waitUntil(
          new Promise((resolve) => setTimeout(resolve, 5)).then(() => sent++),
        );
        count++;
        return new Response();
      },
    },
    "hanging/route.ts": {
      POST: (request) => {
        request.waitUntil(new Promise(() => {}));
        return new Response();
      },
    },
    "failing/route.ts": {
      POST: (request) => {
        request.waitUntil(
          new Promise((_, reject) => setTimeout(reject, 5, "no mail")),
        );
        return new Response();
      },
    },
  }, { responseTimeout: 300 });
  assertEquals(sent, count);
  assertEquals(
    report.failures.map(({ operation, property, seen }) =>
      `${operation}: ${property}: ${seen}`
    ),
    [
      'POST /api/failing: failure: POST /api/failing (failing/route.ts): a promise of waitUntil() was rejected: "no mail"',
      "POST /api/hanging: failure: the work of waitUntil() did not end within 0.3 s",
    ],
  );
});

Deno.test("the test of a late response has the time limit of the run", async () => {
  const files = {
    "late/route.ts": {
      GET: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return new Response();
      },
    },
  };
  const { failures: [failure] } = await check(files, { responseTimeout: 300 });
  assertEquals(failure!.seen, "no response within 0.3 s");
  assertEquals(await passesWith(files, failure!.test), false);
});

Deno.test("a running server is tested, and only read unless unsafe is set", async () => {
  const { app } = TestApplication.of(FAULTY, {
    onError: () => new Response(null, { status: 500 }),
  });
  await using server = await TestServer.start(app);
  const url = server.url("");
  const report = await checkContracts(app, {
    url,
    seed: 11,
    runs: 60,
    unsafe: true,
  });
  assertEquals(found(report)[0], "failure POST /api/notes");
  assertEquals(report.failures[0]!.replays, false);
  // A test would send the request to the application in its own process.
  const [failure] = report.failures;
  assertStringIncludes(failure!.curl[0]!, `'${url}/api/notes`);
  assertStringIncludes(failureText(failure!), failure!.curl[0]!);
  const read = await checkContracts(app, { url, seed: 11, runs: 60 });
  assertEquals(read.results, []);
});

/** The findings in a route with a small limit of its bodies. */
async function limited(body: z.ZodType): Promise<string[]> {
  const { failures } = await check({
    "notes/route.ts": {
      config: { bodyLimit: 600 },
      schema: { post: { body } },
      POST: () => new Response(),
    },
  }, { properties: ["accepted"] });
  return failures.map(({ expected, seen }) => `${expected}: ${seen}`);
}

Deno.test("a body within its declared length is not too large", async () => {
  const text = z.string().max(500);
  const noteWith = (text: z.ZodType) => z.object({ text, pinned: z.boolean() });
  const expected = [
    "the request is accepted, since it fits its schemas: a 413: The body is larger than 600 bytes",
  ];
  for (
    const bodyOf of [
      noteWith,
      (text: z.ZodType) => z.object({ note: noteWith(text) }),
    ]
  ) {
    assertEquals(await limited(bodyOf(text)), expected);
    // Without a declared length, only the limit of the body counts.
    assertEquals(await limited(bodyOf(z.string())), []);
  }
  // A file has a declared length, too.
  assertEquals(
    await limited(z.object({ file: z.file().max(500) })),
    expected,
  );
});

Deno.test("the error of a wrong option names the option", async () => {
  const app = new Framework({ apiDir: "examples/minimal/api" });
  for (
    const [options, message] of [
      [{ run: 1 }, 'option "run" is unknown'],
      [{ runs: 0 }, "runs must be a whole number above 0, got 0"],
      [
        { seed: 0.5 },
        'seed must be a 32-bit integer, or the seed of a report, such as "2:7", got 0.5',
      ],
      [{ url: "http://a/b" }, 'got "http://a/b"'],
      [{ as: { "a b": "c" } }, "as must be headers, such as { name: value }"],
    ] as const
  ) {
    assertThrows(
      () => contractTests(app, options as object),
      TypeError,
      message,
    );
  }
  await assertRejects(
    () => checkContracts(app, { skip: ["POST /hello"] }),
    TypeError,
    '"POST /hello" is not one of its operations; the operations are "GET /api/hello"',
  );
  const skipped = await checkContracts(app, { skip: ["/hello"] });
  assertEquals(skipped.results, []);
});
