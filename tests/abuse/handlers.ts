import { assert, assertEquals, assertRejects } from "@std/assert";
import type { TestModule } from "../support/application.ts";
import { type AbuseCase, attack, tally } from "./case.ts";

const released = Promise.withResolvers<void>();

const FILES: Record<string, TestModule> = {
  "throw/route.ts": {
    GET: () => {
      throw new Error("secret 1");
    },
    POST: () => Promise.reject(new Error("secret 2")),
    PUT: () => {
      throw null;
    },
    DELETE: () => {},
    PATCH: () => Object.create(Response.prototype),
  },
  "hang/route.ts": {
    GET: () => released.promise.then(() => new Response("at last")),
  },
  "half/route.ts": {
    GET: () => {
      let parts = 0;
      return new Response(
        new ReadableStream({
          pull(controller) {
            if (parts++ === 3) throw new Error("secret 3");
            controller.enqueue(new TextEncoder().encode("part"));
          },
        }),
      );
    },
  },
  "forget/route.ts": {
    GET: () => {
      Promise.reject(new Error("secret 4"));
      return new Response("sent");
    },
  },
  "head/route.ts": {
    GET: () => new Response("a", { headers: { "x": "a\r\nb: c" } }),
  },
};

/** Handlers that fail, in every possible way. */
export const HANDLERS: readonly AbuseCase[] = [{
  abuse:
    "handlers that throw, reject, throw null, return nothing or no response",
  must: "500 without details, one log line each",
  attempt: () =>
    attack({ files: FILES, logged: 5 }, async ({ server }) => {
      const statuses = [];
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"]) {
        const response = await fetch(server.url("/api/throw"), { method });
        const text = await response.text();
        assert(!/secret|handlers\.ts|at /.test(text), text);
        assertEquals(response.status, 500, method);
        statuses.push(response.status);
      }
      return tally(statuses);
    }),
}, {
  abuse: "50 handlers that never respond",
  must: "others are served meanwhile; clients can give up",
  attempt: () =>
    attack({ files: FILES }, async ({ server }) => {
      const signal = AbortSignal.timeout(300);
      const hanging = Array.from(
        { length: 50 },
        () => assertRejects(() => fetch(server.url("/api/hang"), { signal })),
      );
      const response = await fetch(server.url("/api/hello"));
      assertEquals(await response.text(), "hello");
      await Promise.all(hanging);
      // The server of the test can shut down only once they have responded.
      released.resolve();
      return String(response.status);
    }),
}, {
  abuse: "a response that streams and fails halfway",
  must: "the connection breaks, so that the client notices; one log line",
  attempt: () =>
    attack({ files: FILES, logged: 1 }, async ({ server, log }) => {
      const response = await fetch(server.url("/api/half"));
      await assertRejects(() => response.text());
      assert(log[0]!.includes("secret 3"), log[0]);
      return "cut off";
    }),
}, {
  abuse: "a promise that a handler forgets, and that rejects",
  must: "the response is sent, one log line, the server continues",
  attempt: () =>
    attack({ files: FILES, logged: 1 }, async ({ server }) => {
      const response = await fetch(server.url("/api/forget"));
      assertEquals(await response.text(), "sent");
      return String(response.status);
    }),
}, {
  abuse: "a handler that puts a line break into a header",
  must: "500, and the response has no smuggled header",
  attempt: () =>
    attack({ files: FILES, logged: 1 }, async ({ server }) => {
      const response = await fetch(server.url("/api/head"));
      await response.body?.cancel();
      assertEquals(response.status, 500);
      assertEquals(response.headers.get("b"), null);
      return String(response.status);
    }),
}];
