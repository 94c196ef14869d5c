/**
 * An application that repeats the secrets of its clients in many ways, and a second
 * server that shows the memory of the process; run with `--v8-flags=--expose-gc`. Prints
 * both ports.
 */
import { Framework, type FrameworkRequest, HttpError } from "@bough/framework";
import { inspector } from "@bough/framework/dev";
import { events, socket } from "@bough/framework/live";
import { z } from "zod";
import { delay } from "../../support/until.ts";
import { serveMeasured } from "./measured.ts";

type Handler = (request: FrameworkRequest & Request) => unknown;

async function passwordOf(request: Request): Promise<string> {
  return (await request.json()).password;
}

function chunked(...parts: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts).pipeThrough(new TextEncoderStream());
}

/** Handlers by the last part of the path. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  ok: () => new Response("ok"),
  echo: async (request) =>
    new Response(await request.text(), {
      headers: { "content-type": request.headers.get("content-type") ?? "" },
    }),
  form: async (request) => Response.json([...await request.formData()]),
  login: async (request) => {
    const value = encodeURIComponent(await request.text());
    const headers = new Headers({ location: `/next?access_token=${value}` });
    headers.append("set-cookie", `session=${value}; Path=/`);
    return new Response(null, { status: 303, headers });
  },
  issue: async (request) => {
    const refreshToken = await request.text();
    console.log("issued", refreshToken);
    return Response.json({ user: { refreshToken } });
  },
  stream: async (request) =>
    new Response(chunked('{"tok', `en":"${await request.text()}`, '"}')),
  events: async (request) => {
    const token = await passwordOf(request);
    return events(request, async function* () {
      yield { data: { echo: token } };
      await delay(5);
      yield { data: `again ${token}` };
    });
  },
  socket: (request) =>
    socket(request, {
      message(value, socket) {
        const { password } = JSON.parse(`${value}`);
        socket.send(`got ${password}`);
        socket.close(1000, `bye ${password}`);
      },
    }),
  error: async (request) => {
    const password = await passwordOf(request);
    const cause = new Error(`Not ${password}`, { cause: { password } });
    throw new Error(`Wrong password ${password}`, { cause });
  },
  stack: async (request) => {
    const error = new Error("short");
    const password = await passwordOf(request);
    error.stack = `Error: short\n    at ${password} (file:///a.ts:1:1)`;
    throw error;
  },
  thrown: async (request) => {
    throw { password: await request.text() };
  },
  http: async (request) => {
    const detail = await passwordOf(request);
    const errors = [{ in: "body", pointer: "#/password", detail }];
    throw new HttpError(422, `Not ${detail}`, { errors });
  },
  members: async (request) => {
    const password = await request.text();
    const errors = [{ in: "query", pointer: "#/q", detail: "Wrong", password }];
    throw new HttpError(422, "Wrong", { errors });
  },
  pointer: async (request) => {
    const [name] = Object.keys(await request.json());
    const errors = [{ in: "body", pointer: `#/${name}`, detail: "Wrong" }];
    throw new HttpError(422, "Wrong", { errors });
  },
  failing: async (request) => {
    const password = await passwordOf(request);
    const pull = () => Promise.reject(new Error(`Stream of ${password}`));
    return new Response(new ReadableStream({ pull }));
  },
  logs: async (request) => {
    console.log("before the body %s", request.headers.get("x-copy"));
    const body = await request.json();
    const { password } = body;
    console.log("signing in", password);
    console.info(body, [...request.headers]);
    console.error(new Error(`Not ${password}`, { cause: body }));
    console.warn(new Map([["password", password]]));
    console.debug(JSON.stringify(JSON.stringify(body)));
    console.trace(encodeURIComponent(password), btoa(`ada:${password}`));
    return new Response("ok");
  },
  log: async (request) => {
    const password = await request.text();
    console.log("before", password);
    console.log(`password=${password}`);
    return new Response("ok");
  },
  "log-colon": async (request) => {
    console.log("password:", await request.text());
    return new Response("ok");
  },
  "log-number": async (request) => {
    console.log({ pin: Number(await request.text()) });
    return new Response("ok");
  },
  late: async (request) => {
    const text = await request.text();
    console.log("before", text);
    request.waitUntil(delay(5).then(() => console.log(`token=${text}`)));
    return new Response("ok");
  },
};

const by: Handler = (request) => HANDLERS[request.params.name!]!(request);

const app = new Framework({
  manifest: {
    "[name]/route.ts": { GET: by, POST: by },
    "reset/[token]/route.ts": {
      GET: ({ params }: FrameworkRequest) => Response.json(params),
    },
    "account/route.ts": {
      schema: {
        post: {
          query: z.object({ token: z.string().max(40).optional() }),
          body: z.object({ password: z.string() })
            .transform(({ password }) => ({ stored: password })),
        },
      },
      POST: ({ validated }: FrameworkRequest) => Response.json(validated),
    },
  },
});
// V8 itself keeps what its console prints.
for (
  const method of ["debug", "error", "info", "log", "trace", "warn"] as const
) {
  console[method] = () => {};
}
await inspector(app, { secrets: ["licence"] });
await serveMeasured(app);
