import { isJson, isText, mediaType } from "../common/media_type.ts";

/** A response as it was read. */
export interface Reading {
  readonly status: number;
  readonly data: unknown;
  readonly problem: unknown;
  readonly text: string;
  readonly response: Response;
}

/**
 * Reads the body of a response by its media type: JSON, a text, or a `Blob`. A
 * stream of events may never end, so it is handed over.
 *
 * @param call The call that it is to, for messages.
 * @throws {SyntaxError} If it says that it is JSON, and is not.
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
    const place =
      `the response to ${method} "${path}": its content type is "${type}", and its body is`;
    data = text === "" ? undefined : parseJson(text, place);
  } else if (isText(type)) {
    data = text = await response.text();
  } else {
    data = await response.blob();
  }
  const problem = type === "application/problem+json" ? data : undefined;
  return { status, data, problem, text, response };
}

/**
 * Reads JSON.
 *
 * @param place What it is in, for the message.
 * @throws {SyntaxError} If it is malformed.
 */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Cannot read ${place} no valid JSON`, { cause });
  }
}
