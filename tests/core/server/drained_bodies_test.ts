/** A server that shuts down lets running requests read their bodies (behaviour 9.5). */
import { Framework, type FrameworkRequest, type Next } from "@bough/framework";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { file } from "@bough/framework/uploads";
import { assertEquals, assertMatch } from "@std/assert";
import { z } from "zod";
import type { TestModule } from "../../support/application.ts";
import { TestServer } from "../../support/application.ts";
import { refusing, statusAt } from "./support.ts";

/** A `POST` whose body is sent in two halves, over a connection of its own. */
class SlowPost implements AsyncDisposable {
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async begin(port: number, path: string): Promise<SlowPost> {
    const post = new SlowPost(await Deno.connect({ port }));
    await post.#send(
      `POST /api/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"1234`,
    );
    return post;
  }

  /** Sends the other half, and returns the status line and the headers. */
  async end(): Promise<string> {
    await this.#send('5678"');
    return await this.head();
  }

  async head(): Promise<string> {
    const bytes = new Uint8Array(1_000);
    const size = await this.#connection.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, size));
  }

  async #send(text: string): Promise<void> {
    await this.#connection.write(new TextEncoder().encode(text));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }
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

type Handle = (request: FrameworkRequest) => Promise<Response>;

/** The ways to read a body, each with the exports of its files. */
const WAYS: Record<
  string,
  (gate: Gate) => Readonly<Record<string, TestModule>>
> = {
  "a schema": (gate) => ({
    "middleware.ts": { default: guard(gate) },
    "route.ts": {
      schema: { post: { body: z.string() } },
      POST: ({ validated }) => new Response(validated.body),
    },
  }),
  "a reader": (gate) =>
    handled(async (request) => {
      await gate.pass();
      return new Response(await request.text());
    }),
  "the stream": (gate) =>
    handled(async (request) => {
      await gate.pass();
      return new Response(await new Response(request.body).text());
    }),
  "a clone": (gate) =>
    handled(async (request) => {
      await gate.pass();
      return new Response(await request.clone().text());
    }),
  "a reader, after another application,": (gate) => {
    const other = new Framework({
      manifest: {
        "route.ts": {
          POST: () => Promise.resolve(new Response()),
        },
      },
    });
    return handled(async (request) => {
      await other.fetch(request, request.info);
      await gate.pass();
      return new Response(await request.text());
    });
  },
  "file()": (gate) => ({
    "route.ts": {
      schema: { post: { body: file() } },
      async POST({ validated }: { validated: { body: { stream: BodyInit } } }) {
        await gate.pass();
        return new Response(await new Response(validated.body.stream).text());
      },
    },
  }),
};

function guard(gate: Gate): (request: Request, next: Next) => Promise<unknown> {
  return async (_request, next) => {
    await gate.pass();
    return await next();
  };
}

function handled(POST: Handle): Record<string, TestModule> {
  return { "route.ts": { POST } };
}

for (const [way, filesOf] of Object.entries(WAYS)) {
  for (const lazy of [false, true]) {
    const kind = lazy ? "lazy" : "eager";
    Deno.test(`a server that shuts down lets ${way} of ${kind} routes read its body (behaviour 9.5)`, async () => {
      const gate = new Gate();
      const manifest = Object.fromEntries(
        Object.entries(filesOf(gate)).map(([name, exports]) => {
          const isLazy = lazy && name === "route.ts";
          return [name, isLazy ? () => Promise.resolve(exports) : exports];
        }),
      );
      const logged: number[] = [];
      const write = ({ status }: AccessLogEntry) => void logged.push(status);
      const app = new Framework({
        manifest,
        middleware: [accessLog({ write })],
      });
      const { server, port } = await TestServer.start(app);
      await using post = await SlowPost.begin(port, "");
      await gate.arrived;
      const stopped = server.shutdown();
      const other = await fetch(`http://127.0.0.1:${port}/api`);
      assertEquals(other.status, 503);
      assertEquals(other.headers.get("connection"), "close");
      const { detail } = await other.json();
      assertEquals(detail, "The server is shutting down");
      gate.open();
      assertMatch(await post.end(), /^HTTP\/1.1 200 [^]*"?12345678"?$/);
      await stopped;
      await refusing(port);
      assertEquals(logged, [503, 200]);
    });
  }
}

Deno.test("a server stops listening once the bodies of its requests are read (behaviour 9.5)", async () => {
  const gate = new Gate();
  const read = Promise.withResolvers<void>();
  const app = new Framework({
    manifest: {
      "route.ts": {
        async POST(request: FrameworkRequest) {
          await request.text();
          read.resolve();
          await gate.pass();
          return new Response("done");
        },
        GET: async () => (await gate.pass(), new Response("done")),
      },
    },
  });
  const { server, port } = await TestServer.start(app);
  await using post = await SlowPost.begin(port, "");
  const status = statusAt(port, "/api");
  await gate.arrived;
  const stopped = server.shutdown();
  assertEquals(await statusAt(port, "/api"), 503);
  const ending = post.end();
  await read.promise;
  await refusing(port);
  gate.open();
  assertMatch(await ending, /^HTTP\/1.1 200 /);
  assertEquals(await status, 200);
  await stopped;
});

Deno.test("a server stops listening once a body that had arrived is read (behaviour 9.5)", async () => {
  const before = new Gate();
  const after = new Gate();
  const app = new Framework({
    manifest: handled(async (request) => {
      await before.pass();
      const text = await request.text();
      await after.pass();
      return new Response(text);
    }),
  });
  const { server, port } = await TestServer.start(app);
  const response = fetch(`http://localhost:${port}/api`, {
    method: "POST",
    body: "sent",
  });
  await before.arrived;
  const stopped = server.shutdown();
  assertEquals(await statusAt(port, "/api"), 503);
  before.open();
  await after.arrived;
  await refusing(port);
  after.open();
  assertEquals(await (await response).text(), "sent");
  await stopped;
});

Deno.test("a client that breaks off its body does not hold up a shutdown (behaviour 9.5)", async () => {
  const app = new Framework({
    manifest: handled(async (request) => new Response(await request.text())),
    bodyTimeout: 1_000,
  });
  const { server, port } = await TestServer.start(app);
  const posts = await Promise.all([
    SlowPost.begin(port, ""),
    SlowPost.begin(port, ""),
  ]);
  while (await statusAt(port, "/api") !== 405);
  const stopped = server.shutdown();
  await posts[0]![Symbol.asyncDispose]();
  assertMatch(await posts[1]!.head(), /^HTTP\/1.1 408 /);
  await posts[1]![Symbol.asyncDispose]();
  await stopped;
  await refusing(port);
});
