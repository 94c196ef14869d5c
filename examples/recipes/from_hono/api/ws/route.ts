import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { socket } from "@bough/framework/live";
import { z } from "zod";

export const schema = {
  get: { socket: { receive: z.string(), send: z.string() } },
} satisfies RouteSchema;

/** `upgradeWebSocket()`. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  return socket(request, {
    message: (text, connection) => void connection.send(`Received: ${text}`),
  });
}
