import type { FrameworkRequest } from "@bough/framework";
import {
  type LiveSocket,
  socket,
  type SocketSent,
} from "@bough/framework/live";
import { z } from "zod";
import { open } from "../../../../live.ts";
import { PlannedError } from "../../../../planned_error.ts";

const Message = z.strictObject({
  sender: z.int(),
  number: z.int(),
  text: z.string(),
});

export const schema = {
  get: {
    socket: {
      receive: Message,
      // A message of a member, or the number of members.
      send: Message.partial().extend({ members: z.int().optional() }),
    },
  },
};

type Member = LiveSocket<SocketSent<typeof schema.get>>;

/** A text that causes an error, which closes the socket. */
const FAILING = "fail";

/**
 * In milliseconds. After a client vanishes, Deno keeps a timer for half of this time, and
 * a stopping process waits for the timer.
 */
const IDLE_TIMEOUT = 10_000;

const rooms = new Map<string, Set<Member>>();

/** Greets each member, and sends messages to all members, some of them later. */
export function GET(
  request: FrameworkRequest<typeof schema.get, "/rooms/[room]">,
): Response {
  const { room } = request.params;
  let members = new Set<Member>();
  let self: Member;
  const response = socket(request, {
    open(socket) {
      members = rooms.get(room) ?? members;
      rooms.set(room, members.add(self = socket));
      socket.send({ members: members.size });
    },
    async message(message) {
      if (message.text === FAILING) throw new PlannedError();
      if (message.number % 3 === 0) await new Promise((go) => setTimeout(go));
      for (const member of members) member.send(message);
    },
    close() {
      open.sockets--;
      members.delete(self);
      if (members.size === 0) rooms.delete(room);
    },
  }, { idleTimeout: IDLE_TIMEOUT });
  // `close` runs once for each of these, even if the upgrade fails later.
  open.sockets++;
  return response;
}
