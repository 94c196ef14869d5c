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
 * stream may never end, so the function returns the stream unread. If a body is not the
 * JSON that its type promises, such as the page of a proxy, only `text` contains it.
 */
export async function readResponse(
  response: Response,
  method: string,
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
    try {
      data = JSON.parse(text);
    } catch {
      // The body is empty or malformed.
    }
  } else if (isText(type)) {
    data = text = await response.text();
  } else {
    data = await response.blob();
  }
  const problem = type === "application/problem+json" ? data : undefined;
  return { status, data, problem, text, response };
}
