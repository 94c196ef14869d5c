import { logWarning } from "../common/log.ts";
import {
  type Application,
  placeText,
  type ResponseChecks,
} from "../request/record.ts";
import { discard, isStreamed } from "../response.ts";
import { mergeResponses } from "./effective_schema.ts";
import { readsBody, responseFaults } from "./response_faults.ts";
import { type DeclaredResponse, declaredResponses } from "./responses.ts";

/** Thrown where the response of a handler does not fit its schema. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

/** How many characters of a stream are kept for its check. */
const MAX_STREAM = 1024 * 1024;

/**
 * Creates the check of the responses of a method against what is declared for their
 * status, by its folders or by itself. It reads a copy of each response: the client gets
 * what the handler made, even where the schema strips or transforms values.
 */
export const createResponseCheck: ResponseChecks = (contracts, schema) => {
  const declared = mergeResponses(contracts, schema);
  if (declared === undefined) return undefined;
  const responses = declaredResponses(declared);
  return async (response, request, place) => {
    const expected = responses.get(response.status);
    if (expected === undefined) return response;
    const { validateResponses } = place.application;
    const where = placeText(request, place);
    const isUnread = isStreamed(response);
    const faults = await responseFaults(response, expected, {
      isHead: request.method === "HEAD",
      isUnread,
    });
    if (faults === "") {
      return isUnread && readsBody(response, expected)
        ? checkWhileRead(response, expected, { validateResponses, where })
        : response;
    }
    const message = mismatch(response, faults);
    if (validateResponses !== "warn") {
      discard(response);
      throw new ResponseSchemaError(message);
    }
    logWarning(`${where}: ${message}`);
    return response;
  };
};

/**
 * Checks a stream at its end, when its head is sent already: one that does not fit ends
 * with an error. Nothing is read ahead of the client, or after it has left.
 */
function checkWhileRead(
  response: Response,
  expected: DeclaredResponse,
  { validateResponses, where }: {
    readonly validateResponses: Application["validateResponses"];
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
    if (validateResponses !== "warn") throw new ResponseSchemaError(message);
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
