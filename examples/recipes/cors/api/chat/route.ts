import type { FrameworkRequest } from "@bough/framework";
import { socket } from "@bough/framework/live";
import { z } from "zod";
import { nameOf } from "../../visitor.ts";

export const schema = {
  get: { socket: { receive: z.string().max(500), send: z.string() } },
};

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const name = nameOf(request);
  return socket(request, {
    message: (text, socket) => void socket.send(`${name}: ${text}`),
  });
}
