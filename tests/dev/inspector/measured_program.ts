/**
 * An inspected application that repeats the secrets of its clients, and sends long bodies,
 * and a second server that shows the memory of the process; run with
 * `--v8-flags=--expose-gc`. Prints both ports.
 */
import { Framework, type FrameworkRequest, HttpError } from "@bough/framework";
import { inspector } from "@bough/framework/dev";
import { events, socket } from "@bough/framework/live";
import { file } from "@bough/framework/uploads";
import { z } from "zod";
import { log } from "../../../src/core/common/log.ts";
import { delay } from "../../support/until.ts";
import { serveMeasured, settle } from "./measured.ts";

/** Lets the running requests end. */
const waiting = Promise.withResolvers<Response>();

type Handler = (request: FrameworkRequest & Request) => unknown;

async function passwordOf(request: Request): Promise<string> {
  return (await request.json()).password;
}

function chunked(...parts: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts).pipeThrough(new TextEncoderStream());
}

const MIB = 1024 * 1024;

const JSON_HEADERS = { "content-type": "application/json" };

/** Handlers by the last part of the path. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  ok: () => new Response("ok"),
  echo: async (request) =>
    new Response(await request.text(), {
      headers: { "content-type": request.headers.get("content-type") ?? "" },
    }),
  form: async (request) =>
    Response.json(Object.fromEntries(await request.formData())),
  wait: async (request) => {
    await request.text();
    return await waiting.promise;
  },
  login: async (request) => {
    const value = encodeURIComponent(await passwordOf(request));
    const headers = new Headers({ location: `/next?access_token=${value}` });
    headers.append("set-cookie", `session=${value}; Path=/`);
    headers.append("set-cookie", `theme=${value}`);
    headers.append("x-auth-token", value);
    return new Response(null, { status: 303, headers });
  },
  problem: async (request) => {
    const resetToken = await passwordOf(request);
    throw new HttpError(409, "Taken", { resetToken });
  },
  stream: async (request) => {
    const password = await passwordOf(request);
    const body = chunked('{"tok', `en":"${password}`, '"}');
    return new Response(body, { headers: JSON_HEADERS });
  },
  "stream-text": async (request) =>
    new Response(chunked("token=", await passwordOf(request))),
  "stream-cut": async (request) =>
    new Response(chunked('{"token":"', await passwordOf(request)), {
      headers: JSON_HEADERS,
    }),
  events: async (request) => {
    const token = await passwordOf(request);
    return events(request, async function* () {
      yield { data: { token } };
      await delay(5);
      yield { event: "again", data: [{ apiKey: token }] };
    });
  },
  socket: (request) =>
    socket(request, {
      message(value, socket) {
        const { password } = JSON.parse(`${value}`);
        socket.send(JSON.stringify({ token: password }));
        socket.send(`token=${password}`);
        socket.close(1000, `bye ${password}`);
      },
    }),
  /** The errors and logs below show a secret to people, but not to agents. */
  error: async (request) => {
    const password = await passwordOf(request);
    const cause = new Error(`Not ${password}`, { cause: { password } });
    throw new Error(`Wrong password ${password}`, { cause });
  },
  http: async (request) => {
    throw new HttpError(422, "Wrong", { cause: await passwordOf(request) });
  },
  failing: async (request) => {
    const password = await passwordOf(request);
    const pull = () => Promise.reject(new Error(`Stream of ${password}`));
    return new Response(new ReadableStream({ pull }));
  },
  logs: async (request) => {
    log({
      level: "warning",
      message: `in ${request.headers.get("x-api-key")}`,
    });
    const password = await passwordOf(request);
    log({ level: "error", message: "login", error: { password } });
    return new Response("ok");
  },
  long: async (request) =>
    request.method === "GET"
      ? new Response("x".repeat(100_000))
      : new Response(chunked("y".repeat((await request.text()).length))),
  download: (request) => {
    let rest = Number(new URL(request.url).searchParams.get("mib"));
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (rest-- > 0) controller.enqueue(new Uint8Array(MIB));
          else controller.close();
        },
      }),
    );
  },
  late: async (request) => {
    const message = `late ${await passwordOf(request)}`;
    request.waitUntil(delay(5).then(() => log({ level: "warning", message })));
    return new Response("ok");
  },
};

const by: Handler = (request) => HANDLERS[request.params.name!]!(request);
const account = z.object({ password: z.string().max(40) });

const app = new Framework({
  manifest: {
    "[name]/route.ts": { GET: by, POST: by },
    "reset/[token]/route.ts": {
      GET: ({ params }: FrameworkRequest) => Response.json(params),
    },
    "reset/[token]/wait/route.ts": { GET: () => waiting.promise },
    "upload/route.ts": {
      schema: { put: { body: file({ maxSize: "4GiB" }) } },
      async PUT({ validated }: FrameworkRequest) {
        const { stream } = validated.body as { stream: ReadableStream };
        let size = 0;
        for await (const chunk of stream) size += chunk.length;
        return Response.json(size);
      },
    },
    "account/route.ts": {
      schema: {
        post: {
          query: z.object({ token: z.string().max(40).optional() }),
          body: account,
        },
      },
      POST: ({ validated }: FrameworkRequest) => Response.json(validated),
    },
  },
});
// V8 itself keeps what its console prints.
console.error = console.warn = console.log = () => {};
await inspector(app, { secrets: ["licence"] });
await serveMeasured(app, async (path) => {
  if (path === "/end") return waiting.reject(new HttpError(503));
  if (path === "/rss") return Deno.memoryUsage().rss;
  await settle();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
});
