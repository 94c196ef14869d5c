/** Streams of events from responses and servers of tests. */
import { createClient } from "@bough/framework/client";
import type { Framework } from "@bough/framework";
import { z } from "zod";

/** Routes with one stream. */
export const small = {
  "route.ts": {
    schema: { get: { events: { message: z.unknown() } } },
    GET: () => new Response(),
  },
};

/** Reads the events of responses, one for each request. */
export function scripted(
  ...responses: ((request: Request) => Response | Promise<Response>)[]
): { readonly reads: Promise<unknown[]>; readonly requests: Request[] } {
  const requests: Request[] = [];
  const api = createClient<typeof small>({
    fetch: (request) => {
      requests.push(request);
      return responses[requests.length - 1]!(request);
    },
  });
  async function read(): Promise<unknown[]> {
    const all: unknown[] = [];
    try {
      for await (const { data } of api.events("/")) all.push(data);
    } catch (error) {
      all.push(String(error));
    }
    return all;
  }
  return { reads: read(), requests };
}

/** Creates a response with this stream. */
export const stream = (body: BodyInit | null) => (): Response =>
  new Response(body, {
    headers: { "content-type": "Text/Event-Stream; charset=utf-8" },
  });
/** A response after which the client does not reconnect. */
export const over = () => new Response(null, { status: 204 });
/** Creates a response without events. */
export const failed = (status: number, headers?: HeadersInit) => () =>
  new Response("no", { status, ...(headers && { headers }) });
/** A failure of the network. */
export const broken = (): never => {
  throw new TypeError("The network is down");
};

/** Serves an application, by default on a free port. */
export function serve(
  app: Framework,
  port = 0,
): Promise<Deno.HttpServer<Deno.NetAddr>> {
  return app.serve({ hostname: "127.0.0.1", port, onListen() {} });
}
