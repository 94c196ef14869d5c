import { HttpError } from "../http_error.ts";

/** What a body is called that does not read as its type. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
} as const;

/**
 * The errors that reading bodies failed with by the fault of a client, and what
 * to tell it. A handler that lets one through is answered with a 400.
 */
const details = new WeakMap<object, string>();

/** Notes why reading a body failed, if that is the client's fault. */
export function noteReadFailure(error: unknown): void {
  if (!(error instanceof Error) || error instanceof HttpError) return;
  if (error instanceof SyntaxError) {
    details.set(error, MALFORMED.json);
  } else if (!(error instanceof TypeError)) {
    // A TypeError says that the handler locked or read the stream before.
    details.set(error, "The body could not be read to its end");
  }
}

/** What `formData()` rejects with where the body is no form. */
export function malformedForm(): TypeError {
  const error = new TypeError(MALFORMED.formData);
  details.set(error, MALFORMED.formData);
  return error;
}

/**
 * The error to respond with where a handler let through what reading the body
 * rejected with.
 */
export function clientFault(error: unknown): HttpError | undefined {
  const detail = details.get(error as object);
  return detail === undefined
    ? undefined
    : new HttpError(400, detail, { cause: error });
}
