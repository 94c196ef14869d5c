/** An event as it came: its data are not read yet. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  readonly lastEventId: string;
}

/** A parser of one stream. */
export interface EventParser {
  /** The id of the last event that has ended; `""` if there is none. */
  readonly lastEventId: string;
  /** What the server said last about the time before a new connection. */
  readonly retry: number | undefined;
  /** How many characters of an event there are that has no end yet. */
  readonly size: number;
  /** Takes a chunk, and returns the events that end in it. */
  read(chunk: Uint8Array): ParsedEvent[];
}

/**
 * Parses a stream of events (HTML, 9.2.5 and 9.2.6). An event that the stream ends in
 * the middle of does not count, nor does its id.
 *
 * `eventsource-parser` of npm forgets an id without data, by which a server moves its
 * clients on, and waits at a carriage return for what comes next.
 *
 * @param lastEventId The id of the last event of an earlier stream.
 */
export function createEventParser(lastEventId = ""): EventParser {
  // It removes the byte order mark, and keeps half a character for the next chunk.
  const decoder = new TextDecoder();
  let retry: number | undefined;
  /** The line that has no end yet. */
  let line = "";
  /** Whether a line feed that begins the next chunk belongs to the end of this one. */
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
      // A long line is not searched again for each of its chunks.
      line += first;
      for (const next of others) {
        readLine(events);
        line = next;
      }
      return events;
    },
  };
}
