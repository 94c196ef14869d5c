import { HttpError } from "../http/http_error.ts";

/**
 * Whether a text is the id of an event: printable ASCII, since it comes back in a
 * header, and nothing that clients or servers would trim.
 */
export function isEventId(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

/**
 * The id of the last event that a client has seen, if it has seen any.
 *
 * @throws {HttpError} 400 if the header has what no event may have as its id.
 */
export function lastEventIdOf({ headers }: Request): string | undefined {
  const id = headers.get("last-event-id") ?? "";
  if (id === "") return undefined;
  if (isEventId(id)) return id;
  throw new HttpError(400, 'The header "Last-Event-ID" is no id of an event');
}
