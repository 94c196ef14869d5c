/** The format of events (HTML, 9.2.6), in every way that chunks may cut it. */
import { assertEquals } from "@std/assert";
import { EventParser } from "../../src/client/event_parser.ts";

const UTF8 = new TextEncoder();

/** What a parser makes of a stream: `event|data|id` of each, and where it stands. */
function parsed(chunks: readonly Uint8Array[], lastEventId?: string): unknown {
  const parser = new EventParser(lastEventId);
  const events = chunks.flatMap((chunk) => parser.read(chunk))
    .map(({ event, data, lastEventId }) => `${event}|${data}|${lastEventId}`);
  return { events, lastEventId: parser.lastEventId, retry: parser.retry };
}

const CASES: Readonly<
  Record<string, readonly [string, ...(string | number | undefined)[]]>
> = {};
