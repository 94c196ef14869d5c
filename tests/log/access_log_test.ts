import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type FrameworkRequest,
  type Middleware,
  RequestState,
} from "@bough/framework";
import { events } from "@bough/framework/live";
import { accessLog, type AccessLogEntry } from "@bough/framework/log";
import { ECHO, socketRoute } from "../live/support.ts";
import {
  CapturedLog,
  TestApplication,
  type TestModule,
  type TestServer,
} from "../support/application.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { rawRequest } from "../support/raw_http.ts";
import { frame, OPCODE, RawSocket } from "../support/raw_socket.ts";

const FILES: Record<string, TestModule> = {
  "users/[id]/route.ts": {
    GET: ({ params }) => {
      if (params.id === "bad") throw new Error("secret");
      return new Response("x");
    },
  },
};

/** An application with an access log, and its entries. */
function logged(
  files: Readonly<Record<string, TestModule>>,
  ...before: readonly Middleware[]
) {
  const entries: AccessLogEntry[] = [];
  const log = accessLog({ write: (entry) => void entries.push(entry) });
  const application = TestApplication.of(files, {
    middleware: [...before, log],
    serverTiming: true,
  });
  return { application, entries };
}

Deno.test("accessLog() lists every request, including errors and 404s", async () => {
  const { application, entries } = logged(FILES);
  using _ = new CapturedLog();
  await using server = await application.serve();
  for (
    const line of [
      "GET /api/users/42?token=secret",
      "GET /api/users/bad",
      "POST /api/users/42",
      "GET /nothing/%22x",
      "GET /%GG",
    ]
  ) await rawRequest(server.port, `${line} HTTP/1.1`);
  await application.fetch("/api/users/1");

  assertEquals(
    entries.map(({ time: _, ms: _ms, ...rest }) => rest),
    [
      ["GET", "/api/users/42", "/api/users/[id]", 200],
      ["GET", "/api/users/bad", "/api/users/[id]", 500],
      ["POST", "/api/users/42", "/api/users/[id]", 405],
      ["GET", "/nothing/%22x", undefined, 404],
      ["GET", "/%GG", undefined, 400],
      ["GET", "/api/users/1", "/api/users/[id]", 200],
    ].map(([method, path, route, status], index) => ({
      method,
      path,
      ...(route !== undefined && { route }),
      status,
      ...(index < 5 && { client: "127.0.0.1" }),
    })) as never,
  );
  assertMatch(entries[0]!.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

Deno.test("accessLog() passes the request, with its states, to write()", async () => {
  const user = new RequestState<string>("user");
  const users: unknown[] = [];
  const application = TestApplication.of(FILES, {
    middleware: [
      accessLog({ write: (_, request) => void users.push(user.find(request)) }),
      (request, next) => (user.set(request, "ada"), next()),
    ],
  });
  using _ = new CapturedLog();
  for (const path of ["/api/users/42", "/api/users/bad", "/nothing"]) {
    await (await application.fetch(path)).body?.cancel();
  }
  assertEquals(users, ["ada", "ada", "ada"]);
});

Deno.test("accessLog() measures milliseconds, to the microsecond", async () => {
  using clock = new FakeClock();
  const { application, entries } = logged({
    "route.ts": {
      GET: () => {
        clock.tick(11.8456789);
        return new Response();
      },
    },
  });
  await application.fetch("/api");
  assertEquals(entries[0]!.ms, 11.846);
});

/** Routes that are more than a response, whose stream waits before its end. */
function liveFiles(
  next: Promise<void> = Promise.resolve(),
): Record<string, TestModule> {
  return {
    "route.ts": { GET: () => new Response("served") },
    "events/route.ts": {
      GET: (request) =>
        events(request as FrameworkRequest, async function* () {
          yield { data: 1 };
          await next;
          yield { data: 2 };
        }),
    },
    "socket/route.ts": socketRoute(ECHO),
    "upgraded/route.ts": {
      GET: (request) => {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onmessage = ({ data }) => socket.send(data);
        return response;
      },
    },
  };
}

/** Sends a word to a WebSocket, and returns the response. */
async function echo({ port }: TestServer, path: string): Promise<string> {
  using socket = await RawSocket.open(port, path);
  await socket.write(frame(OPCODE.text, "word"));
  return await socket.spell();
}

async function textAt(server: TestServer, target: string): Promise<string> {
  return await (await fetch(server.url(target))).text();
}

Deno.test("accessLog() lists a WebSocket when it opens, and the server continues (behaviour 8.6)", async () => {
  using _clock = new FakeClock();
  const { application, entries } = logged(liveFiles());
  await using server = await application.serve();
  const paths = ["/api/socket", "/api/upgraded"];
  for (const path of paths) assertEquals(await echo(server, path), "text word");
  assertEquals(
    entries.map(({ time: _, ...rest }) => rest),
    paths.map((path) => ({
      ...{ method: "GET", path, route: path, status: 101, ms: 0 },
      client: "127.0.0.1",
    })),
  );
  assertEquals(await textAt(server, "/api"), "served");
});

Deno.test("accessLog() lists a stream of events when it begins, and it is sent at once", async () => {
  using clock = new FakeClock();
  const next = Promise.withResolvers<void>();
  const { application, entries } = logged(liveFiles(next.promise));
  await using server = await application.serve();
  const response = await fetch(server.url("/api/events"));
  assertMatch(response.headers.get("server-timing")!, /total;dur=0\.000/);
  const reader = response.body!.pipeThrough(new TextDecoderStream())
    .getReader();
  assertEquals((await reader.read()).value, "data: 1\n\n");
  clock.tick(100);
  next.resolve();
  assertEquals((await reader.read()).value, "data: 2\n\n");
  assertEquals((await reader.read()).done, true);
  assertEquals(
    entries.map(({ status, ms, route }) => [status, ms, route]),
    [[200, 0, "/api/events"]],
  );
});

Deno.test("accessLog() sends the response even if the entry cannot be written (behaviour 8.6)", async () => {
  const fail = () => {
    throw new Error("disk is full");
  };
  for (const write of [fail, () => Promise.try(fail)]) {
    using log = new CapturedLog();
    const application = TestApplication.of(liveFiles(), {
      middleware: [accessLog({ write })],
    });
    await using server = await application.serve();
    assertEquals(await textAt(server, "/api"), "served");
    assertEquals(await echo(server, "/api/upgraded"), "text word");
    assertEquals(await textAt(server, "/api"), "served");
    assertEquals(log.lines.length, 3);
    for (const line of log.lines) {
      assert(line.includes("accessLog() could not write"), line);
      assert(line.includes("Error: disk is full"), line);
    }
  }
});

Deno.test("accessLog() omits an address that the server does not know", async () => {
  const hide: Middleware = (request, next) => {
    Object.defineProperty(request, "info", {
      value: {
        get remoteAddr() {
          throw new TypeError("Request closed");
        },
      },
    });
    return next();
  };
  const { application, entries } = logged(liveFiles(), hide);
  const response = await application.fetch("/api");
  assertEquals(await response.text(), "served");
  assertEquals(entries.map(({ client }) => client), [undefined]);
});

Deno.test("accessLog() prints one line of JSON for each request, and escapes characters that break a line or control a terminal", async () => {
  const path = "/api/\x1b[31m\x7f\x85\x9b2J\u2028\u2029\u202e\u2066\ud800\n";
  const raw: Middleware = (request, next) => {
    // The URL that a server passes on; `new Request()` would escape it.
    Object.defineProperty(request, "url", { value: `http://localhost${path}` });
    return next();
  };
  const application = TestApplication.of(FILES, {
    middleware: [raw, accessLog()],
  });
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    await (await application.fetch("/api")).body?.cancel();
  } finally {
    console.log = log;
  }
  assertEquals(lines.length, 1);
  assertMatch(lines[0]!, /^[\x20-\x7e]+$/);
  assertEquals(JSON.parse(lines[0]!).path, path);
});
