/** A server that shuts down lets running requests read their bodies (behaviour 9.5). */
import { Framework, type FrameworkRequest, type Next } from "@bough/framework";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { file } from "@bough/framework/uploads";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import { TestApplication, type TestModule } from "../../support/application.ts";
import { until } from "../../support/until.ts";
import { OpenRequest, refusing, statusAt } from "./support.ts";

/** Begins a `POST` whose body is sent in two halves. */
function beginPost(port: number): Promise<OpenRequest> {
  const body = { length: 10, sent: '"1234' };
  return OpenRequest.begin(port, "POST /api", "application/json", body);
}

/** Sends the other half, and returns the status line and the headers. */
async function endPost(post: OpenRequest): Promise<string> {
  await post.send('5678"');
  return await post.read();
}

/** Holds requests until the test lets them go on. */
class Gate {
  readonly #arrived = Promise.withResolvers<void>();
  readonly #open = Promise.withResolvers<void>();
  readonly arrived = this.#arrived.promise;
  readonly open = this.#open.resolve;

  pass(): Promise<void> {
    this.#arrived.resolve();
    return this.#open.promise;
  }
}

const OTHER = new Framework({
  manifest: { "route.ts": { POST: () => new Response() } },
});

/** The ways to read a body, each with the exports of its files. */
const WAYS: Readonly<
  Record<string, (gate: Gate) => Readonly<Record<string, TestModule>>>
> = {
  "a schema": (gate) => ({
    "middleware.ts": {
      default: (_: Request, next: Next) => gate.pass().then(next),
    },
    "route.ts": {
      schema: { post: { body: z.string() } },
      POST: ({ validated }) => new Response(validated.body),
    },
  }),
  "file()": (gate) => ({
    "route.ts": {
      schema: { post: { body: file() } },
      async POST({ validated }: { validated: { body: { stream: BodyInit } } }) {
        await gate.pass();
        return new Response(await new Response(validated.body.stream).text());
      },
    },
  }),
  "a reader": handled((request) => request.text()),
  "the stream": handled(({ body }) => new Response(body).text()),
  "a clone": handled((request) => request.clone().text()),
  "a reader, after another application,": handled(
    (request) => request.text(),
    (request) => OTHER.fetch(request, request.info),
  ),
};

/** A route that reads a body when the test lets it. */
function handled(
  read: (request: FrameworkRequest) => Promise<string>,
  begin: (request: FrameworkRequest) => unknown = () => {},
): (gate: Gate) => Readonly<Record<string, TestModule>> {
  return (gate) => ({
    "route.ts": {
      async POST(request: FrameworkRequest) {
        await begin(request);
        await gate.pass();
        return new Response(await read(request));
      },
    },
  });
}

for (const [way, filesOf] of Object.entries(WAYS)) {
  for (const lazy of [false, true]) {
    const kind = lazy ? "lazy" : "eager";
    Deno.test(`a server that shuts down lets ${way} of ${kind} routes read its body (behaviour 9.5)`, async () => {
      const gate = new Gate();
      const logged: number[] = [];
      const write = ({ status }: AccessLogEntry) => void logged.push(status);
      const { server, port } = await TestApplication.of(filesOf(gate), {
        lazy,
        middleware: [accessLog({ write })],
      }).serve();
      using post = await beginPost(port);
      await gate.arrived;
      const stopped = server.shutdown();
      const other = await fetch(`http://127.0.0.1:${port}/api`);
      assertEquals(other.status, 503);
      assertEquals(other.headers.get("connection"), "close");
      const { detail } = await other.json();
      assertEquals(detail, "The server is shutting down");
      gate.open();
      assertMatch(await endPost(post), /^HTTP\/1.1 200 [^]*"?12345678"?$/);
      await stopped;
      await refusing(port);
      assertEquals(logged, [503, 200]);
    });
  }
}

Deno.test("a server stops listening once the bodies of its requests are read (behaviour 9.5)", async () => {
  const [before, after] = [new Gate(), new Gate()];
  const texts: string[] = [];
  let posts = 0;
  const { server, port } = await TestApplication.of({
    "route.ts": {
      async POST(request) {
        posts++;
        await before.pass();
        texts.push(await request.text());
        await after.pass();
        return new Response("done");
      },
      GET: async () => (await after.pass(), new Response("done")),
    },
  }).serve();
  // The body of the second request has arrived at the signal, that of the third has not.
  const responses = [
    statusAt(port, "/api"),
    statusAt(port, "/api", { method: "POST", body: "sent" }),
  ];
  using post = await beginPost(port);
  await after.arrived;
  await until(() => posts === 2);
  const stopped = server.shutdown();
  assertEquals(await statusAt(port, "/api"), 503);
  before.open();
  const ending = endPost(post);
  await refusing(port);
  assertEquals(texts.sort(), ['"12345678"', "sent"]);
  after.open();
  assertMatch(await ending, /^HTTP\/1.1 200 /);
  assertEquals(await Promise.all(responses), [200, 200]);
  await stopped;
});

Deno.test("a client that breaks off its body does not hold up a shutdown (behaviour 9.5)", async () => {
  const { server, port } = await TestApplication.of({
    "route.ts": { POST: async (request) => new Response(await request.text()) },
  }, { bodyTimeout: 1_000 }).serve();
  const gone = await beginPost(port);
  const late = await beginPost(port);
  while (await statusAt(port, "/api") !== 405);
  const stopped = server.shutdown();
  gone[Symbol.dispose]();
  assertMatch(await late.read(), /^HTTP\/1.1 408 /);
  late[Symbol.dispose]();
  await stopped;
  await refusing(port);
});
