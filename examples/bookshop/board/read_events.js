/** The longest time between two attempts, in milliseconds. */
const LONGEST_WAIT = 15_000;
/** The milliseconds that the server may be silent: the time of three heartbeats. */
const SILENCE = 45_000;

/** The server refused the request, and will do so again. */
export class RefusedError extends Error {
  /** @param {number} status The status of the response. */
  constructor(status) {
    super(`The server refused with ${status}`);
    this.status = status;
  }
}

/**
 * Reads server-sent events, and reconnects with the id of the last event whenever the
 * connection ends. `EventSource` reconnects, too, but sends no `Authorization`, hides
 * the status of a refusal, and stops at the first 503.
 *
 * @param {string} url
 * @param {object} options
 * @param {HeadersInit} options.headers Headers of each request.
 * @param {AbortSignal} options.signal Ends the iteration with the reason of the signal.
 * @param {(isOpen: boolean) => void} options.onConnection Called when a connection opens,
 * is lost or cannot be made.
 * @returns {AsyncGenerator<{ event: string, data: string }, never>}
 * @throws {RefusedError} If the status is from 400 to 499, and not temporary.
 * @throws {TypeError} If a header cannot be sent.
 */
export async function* readEvents(url, { headers, signal, onConnection }) {
  const sent = new Headers(headers);
  sent.set("accept", "text/event-stream");
  let retry = 3_000;
  let failures = 0;
  while (true) {
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    try {
      const response = await within(
        giveUp,
        fetch(url, {
          headers: sent,
          cache: "no-store",
          signal: AbortSignal.any([signal, attempt.signal]),
        }),
      );
      const { ok, status, body } = response;
      if (isRefusal(status)) throw new RefusedError(status);
      if (!ok || body === null) throw new Error(`No events, but ${status}`);
      failures = 0;
      onConnection(true);
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      const nextChunk = () => within(giveUp, reader.read());
      for await (const event of eventsIn(linesIn(nextChunk))) {
        if (event.id) sent.set("last-event-id", event.id);
        if (event.id === "") sent.delete("last-event-id");
        if (event.retry !== undefined) retry = event.retry;
        if (event.data !== undefined) yield event;
      }
    } catch (error) {
      if (signal.aborted || error instanceof RefusedError) throw error;
    } finally {
      attempt.abort();
    }
    onConnection(false);
    // When a server restarts, its clients do not reconnect at the same moment.
    const wait = Math.min(retry * 2 ** failures++, LONGEST_WAIT);
    await sleep(wait * (0.5 + Math.random() / 2), signal);
  }
}

function isRefusal(status) {
  const isTemporary = status === 408 || status === 425 || status === 429;
  return status >= 400 && status < 500 && !isTemporary;
}

/** Parses a stream of events (HTML, 9.2.6). */
async function* eventsIn(lines) {
  let event = {};
  for await (const line of lines) {
    if (line === "") {
      yield { ...event, event: event.event || "message" };
      event = {};
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
    if (name === "event") event.event = value;
    if (name === "id" && !value.includes("\0")) event.id = value;
    if (name === "retry" && /^\d+$/.test(value)) event.retry = Number(value);
    if (name === "data") {
      event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    }
  }
}

/** Yields complete lines. */
async function* linesIn(nextChunk) {
  let rest = "";
  let wasReturn = false;
  while (true) {
    const { done, value } = await nextChunk();
    if (done) return;
    // A line ends with CR, LF or both, which may arrive apart.
    const text = wasReturn && value[0] === "\n" ? value.slice(1) : value;
    wasReturn = value.endsWith("\r");
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop();
    yield* lines;
  }
}

/** Waits for a promise, and calls `giveUp` if the server is silent for too long. */
async function within(giveUp, promise) {
  const timer = setTimeout(giveUp, SILENCE);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a time in milliseconds, or until the browser has a network again. */
function sleep(time, signal) {
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    const timer = setTimeout(finish, time);
    function finish() {
      clearTimeout(timer);
      over.abort();
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    addEventListener("online", finish, { signal: over.signal });
    signal.addEventListener("abort", finish, { signal: over.signal });
  });
}
