/** An application with a chat, whose messages go to all members. */
import type { TestedApplication } from "@bough/framework/testing";
import type { LiveSocket } from "@bough/framework/live";
import { z } from "zod";
import { TestApplication } from "../../support/application.ts";
import { looseSocket } from "../support.ts";

/** A message, which could be a form. */
export const Message = z.object({ name: z.string().max(20), text: z.string() });
export type Message = z.infer<typeof Message>;

/** The parts of a chat, which a test replaces. */
const PARTS = {
  receive: Message as z.ZodType<Message>,
  /** Handles a message before it is sent to all members. */
  handle: (_own: LiveSocket, _message: Message): unknown => undefined,
  open: (_own: LiveSocket): void => {},
};

/** A chat with other parts. */
export class Chat {
  /** The application. */
  readonly app: TestedApplication;
  /** The number of sockets. */
  opened = 0;
  /** The number of messages that the handler got. */
  handled = 0;

  constructor(parts: Partial<typeof PARTS> = {}) {
    const { receive, handle, open } = { ...PARTS, ...parts };
    const members = new Set<LiveSocket>();
    const schema = { get: { socket: { receive, send: Message } } };
    this.app = TestApplication.of({
      "chat/route.ts": {
        schema,
        GET: (request) =>
          looseSocket(request, {
            open: (own) => {
              this.opened++;
              members.add(own);
              open(own);
            },
            message: async (message, own) => {
              this.handled++;
              await handle(own, message);
              for (const member of members) member.send(message);
            },
            close: (_code, _reason, own) => void members.delete(own),
          }),
      },
    }).app;
  }
}
