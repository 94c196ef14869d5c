/** Streams of events from responses and servers of tests. */
import { createClient, type StreamOptions } from "@bough/framework/client";
import type { Framework } from "@bough/framework";
import { z } from "zod";

/** Routes with one stream. */
export const small = {
  "route.ts": {
    schema: { get: { events: { message: z.unknown() } } },
    GET: () => new Response(),
  },
};

/** The events of a server that is a function. */
export function eventsOf(
  respond: (request: Request, count: number) => Response | Promise<Response>,
  options: StreamOptions & { readonly signal?: AbortSignal } = {},
): ReturnType<typeof open> {
  let count = 0;
  return open((request) => respond(request, ++count), options);
}

function open(
  fetch: (request: Request) => Response | Promise<Response>,
  options: StreamOptions & { readonly signal?: AbortSignal },
) {
  return createClient<typeof small>({ fetch }).events("/", options);
}

/** Reads the events of responses, one for each request. */
export function scripted(
  ...responses: ((request: Request) => Response | Promise<Response>)[]
): { readonly reads: Promise<unknown[]>; readonly requests: Request[] } {
  const requests: Request[] = [];
  const events = eventsOf((request, count) => {
    requests.push(request);
    return responses[count - 1]!(request);
  });
  async function read(): Promise<unknown[]> {
    const all: unknown[] = [];
    try {
      for await (const { data } of events) all.push(data);
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
/** A stream that breaks after its bytes. */
export const torn = (bytes: string | Uint8Array<ArrayBuffer>) => () =>
  stream(
    new ReadableStream({
      start: (controller) =>
        controller.enqueue(
          typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
        ),
      pull: (controller) => controller.error(new TypeError("cut off")),
    }, { highWaterMark: 0 }),
  )();
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
