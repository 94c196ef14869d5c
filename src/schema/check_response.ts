import { logWarning } from "../common/log.ts";
import { assertUsable, discard, isStreamed } from "../response.ts";
import type { FrameworkRequest, Handler } from "../types/request.ts";
import type { MethodSchema } from "../types/schema.ts";
import { readsBody, responseFaults } from "./response_faults.ts";
import { type DeclaredResponse, declaredResponses } from "./responses.ts";

/** Whether to refuse a response that does not fit its schema, or only to warn. */
export type ResponseValidation = boolean | "warn";

/** Thrown where the response of a handler does not fit its schema. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

/** How many characters of a stream are kept for its check. */
const MAX_STREAM = 1024 * 1024;

/**
 * Wraps a handler to check its responses against what is declared for their status.
 * It reads a copy of each response: the client gets what the handler made, even where
 * the schema strips or transforms values.
 *
 * @param declared The `response` member of the method's schema.
 * @param place The route, for a warning.
 */
export function checkResponses(
  handler: Handler,
  declared: MethodSchema["response"],
  { validation, place }: {
    readonly validation: ResponseValidation;
    readonly place: string;
  },
): Handler {
  if (validation === false || declared === undefined) return handler;
  const responses = declaredResponses(declared);
  return async (request: FrameworkRequest) => {
    const response = assertUsable(await handler(request));
    const expected = responses.get(response.status);
    if (expected === undefined) return response;
    const where = `${request.method} ${place}`;
    const isUnread = isStreamed(response);
    const faults = await responseFaults(response, expected, {
      isHead: request.method === "HEAD",
      isUnread,
    });
    if (faults === "") {
      return isUnread && readsBody(response, expected)
        ? checkWhileRead(response, expected, { validation, where })
        : response;
    }
    const message = mismatch(response, faults);
    if (validation !== "warn") {
      discard(response);
      throw new ResponseSchemaError(message);
    }
    logWarning(`${where}: ${message}`);
    return response;
  };
}

/**
 * Checks a stream at its end, when its head is sent already: one that does not fit ends
 * with an error. Nothing is read ahead of the client, or after it has left.
 */
function checkWhileRead(
  response: Response,
  expected: DeclaredResponse,
  { validation, where }: {
    readonly validation: ResponseValidation;
    readonly where: string;
  },
): Response {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text: string | undefined = "";

  async function check(text: string): Promise<void> {
    const whole = new Response(text, response);
    const faults = await responseFaults(whole, expected, { isHead: false });
    if (faults === "") return;
    const message = `${where}: ${mismatch(response, faults)}`;
    if (validation !== "warn") throw new ResponseSchemaError(message);
    logWarning(message);
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        if (text !== undefined) await check(text + decoder.decode());
        return controller.close();
      }
      controller.enqueue(value);
      if (text !== undefined) text += decoder.decode(value, { stream: true });
      if (text === undefined || text.length <= MAX_STREAM) return;
      text = undefined;
      logWarning(
        `${where}: its response with status ${response.status} is a stream of more than 1 MiB, which is not checked`,
      );
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Response(body, response);
}

function mismatch({ status }: Response, faults: string): string {
  return `its response with status ${status} does not fit its schema: ${faults}`;
}
