/** A traced program: serves an application, and sends requests of all kinds. */
import {
  Framework,
  type FrameworkRequest,
  type Plugin,
} from "@bough/framework";
import { events } from "@bough/framework/live";
import { HOSTILE } from "../../support/hostile.ts";
import { delay } from "../../support/until.ts";

/** A plugin whose route calls another route of the application. */
const plugin: Plugin = {
  name: "outer",
  routes: ({ fetch }) => [{
    path: "/outer",
    handlers: {
      POST: ({ url, info }) =>
        fetch(new Request(new URL("/api/users/secret-5", url)), info),
    },
  }],
};

const app = new Framework({
  manifest: {
    "users/[id]/route.ts": {
      async GET({ params }: FrameworkRequest<"/users/[id]">) {
        await delay(1);
        if (params.id === "broken") throw new TypeError("no database");
        if (params.id === "unreadable") throw HOSTILE["texts that throw"];
        return Response.json(params);
      },
    },
    "old/route.ts": {
      schema: { get: { deprecated: true } },
      GET: () => new Response(),
    },
    "events/route.ts": {
      GET: (request: FrameworkRequest) =>
        events(request, async function* ({ signal }) {
          yield { data: 1 };
          await new Promise((go) => signal.addEventListener("abort", go));
        }),
    },
  },
  plugins: [plugin],
  rewrite: ({ url }) =>
    url.endsWith("/secret-1") ? "/api/users/secret-1" : undefined,
});
const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
const server = await app.serve(options);
const url = `http://127.0.0.1:${server.addr.port}`;

for (
  const [path, method] of [
    ["/secret-1", "GET"],
    ["/api/users/broken", "GET"],
    ["/api/users/secret-2", "DELETE"],
    ["/secret-3", "GET"],
    ["/secret-4", "SECRET"],
    ["/api/users/unreadable", "GET"],
    ["/api/old", "GET"],
    ["/api/old", "POST"],
    ["/outer", "POST"],
  ] as const
) {
  const response = await fetch(url + path, { method });
  await response.body?.cancel();
}
const stream = await fetch(`${url}/api/events`);
const reader = stream.body!.getReader();
await reader.read();
await delay(50);
// The test reads when the stream was still open.
console.log(Date.now());
await delay(10);
await reader.cancel();
await server.shutdown();
