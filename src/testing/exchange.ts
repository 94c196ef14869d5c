import type { RequestPlan } from "./plan.ts";

/** What came of a request. */
export interface Exchange {
  /** The request. */
  readonly plan: RequestPlan;
  /** The status; `undefined` if no response came in time. */
  readonly status: number | undefined;
  /** The headers. */
  readonly headers: Headers;
  /** The body; `undefined` if there is none, or if it was not read to its end. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Whether there is a body that goes on: that of an event stream. */
  readonly isCut: boolean;
  /** What the application logged meanwhile of errors, or why there is no response. */
  readonly errors: readonly string[];
}

/** How many bytes of a body are read. */
const MAX_BODY = 10 * 1024 * 1024;

/** How long the rest of a body is waited for, in milliseconds. */
const BODY_TIME = 1_000;

const NOTHING = {
  status: undefined,
  headers: new Headers(),
  body: undefined,
  isCut: false,
};

/**
 * Sends a request, and waits for the head of its response.
 *
 * @param isLocal Whether the application runs in this process, and logs here.
 */
export async function exchangeOf(
  plan: RequestPlan,
  send: () => Response | Promise<Response>,
  { timeout, isLocal }: {
    readonly timeout: number;
    readonly isLocal: boolean;
  },
): Promise<Exchange> {
  const errors: string[] = [];
  const listening = isLocal ? listen(errors) : undefined;
  const timer = startTimer(timeout);
  try {
    const response = await Promise.race([send(), timer.over]);
    if (response === undefined) {
      errors.push(`no response within ${timeout / 1000} s`);
      return { ...NOTHING, plan, errors };
    }
    return { plan, errors, ...await readResponse(response) };
  } catch (error) {
    errors.push(`no response: ${error}`);
    return { ...NOTHING, plan, errors };
  } finally {
    timer.stop();
    listening?.stop();
  }
}

function startTimer(
  milliseconds: number,
): { over: Promise<undefined>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  return { over: promise, stop: () => clearTimeout(timer) };
}

/**
 * Takes in what Bough logs of errors, which it does on one line, and promises that
 * nobody handles: they would end the tests, and not say of which request they are.
 */
function listen(errors: string[]): { stop: () => void } {
  const { error } = console;
  console.error = (...values: unknown[]) => {
    const [text] = values;
    if (typeof text === "string" && text.startsWith("[bough] ")) {
      errors.push(text.slice("[bough] ".length));
    } else error(...values);
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    errors.push(`a promise was rejected and not handled: ${event.reason}`);
  };
  addEventListener("unhandledrejection", onRejection);
  return {
    stop: () => {
      console.error = error;
      removeEventListener("unhandledrejection", onRejection);
    },
  };
}

/** Reads a response, but not a body that goes on. */
export async function readResponse(
  response: Response,
): Promise<Pick<Exchange, "status" | "headers" | "body" | "isCut">> {
  const { status, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(
    headers.get("content-type") ?? "",
  );
  if (response.body === null) {
    return { status, headers, body: undefined, isCut: false };
  }
  if (isStream) {
    await response.body.cancel().catch(() => {});
    return { status, headers, body: undefined, isCut: true };
  }
  const reader = response.body.getReader();
  const timer = startTimer(BODY_TIME);
  // No timer comes while chunks do without a pause.
  const end = performance.now() + BODY_TIME;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    while (size < MAX_BODY && performance.now() < end) {
      const chunk = await Promise.race([reader.read(), timer.over]);
      if (chunk === undefined) break;
      if (chunk.done) {
        return { status, headers, body: joined(chunks, size), isCut: false };
      }
      chunks.push(chunk.value);
      size += chunk.value.length;
    }
  } finally {
    timer.stop();
    reader.cancel().catch(() => {});
  }
  return { status, headers, body: undefined, isCut: true };
}

function joined(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  size: number,
): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size);
  let start = 0;
  for (const chunk of chunks) {
    body.set(chunk, start);
    start += chunk.length;
  }
  return body;
}

/** A response as it came, to be looked at once more. */
export function responseOf(
  { status, headers, body, isCut }: Exchange,
): Response {
  const isBodyless = status === undefined ||
    [101, 204, 205, 304].includes(status);
  return new Response(isBodyless ? null : body ?? (isCut ? "" : null), {
    status: status === 101 ? 200 : status ?? 500,
    headers,
  });
}

/** The JSON of a response; `undefined` if it has none. */
export function jsonOf({ headers, body }: Exchange): unknown {
  const type = headers.get("content-type") ?? "";
  if (body === undefined || !/^application\/(?:.+\+)?json\b/i.test(type)) {
    return undefined;
  }
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
