/** An event as it came: its data are not read yet. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  readonly lastEventId: string;
}

/**
 * Parses a stream of events (HTML, 9.2.5 and 9.2.6). An event that the stream ends in
 * the middle of does not count, nor does its id.
 *
 * The parsers of npm that we tried forget an id without data, by which a server moves
 * its clients on, and wait at a carriage return for what comes next.
 */
export class EventParser {
  /** The id of the last event that has ended; `""` if there is none. */
  lastEventId: string;
  /** What the server said last about the time before a new connection. */
  retry: number | undefined;
  // It removes the byte order mark, and keeps half a character for the next chunk.
  readonly #decoder = new TextDecoder();
  /** The line that has no end yet. */
  #line = "";
  /** A line feed that begins the next chunk belongs to the end of this one. */
  #endsInReturn = false;
  #event = "";
  #data = "";
  #id: string;

  /** Goes on after an event that another stream had. */
  constructor(lastEventId = "") {
    this.lastEventId = this.#id = lastEventId;
  }

  /** Takes a chunk, and returns the events that end in it. */
  read(chunk: Uint8Array): ParsedEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    const isRest = this.#endsInReturn && text[0] === "\n";
    this.#endsInReturn = text.endsWith("\r");
    if (isRest) text = text.slice(1);
    const events: ParsedEvent[] = [];
    const [first, ...others] = text.split(/\r\n|\n|\r/);
    // A long line is not searched again for each of its chunks.
    this.#line += first;
    for (const next of others) {
      this.#readLine(this.#line, events);
      this.#line = next;
    }
    return events;
  }

  #readLine(line: string, events: ParsedEvent[]): void {
    if (line === "") return this.#end(events);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data += `${value}\n`;
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = +value;
  }

  #end(events: ParsedEvent[]): void {
    const lastEventId = this.lastEventId = this.#id;
    if (this.#data !== "") {
      const event = this.#event || "message";
      events.push({ event, data: this.#data.slice(0, -1), lastEventId });
    }
    this.#data = this.#event = "";
  }
}
