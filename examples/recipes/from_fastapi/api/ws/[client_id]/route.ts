import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { type LiveSocket, socket } from "@bough/framework/live";
import { z } from "zod";

const Text = z.string().max(500);

export const schema = {
  get: {
    params: z.object({ client_id: z.coerce.number().int() }),
    socket: { receive: Text, send: z.string() },
  },
} satisfies RouteSchema;

/** The `ConnectionManager` of the tutorial. */
const connections = new Set<LiveSocket<string>>();

function broadcast(message: string): void {
  for (const connection of connections) connection.send(message);
}

export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { client_id } = request.validated.params;
  return socket(request, {
    open: (connection) => void connections.add(connection),
    message(text, connection) {
      connection.send(`You wrote: ${text}`);
      broadcast(`Client #${client_id} says: ${text}`);
    },
    close(_code, _reason, connection) {
      connections.delete(connection);
      broadcast(`Client #${client_id} left the chat`);
    },
  });
}
