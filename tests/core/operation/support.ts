import type { Middleware } from "@bough/framework";
import { z } from "zod";
import type { TestApplication, TestModule } from "../../support/application.ts";

/** Middleware that adds its name and `request.validated` to the response. */
export const noting = (name: string, ...contracts: object[]): Middleware => {
  const note: Middleware = async (request, next) => {
    const seen = JSON.stringify(request.validated);
    const response = await next();
    response.headers.append("x-seen", `${name} ${seen}`);
    return response;
  };
  return Object.assign(note, { contracts });
};

/** A folder with a contract, whose middleware notes what it sees. */
export const level = (name: string, contract: object): TestModule => ({
  contract,
  default: noting(name),
});

/** A schema with a required string. */
export const text = (name: string) => z.object({ [name]: z.string() });
/** A schema with a required number. */
export const count = (name: string) => z.object({ [name]: z.coerce.number() });

/** A handler that responds with the validated values. */
export const echo = ({ validated }: { validated: unknown }) =>
  Response.json(validated);
/** A route with this handler. */
export const ECHO: TestModule = { GET: echo, POST: echo };

/** The status, the body or the issues, and the notes of middleware. */
export async function outcome(
  application: TestApplication,
  target = "/api",
  init: RequestInit = {},
): Promise<string> {
  const response = await application.fetch(target, init);
  const { status, headers } = response;
  let body = await response.text();
  if (status > 400) body = "";
  if (status === 400 && body !== "") {
    body = JSON.parse(body).errors.map(
      (each: { in: string; pointer: string }) => each.in + each.pointer,
    ).join(" ");
  }
  return `${status} ${body} | ${headers.get("x-seen") ?? ""}`;
}

/** The problem document of an unexpected error. */
export const INTERNAL = {
  type: "about:blank",
  title: "Internal Server Error",
  status: 500,
};

/** A route whose handler throws. */
export const throwing = (create: () => unknown): TestModule => ({
  GET() {
    throw create();
  },
});

/** Opens a socket and sends a message; returns the first message, or "closed". */
export async function firstMessage(
  url: string,
  message = "echo",
): Promise<string> {
  const socket = new WebSocket(url.replace("http", "ws"));
  const closed = new Promise<string>((resolve) => {
    socket.onclose = () => resolve("closed");
  });
  const received = new Promise<string>((resolve) => {
    socket.onopen = () => socket.send(message);
    socket.onmessage = ({ data }) => resolve(data);
  });
  const first = await Promise.race([received, closed]);
  socket.close();
  await closed;
  return first;
}

/** The bytes of a streamed file, or of the files of a streamed form. */
export async function sizeOf(
  body: {
    readonly stream?: ReadableStream<Uint8Array>;
    readonly files?: AsyncIterable<{ stream: ReadableStream<Uint8Array> }>;
  },
): Promise<number> {
  let size = 0;
  for await (const { length } of body.stream ?? []) size += length;
  for await (const file of body.files ?? []) size += await sizeOf(file);
  return size;
}
