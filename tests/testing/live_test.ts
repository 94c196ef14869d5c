import { Framework } from "@bough/framework";
import {
  checkContracts,
  type CheckOptions,
  type ContractReport,
} from "@bough/framework/testing";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventsOf } from "../../src/testing/send/read_response.ts";
import { TestFolder, TestServer } from "../support/application.ts";
import { until } from "../support/until.ts";

const ZOD = `import { z } from "zod";`;

/** Streams what is written by hand, and counts what is open. */
function stream(send: string): string {
  return `
    export function GET() {
      const count = globalThis.liveTest ??= { opened: 0, open: 0 };
      const encoder = new TextEncoder();
      let timer;
      const body = new ReadableStream({
        start(controller) {
          count.opened++;
          count.open++;
          const write = (text) => controller.enqueue(encoder.encode(text));
          ${send}
        },
        cancel() { count.open--; clearInterval(timer); },
      });
      return new Response(body, {
        headers: { "content-type": "text/event-stream" },
      });
    }`;
}

const SCHEMA = `${ZOD}
  export const schema = {
    get: {
      query: z.object({ from: z.coerce.number().int().optional() }),
      events: {
        status: z.object({ id: z.int(), at: z.date() }),
        message: z.string(),
      },
    },
  };`;

const STATUS = `write('event: status\\ndata: {"id":1,"at":"' +
  new Date().toISOString() + '"}\\n\\n');`;

function counts(): { opened: number; open: number } {
  return (globalThis as { liveTest?: { opened: number; open: number } })
    .liveTest ?? { opened: 0, open: 0 };
}

async function check(
  files: Readonly<Record<string, string>>,
  options: CheckOptions = {},
): Promise<ContractReport> {
  await using folder = await TestFolder.create(files);
  return await checkContracts(
    new Framework({ apiDir: folder.path }),
    { seed: 11, runs: 30, ...options },
  );
}

function found({ failures }: ContractReport): string[] {
  return failures.map(({ property, seen }) => `${property}: ${seen}`);
}

Deno.test("streams are read at their beginning, and none is left open", async () => {
  const files = {
    "a/route.ts": SCHEMA + stream(
      `write(": hello\\n\\nretry: 10\\n\\n"); ${STATUS} write('data: "x"\\r\\n\\r\\n');
       timer = setInterval(() => { ${STATUS} }, 1);`,
    ),
    "idle/route.ts": SCHEMA + stream(""),
  };
  const start = performance.now();
  const report = await check(files);
  assertEquals(found(report), []);
  assertEquals(counts().open, 0);
  assert(counts().opened > 100);
  assert(performance.now() - start < 15_000);
});

for (
  const [send, seen] of [
    [
      `write("event: other\\ndata: 1\\n\\n");`,
      'an event "other" that is not declared',
    ],
    [
      `write("data: text\\n\\n");`,
      'an event "message" whose data are not JSON',
    ],
    [
      `write('event: status\\ndata: {"id":"one"}\\n\\n');`,
      'an event "status" that does not fit its schema: at "#/id"',
    ],
    // Not only the first one is looked at.
    [
      `${STATUS} setTimeout(() => write("event: late\\ndata: 1\\n\\n"), 2);`,
      'an event "late" that is not declared',
    ],
  ] as const
) {
  Deno.test(`a stream may not send ${seen}`, async () => {
    const report = await check(
      { "a/route.ts": SCHEMA + stream(send) },
      { properties: ["declared"] },
    );
    assertEquals(report.failures.length, 1);
    assertStringIncludes(found(report)[0]!, `declared: ${seen}`);
    assertEquals(counts().open, 0);
  });
}

Deno.test("a method with events streams them, or refuses with a 4xx", async () => {
  const files = (get: string) => ({
    "a/route.ts": `${SCHEMA} export const GET = () => ${get};`,
  });
  assertEquals(found(await check(files(`Response.json([])`))).length, 1);
  assertEquals(
    found(await check(files(`new Response(null, { status: 204 })`))),
    ["declared: a 204"],
  );
  assertEquals(
    found(await check(files(`new Response(null, { status: 404 })`))),
    [],
  );
});

Deno.test("a stream that fails is a failure of the application", async () => {
  const report = await check(
    { "a/route.ts": SCHEMA + stream(`controller.error(new Error("gone"));`) },
    { properties: ["failure"] },
  );
  assertEquals(found(report), [
    "failure: the stream of events failed: Error: gone",
  ]);
});

const SOCKET = `${ZOD}
  export const schema = {
    get: { socket: { receive: z.string(), send: z.string() } },
  };`;

const GUARD = `
  import { HttpError } from "@bough/framework";
  import { Problem } from "@bough/framework/openapi";
  export const contract = {
    security: [{ bearer: [] }],
    response: { 401: Problem },
  };
  export default (request, next) => {
    if (request.headers.get("authorization") !== "Bearer test") {
      throw new HttpError(401, "Who?", {
        headers: { "www-authenticate": "Bearer" },
      });
    }
    return next();
  };`;

Deno.test("a socket gets a request that does not open it, and is guarded before", async () => {
  const refuse = `import { HttpError } from "@bough/framework";
    export const GET = () => {
      throw new HttpError(426, "Open a WebSocket here", {
        headers: { upgrade: "websocket" },
      });
    };`;
  const as = { authorization: "Bearer test" };
  const files = { "middleware.ts": GUARD, "chat/route.ts": SOCKET + refuse };
  const report = await check(files, { as });
  assertEquals(found(report), []);
  assertEquals(
    report.results.map(({ property }) => property),
    ["failure", "accepted", "declared", "methods", "security", "live"],
  );

  const open = GUARD.replace('!== "Bearer test"', '=== "none"');
  assertEquals(
    found(await check({ ...files, "middleware.ts": open }, { as })),
    ["security: a 426: Open a WebSocket here"],
  );
  const plain = `export const GET = () => new Response("no socket");`;
  assertEquals(
    found(await check({ "chat/route.ts": SOCKET + plain })),
    ["declared: a 200"],
  );
});

Deno.test("a running server keeps no stream open, either", async () => {
  Object.assign(counts(), { opened: 0, open: 0 });
  await using folder = await TestFolder.create({
    "a/route.ts": SCHEMA +
      stream(`${STATUS} timer = setInterval(() => { ${STATUS} }, 20);`),
  });
  const app = new Framework({ apiDir: folder.path });
  await using server = await TestServer.start(app);
  const report = await checkContracts(app, {
    url: server.url(""),
    seed: 11,
    runs: 10,
  });
  assertEquals(found(report), []);
  await until(() => counts().open === 0);
  assert(counts().opened > 10);
});

Deno.test("eventsOf() reads whole events as a browser does", () => {
  assertEquals(
    [...eventsOf(
      "event: a\ndata: 1\ndata:2\r\nid: 7\r\n\r\n:x\rdata\r\rdata: cut\n",
    )],
    [
      { event: "a", data: "1\n2", lastEventId: "7" },
      { event: "message", data: "", lastEventId: "7" },
    ],
  );
});

Deno.test("events() and socket() keep their contracts, behind a guard", async () => {
  Object.assign(counts(), { opened: 0, open: 0 });
  const as = { authorization: "Bearer test" };
  const report = await check({
    "middleware.ts": GUARD,
    "events/route.ts": `${SCHEMA}
      import { events } from "@bough/framework/live";
      export function GET(request) {
        return events(request, async function* ({ signal }) {
          globalThis.liveTest.opened++;
          globalThis.liveTest.open++;
          try {
            yield { data: "hello" };
            yield { event: "status", data: { id: 1, at: new Date() } };
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
          } finally {
            globalThis.liveTest.open--;
          }
        });
      }`,
    "chat/route.ts": `${SOCKET}
      import { socket } from "@bough/framework/live";
      export const GET = (request) => socket(request, {});`,
  }, { as });
  assertEquals(found(report), []);
  assert(counts().opened > 10);
  assertEquals(counts().open, 0);
});

Deno.test("an error of a generator is a failure of the application", async () => {
  const report = await check({
    "events/route.ts": `
      import { events } from "@bough/framework/live";
      export const GET = (request) => events(request, async function* () {
        yield { data: 1 };
        throw new Error("no database");
      });`,
  }, { properties: ["failure"] });
  assertEquals(report.failures.length, 1);
  assertStringIncludes(found(report)[0]!, "no database");
});

Deno.test("an error of a generator that cleans up is one, too", async () => {
  const report = await check({
    "events/route.ts": `
      import { events } from "@bough/framework/live";
      export const GET = (request) => events(request, async function* ({ signal }) {
        try {
          yield { data: 1 };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        } finally {
          await new Promise((resolve) => setTimeout(resolve));
          throw new Error("not closed");
        }
      });`,
  }, { properties: ["failure"], runs: 1 });
  assertEquals(report.failures.length, 1);
  assertStringIncludes(found(report)[0]!, "not closed");
});

Deno.test("after a run, errors are logged as before", async () => {
  const { error } = console;
  const errors: string[] = [];
  console.error = (text: string) => errors.push(text);
  const own = console.error;
  try {
    await check({ "a/route.ts": "export const GET = () => new Response();" });
    assertEquals(console.error, own);
    console.error("[bough] later");
  } finally {
    console.error = error;
  }
  assertEquals(errors, ["[bough] later"]);
});
