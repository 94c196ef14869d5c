/** Serves a stream that `events.ts` compares; the argument names the stream. */
import { ServerSentEventStream } from "@std/http/server-sent-event-stream";
import { Framework, type FrameworkRequest } from "@bough/framework";
import { events } from "@bough/framework/live";

const HEADERS = { "content-type": "text/event-stream" };
const ENCODER = new TextEncoder();

/** The events of a query, such as `?count=1000`. */
async function* orders(url: string) {
  const count = Number(new URL(url).searchParams.get("count"));
  for (let id = 1; id <= count; id++) {
    yield { id, data: { title: "Emma", total: id % 100 } };
  }
}

const SERVERS: Record<
  string,
  () => (request: Request, info: Deno.ServeHandlerInfo) => unknown
> = {
  bough: () => {
    const GET = (request: FrameworkRequest) =>
      events(request, async function* () {
        for await (const { id, data } of orders(request.url)) {
          yield { event: "order", id, data };
        }
      });
    const manifest = { "orders/route.ts": { GET } };
    return new Framework({ manifest, apiPrefix: "" }).fetch;
  },
  // The shortest useful code, without heartbeats, checks or an expiry.
  hand: () => (request) => {
    const iterator = (async function* () {
      for await (const { id, data } of orders(request.url)) {
        yield { event: "order", id, data };
      }
    })();
    const body = new ReadableStream({
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) return controller.close();
        const { event, id, data } = value;
        controller.enqueue(ENCODER.encode(
          `event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`,
        ));
      },
      async cancel() {
        await iterator.return();
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: HEADERS });
  },
  std: () => (request) => {
    const messages = (async function* () {
      for await (const { id, data } of orders(request.url)) {
        yield { event: "order", id, data: JSON.stringify(data) };
      }
    })();
    const body = ReadableStream.from(messages)
      .pipeThrough(new ServerSentEventStream());
    return new Response(body, { headers: HEADERS });
  },
};

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(port),
}, SERVERS[Deno.args[0]!]!() as Deno.ServeHandler);
