import type { TestApplication, TestServer } from "../../support/application.ts";
import { delay } from "../../support/until.ts";

/** A body, which may have bytes that are not UTF-8. */
export type Body = string | Uint8Array<ArrayBuffer>;

/** A request with a body, by default JSON for `/api`. */
export interface Sent {
  readonly body: Body;
  readonly target?: string;
  readonly type?: string;
}

/** Sends a body, and returns the JSON object of the response. */
type Send = (
  sent: Sent,
  application: TestApplication,
  server: TestServer,
) => Promise<unknown>;

const JSON_TYPE = "application/json";

/** How a body may arrive. */
export const ARRIVALS: Readonly<Record<string, Send>> = {
  "with its head": (sent, _, server) =>
    exchange(server, [new Blob([framed(sent), sent.body])]),
  "after its head": (sent, _, server) =>
    exchange(server, [framed(sent), sent.body]),
  "in chunks": (sent, _, server) =>
    exchange(server, [
      `${headOf(sent)}Transfer-Encoding: chunked\r\n\r\n`,
      sent.body === "" ? "" : chunkOf(sent.body),
      "0\r\n\r\n",
    ]),
  "in chunks, with its head": (sent, _, server) =>
    exchange(server, [
      new Blob([
        `${headOf(sent)}Transfer-Encoding: chunked\r\n\r\n`,
        sent.body === "" ? "" : chunkOf(sent.body),
        "0\r\n\r\n",
      ]),
    ]),
  "in process": async (
    { body, target = "/api", type = JSON_TYPE },
    application,
  ) => {
    const headers = { "content-type": type };
    const request = { method: "POST", body, headers };
    return await (await application.fetch(target, request)).json();
  },
};

function byteLength(body: Body): number {
  return new Blob([body]).size;
}

function headOf({ target = "/api", type = JSON_TYPE }: Sent): string {
  return `POST ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
}

/** The head of a request with the length of its body. */
export function framed(sent: Sent): string {
  return `${headOf(sent)}Content-Length: ${byteLength(sent.body)}\r\n\r\n`;
}

function chunkOf(body: Body): Blob {
  return new Blob([`${byteLength(body).toString(16)}\r\n`, body, "\r\n"]);
}

/** Sends parts with pauses between them; returns the JSON object of the response. */
export async function exchange(
  { port }: TestServer,
  [first, ...parts]: readonly BlobPart[],
): Promise<unknown> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writer = connection.writable.getWriter();
  await writer.write(await new Blob([first!]).bytes());
  for (const part of parts) {
    await delay(30);
    await writer.write(await new Blob([part]).bytes());
  }
  const response = await new Response(connection.readable).text();
  return JSON.parse(/\{.*\}/.exec(response)![0]);
}
