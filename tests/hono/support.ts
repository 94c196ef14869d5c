import type { Middleware } from "@bough/framework";
import type { CommonOptions } from "@bough/framework/types";
import { honoMiddleware } from "@bough/framework/hono";
import { z } from "zod";
import {
  TestApplication,
  type TestModule,
  type TestServer,
} from "../support/application.ts";

/** Ends the response of the slow route. */
export const slow = { finish: () => {} };

const FILES: Readonly<Record<string, TestModule>> = {
  "route.ts": {
    GET: () => new Response("hello ".repeat(500)),
    POST: async (request) => new Response(await request.text()),
  },
  "items/[id]/route.ts": {
    schema: { put: { body: z.object({ a: z.string() }) } },
    PUT: async (request) =>
      Response.json([request.validated.body, await request.json()]),
  },
  "throws/route.ts": {
    GET: () => {
      throw new Error("secret");
    },
  },
  "slow/route.ts": {
    GET: async () => {
      await new Promise<void>((resolve) => slow.finish = resolve);
      return new Response("late");
    },
  },
  "redirect/route.ts": { GET: () => Response.redirect("http://localhost/x") },
  "socket/route.ts": {
    GET: (request) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = ({ data }) => socket.send("echo " + data);
      return response;
    },
  },
};

/** An application behind middleware of Hono, or of Bough. */
export function behind(
  middleware: readonly Middleware[],
  options: CommonOptions = {},
): TestApplication {
  return TestApplication.of(FILES, { ...options, middleware });
}

/** Serves the routes behind middleware of Hono. */
export async function serve(
  ...middleware: readonly Parameters<typeof honoMiddleware>[0][]
): Promise<TestServer> {
  return await behind(middleware.map((each) => honoMiddleware(each))).serve();
}

/** The status of a response from a server. */
export async function status(
  server: TestServer,
  path: string,
  init?: RequestInit,
): Promise<number> {
  const { status, body } = await fetch(server.url(path), init);
  await body?.cancel();
  return status;
}

/** The headers and the status of a response from a server. */
export async function head(
  server: TestServer,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(server.url(path), init);
  await response.body?.cancel();
  return response;
}
