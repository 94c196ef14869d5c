import { HttpError } from "../http_error.ts";

/** What the client reads where its body is not what its content type says. */
export const MALFORMED = {
  json: "The body is not valid JSON",
  formData: "The body is not a valid form",
} as const;

/**
 * The errors of body readers that are a client's fault, each with the detail for
 * the client. If a handler does not catch one, the response is a 400.
 */
const details = new WeakMap<object, string>();

/** Notes an error of a body reader if it is the client's fault. */
export function noteReadFailure(error: unknown): void {
  if (!(error instanceof Error) || error instanceof HttpError) return;
  if (error instanceof SyntaxError) {
    details.set(error, MALFORMED.json);
  } else if (!(error instanceof TypeError)) {
    // With a TypeError, the handler had locked or read the stream before.
    details.set(error, "The body could not be read to its end");
  }
}

/** The error of `formData()` where the body is not a form. */
export function malformedForm(): TypeError {
  const error = new TypeError(MALFORMED.formData);
  details.set(error, MALFORMED.formData);
  return error;
}

/**
 * The 400 for an error of a body reader that a handler did not catch; `undefined`
 * for every other error.
 */
export function clientFault(error: unknown): HttpError | undefined {
  const detail = details.get(error as object);
  return detail === undefined
    ? undefined
    : new HttpError(400, detail, { cause: error });
}
