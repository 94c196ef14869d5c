import { logWarning } from "../../common/log_error.ts";
import type { FrameworkRequest, Handler } from "../request.ts";
import { assertUsable, discard } from "../response.ts";
import { declaredResponses } from "./declared_response.ts";
import { responseFaults } from "./response_faults.ts";
import type { MethodSchema } from "./schema.ts";

/** Whether to refuse a response that does not fit its schema, or only to warn. */
export type ResponseValidation = boolean | "warn";

/** Thrown where the response of a handler does not fit its schema. */
export class ResponseSchemaError extends Error {
  /** The name of the error class. */
  override name = "ResponseSchemaError";
}

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
    const faults = await responseFaults(response, expected, {
      isHead: request.method === "HEAD",
    });
    if (faults === "") return response;
    const message =
      `its response with status ${response.status} does not fit its schema: ${faults}`;
    if (validation !== "warn") {
      discard(response);
      throw new ResponseSchemaError(message);
    }
    logWarning(`${request.method} ${place}: ${message}`);
    return response;
  };
}
