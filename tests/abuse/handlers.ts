import { assert, assertEquals, assertRejects } from "@std/assert";
import type { TestModule } from "../support/application.ts";
import { type AbuseCase, attack } from "./case.ts";

const released = Promise.withResolvers<void>();

const FILES: Record<string, TestModule> = {
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
};

/** Handlers that hang, or fail halfway. */
export const HANDLERS: readonly AbuseCase[] = [{
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
}];
