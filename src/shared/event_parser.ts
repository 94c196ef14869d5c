/** An event with its data as a string. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  readonly lastEventId: string;
}

/** A parser of one stream. */
export interface EventParser {
  /** The id of the last complete event; `""` if there is none. */
  readonly lastEventId: string;
  /** The latest reconnection time from the server, in milliseconds. */
  readonly retry: number | undefined;
  /** The number of characters of the incomplete event. */
  readonly size: number;
  /** Parses a chunk, and returns the events that end in it. */
  read(chunk: Uint8Array): ParsedEvent[];
}

/**
 * Parses an event stream (HTML, 9.2.5 and 9.2.6). Ignores an incomplete event at the
 * end of the stream, including its id.
 *
 * The npm package `eventsource-parser` is unsuitable for two reasons. The package
 * ignores an id without data, although servers advance their clients with such ids.
 * After a carriage return, the package waits for the next character.
 *
 * @param lastEventId The id of the last event of an earlier stream.
 */
export function createEventParser(lastEventId = ""): EventParser {
  // The decoder removes the byte order mark, and keeps a partial character for the next
  // chunk.
  const decoder = new TextDecoder();
  let retry: number | undefined;
  /** The incomplete line. */
  let line = "";
  /** Whether the chunk ended in a carriage return, which a line feed may follow. */
  let endsInReturn = false;
  let id = lastEventId;
  let event = "";
  let data = "";

  function readLine(events: ParsedEvent[]): void {
    if (line === "") return endEvent(events);
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === "data") data += `${value}\n`;
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = +value;
  }

  function endEvent(events: ParsedEvent[]): void {
    lastEventId = id;
    if (data !== "") {
      data = data.slice(0, -1);
      events.push({ event: event || "message", data, lastEventId });
    }
    data = event = "";
  }

  return {
    get lastEventId() {
      return lastEventId;
    },
    get retry() {
      return retry;
    },
    get size() {
      return line.length + data.length;
    },
    read(chunk) {
      const events: ParsedEvent[] = [];
      let text = decoder.decode(chunk, { stream: true });
      if (text === "") return events;
      const isRest = endsInReturn && text[0] === "\n";
      endsInReturn = text.endsWith("\r");
      if (isRest) text = text.slice(1);
      const [first, ...others] = text.split(/\r\n|\n|\r/);
      // Only the chunk was split, since splitting the whole line again for each chunk
      // would make long lines slow.
      line += first;
      for (const next of others) {
        readLine(events);
        line = next;
      }
      return events;
    },
  };
}
