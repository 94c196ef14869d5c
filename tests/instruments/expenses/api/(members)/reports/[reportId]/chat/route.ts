import type { FrameworkRequest, RouteSchema } from "@bough/framework";
import { socket } from "@bough/framework/live";
import { z } from "zod";
import { Decision, id, line, Status } from "../../../../../schemas.ts";
import {
  addMessage,
  broadcast,
  listMessages,
} from "../../../../../store/chat.ts";
import { store } from "../../../../../store/database.ts";
import { decide, getVisibleReport } from "../../../../../store/reports.ts";
import { viewer } from "../../../../../store/users.ts";

const Message = z.strictObject({
  id: z.int(),
  from: z.string(),
  text: z.string(),
  at: z.iso.datetime(),
});

export const schema = {
  get: {
    summary: "Discuss a report with the administrators, who may decide on it",
    access: ["owner", "admin"],
    params: z.object({ reportId: id }),
    socket: {
      receive: z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("message"), text: line(500) }),
        z.strictObject({ type: z.literal("decide"), decision: Decision }),
      ]),
      send: z.discriminatedUnion("type", [
        z.strictObject({
          type: z.literal("welcome"),
          status: Status,
          messages: z.array(Message),
        }),
        z.strictObject({ type: z.literal("message"), message: Message }),
        z.strictObject({
          type: z.literal("decided"),
          decision: Decision,
          by: z.string(),
        }),
        z.strictObject({ type: z.literal("error"), detail: z.string() }),
      ]),
    },
  },
} satisfies RouteSchema;

/** Only the owner of the report and administrators may join. */
export function GET(request: FrameworkRequest<typeof schema.get>): Response {
  const { reportId } = request.validated.params;
  const data = store.get(request);
  const user = viewer.get(request);
  const { report } = getVisibleReport(data, user, reportId);
  const room = data.rooms.getOrInsertComputed(reportId, () => new Set());
  return socket(request, {
    open(socket) {
      room.add(socket);
      const messages = listMessages(data, reportId);
      socket.send({ type: "welcome", status: report.status, messages });
    },
    message(received, socket) {
      if (received.type === "message") {
        const message = addMessage(data, reportId, user, received.text);
        broadcast(data, reportId, { type: "message", message });
        return;
      }
      const { decision } = received;
      if (user.role !== "admin") {
        const detail = "Only administrators may decide";
        socket.send({ type: "error", detail });
      } else if (decide(data, user, reportId, decision) === undefined) {
        const detail = "The report cannot be decided";
        socket.send({ type: "error", detail });
      } else {
        broadcast(data, reportId, { type: "decided", decision, by: user.name });
      }
    },
    close: (_code, _reason, socket) => {
      room.delete(socket);
      if (room.size === 0) data.rooms.delete(reportId);
    },
  });
}
