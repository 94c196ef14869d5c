/**
 * Passes requests on over HTTP/2 without TLS, to the port that the argument names. Deno's
 * `node:http2` aborts its process now and then, so it runs in a process of its own.
 */
import type { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect } from "node:http2";
import type { Http2Request, Http2Response } from "./http2.ts";

/** Connections without a request; each request has one to itself. */
const idle: ClientHttp2Session[] = [];

function connected(): ClientHttp2Session {
  const session = idle.pop() ?? connect(`http://127.0.0.1:${Deno.args[0]}`)
    // Each request reports a missing response itself.
    .on("error", () => {});
  return session.destroyed ? connected() : session;
}

function send({ headers, body }: Http2Request): Promise<Http2Response> {
  const session = connected();
  return new Promise((resolve) => {
    const endStream = body === "";
    const stream = session.request({ ...headers }, { endStream });
    const received = { status: 0, headers: {}, body: "", error: 0 };
    stream.on("response", ({ ":status": status, ...headers }) => {
      Object.assign(received, { status: Number(status), headers });
    });
    stream.on("data", (data: Buffer) => received.body += data.toString());
    stream.on("error", () => {});
    stream.on("close", () => {
      idle.push(session);
      resolve({ ...received, error: stream.rstCode ?? 0 });
    });
    if (!endStream) stream.end(body);
  });
}

Deno.serve(
  {
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`Listening ${port}.`),
  },
  async (request) => Response.json(await send(await request.json())),
);
