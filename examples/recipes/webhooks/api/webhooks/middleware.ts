import { HttpError, type Middleware } from "@bough/framework";
import { TOLERANCE, verifySignature } from "../../signature.ts";

/**
 * The received messages whose signatures are still valid, the oldest first. Only
 * signed messages are stored, so the sender limits their number.
 */
const received = new Map<string, { ends: number; isDone: boolean }>();

/** Accepts only signed messages, and handles each message once. */
const requireSignature: Middleware = async (request, next) => {
  const id = await verifySignature(
    request.headers,
    await request.bytes(),
  );
  removeEnded();
  const earlier = received.get(id);
  if (earlier?.isDone) return new Response(null, { status: 204 });
  if (earlier !== undefined) {
    throw new HttpError(409, "The message is being handled", {
      headers: { "retry-after": "10" },
    });
  }
  // Twice the tolerance, since the timestamp of a message may be ahead of the clock.
  const message = { ends: Date.now() + 2 * TOLERANCE * 1000, isDone: false };
  received.set(id, message);
  try {
    const response = await next();
    message.isDone = response.ok;
    return response;
  } finally {
    if (!message.isDone) received.delete(id); // the sender will try again
  }
};

function removeEnded(): void {
  for (const [id, { ends }] of received) {
    if (ends > Date.now()) break;
    received.delete(id);
  }
}

export default requireSignature;
