/**
 * A program whose routes throw errors that no handler can catch. The first argument says
 * how the program uses its application, the second one may name an error.
 */
import { Framework } from "@bough/framework";
import { UNCAUGHT } from "./uncaught_errors.ts";

const [way = "", error = ""] = Deno.args;
const QUIET = { hostname: "127.0.0.1", port: 0, onListen() {} };

const manifest = {
  "route.ts": { GET: () => new Response("hello") },
  "socket/route.ts": {
    GET: (request: Request) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = () => {
        throw new Error("oops socket");
      };
      return response;
    },
  },
  "left/route.ts": {
    /** Throws once the client has disconnected. */
    GET: () =>
      new Response(
        new ReadableStream({
          start(controller) {
            const id = setInterval(() => {
              try {
                controller.enqueue(new Uint8Array(1_000));
              } catch (cause) {
                clearInterval(id);
                throw new Error("oops left", { cause });
              }
            }, 5);
          },
        }),
      ),
  },
  "ended/route.ts": {
    /** Rejects as Deno's server does when it ends by itself. */
    GET: () => {
      void Promise.reject(new Deno.errors.Http("oops ended"));
      return new Response("ok");
    },
  },
  ...Object.fromEntries(
    Object.entries(UNCAUGHT).map(([name, fail]) => [`${name}/route.ts`, {
      GET: (request: Request) => {
        fail(request);
        return new Response("ok");
      },
    }]),
  ),
};

const app = new Framework({
  manifest,
  exitOnUncaughtError: way.endsWith("exitOnUncaughtError"),
});

/** Ways to use an application; `deno serve` needs only the default export. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "app.serve()": () => app.serve({ port: 0 }),
  "app.serve() with exitOnUncaughtError": () => app.serve({ port: 0 }),
  "Deno.serve(app.fetch)": () =>
    Promise.resolve(Deno.serve({ port: 0 }, app.fetch)),
  "several servers": async () => {
    const other = new Framework({ manifest });
    const { addr } = Deno.serve(QUIET, other.fetch);
    await (await fetch(`http://127.0.0.1:${addr.port}/api`)).text();
    await (await app.serve(QUIET)).shutdown();
    await app.serve(QUIET);
    await app.serve({ port: 0 });
  },
  "own listeners": async () => {
    addEventListener("error", (event) => {
      event.preventDefault();
      console.log("mine:", event.error.message);
    });
    addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      console.log("mine:", event.reason.message);
    });
    await app.serve({ port: 0 });
  },
  "starts it": () => app.start(),
  "without a server": async () => {
    await app.routes();
    const response = await app.fetch(new Request("http://localhost/api"));
    await response.text();
    await (await app.serve(QUIET)).shutdown();
  },
};

if (Deno.mainModule.endsWith("uncaught_program.ts")) {
  await WAYS[way]?.();
  UNCAUGHT[error]?.(new Request("http://localhost"));
  if (error !== "") {
    // On a busy machine, the first timer may fire in the turn that finds the error.
    setTimeout(() => setTimeout(() => console.log("it went on"), 100), 100);
  }
} else {
  Deno.test("nothing hides an uncaught error", async () => {
    await WAYS[way]!();
    UNCAUGHT[error]!(new Request("http://localhost"));
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
}

export default app;
