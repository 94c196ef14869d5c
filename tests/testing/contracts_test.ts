/** Contract tests find faults of operations. */
import { HttpError } from "@bough/framework";
import {
  checkContracts,
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
import { z } from "zod";
import { TestApplication, TestServer } from "../support/application.ts";
import {
  check,
  found,
  type Handler,
  type Modules,
  passesWith,
} from "./support.ts";

const NOTE = {
  body: z.object({
    text: z.string().min(1).max(20),
    stars: z.int().min(1).max(5),
  }),
  response: { 201: z.object({ id: z.int(), text: z.string() }) },
};

const faulty: Handler = ({ validated: { body } }) => {
  if (body.stars === 5) throw new TypeError("five stars");
  const text = body.text.length > 10 ? null : body.text;
  return Response.json({ id: 1, text }, { status: 201 });
};

const FAULTY: Modules = {
  "notes/route.ts": { schema: { post: NOTE }, POST: faulty },
};

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

Deno.test("a 4xx must be declared, and a 429 or a 503 ends the run", async () => {
  const checkWith = (status: number) =>
    check({
      "things/route.ts": {
        GET: () => {
          throw new HttpError(status);
        },
      },
    });
  assertEquals(found(await checkWith(404)), ["declared GET /api/things"]);
  for (const status of [429, 503]) {
    const ended = await checkWith(status);
    assertEquals(found(ended), []);
    assertEquals(ended.results[0]!.note, `stopped by a ${status} response`);
  }
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

Deno.test("a skipped operation must exist", async () => {
  const { app } = TestApplication.of({
    "hello/route.ts": { GET: () => new Response() },
  });
  assertThrows(
    () => contractTests(app, { runs: 0 }),
    TypeError,
    "runs must be",
  );
  await assertRejects(
    () => checkContracts(app, { skip: ["POST /hello"] }),
    TypeError,
    '"POST /hello" is not one of its operations; the operations are "GET /api/hello"',
  );
  const { results } = await checkContracts(app, { skip: ["/hello"] });
  assertEquals(results, []);
});
