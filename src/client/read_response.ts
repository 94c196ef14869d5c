import { isJson, isText, mediaType } from "../core/common/media_type.ts";

/** A response with its body. */
export interface Reading {
  readonly status: number;
  readonly data: unknown;
  readonly problem: unknown;
  readonly text: string;
  readonly response: Response;
}

/**
 * Reads the body of a response by its media type: JSON, a string, or a `Blob`. An event
 * stream may never end, so the function returns the stream unread.
 *
 * @param call The method and the path of the call, for error messages.
 * @throws {SyntaxError} If the content type is JSON, but the body is malformed.
 */
export async function readResponse(
  response: Response,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<Reading> {
  const { status } = response;
  const type = mediaType(response.headers.get("content-type"));
  let data: unknown;
  let text = "";
  if (method === "HEAD" || response.body === null) {
    data = undefined;
  } else if (type === "text/event-stream") {
    data = response.body;
  } else if (isJson(type)) {
    text = await response.text();
    const fault =
      `the response to ${method} "${path}": the content type is "${type}", but the body is malformed`;
    data = text === "" ? undefined : parseJson(text, fault);
  } else if (isText(type)) {
    data = text = await response.text();
  } else {
    data = await response.blob();
  }
  const problem = type === "application/problem+json" ? data : undefined;
  return { status, data, problem, text, response };
}

/**
 * Parses JSON.
 *
 * @param fault The end of the error message, which describes the malformed JSON.
 * @throws {SyntaxError} If the JSON is malformed.
 */
export function parseJson(json: string, fault: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new SyntaxError(`Cannot read ${fault}`, { cause });
  }
}
