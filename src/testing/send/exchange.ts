import { resultWithin } from "../../common/deadline.ts";
import { isJson, mediaType } from "../../common/media_type.ts";
import type { RequestPlan } from "../plan.ts";
import { watchProcess } from "../process_watch.ts";
import { readResponse } from "./read_response.ts";

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
  /** What came of an event stream, as far as it was waited for. */
  readonly stream: string;
  /** What the application logged meanwhile of errors, or why there is no response. */
  readonly errors: readonly string[];
}

const NOTHING = {
  status: undefined,
  headers: new Headers(),
  body: undefined,
  isCut: false,
  stream: "",
};

/**
 * Sends a request, and waits for the head of its response.
 *
 * @param eventTime How long a stream of events is read, in milliseconds.
 * @param isLocal Whether the application runs in this process, and logs here.
 */
export async function exchangeOf(
  plan: RequestPlan,
  send: () => Response | Promise<Response>,
  { timeout, eventTime = 0, isLocal }: {
    readonly timeout: number;
    readonly eventTime?: number;
    readonly isLocal: boolean;
  },
): Promise<Exchange> {
  const errors: string[] = [];
  using _ = isLocal ? listen(errors) : undefined;
  try {
    const response = await resultWithin(Promise.resolve(send()), timeout);
    if (response === undefined) {
      errors.push(`no response within ${timeout / 1000} s`);
      return { ...NOTHING, plan, errors };
    }
    const { failure, ...read } = await readResponse(response, eventTime);
    if (failure !== undefined) errors.push(failure);
    return { plan, errors, ...read };
  } catch (error) {
    errors.push(`no response: ${error}`);
    return { ...NOTHING, plan, errors };
  } finally {
    // A promise that was rejected last is told of when the loop has gone around.
    if (isLocal) await new Promise<void>((go) => setImmediate(go));
  }
}

/**
 * Takes in what Bough logs of errors, which it does on one line, and what would end the
 * process, and not say of which request it is.
 */
function listen(errors: string[]): Disposable {
  const { error } = console;
  const watch = watchProcess(({ text }) => errors.push(text));
  console.error = (...values: unknown[]) => {
    const [text] = values;
    if (typeof text === "string" && text.startsWith("[bough] ")) {
      errors.push(text.slice("[bough] ".length));
    } else error(...values);
  };
  return {
    [Symbol.dispose]() {
      console.error = error;
      watch[Symbol.dispose]();
    },
  };
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
  const type = mediaType(headers.get("content-type"));
  if (body === undefined || !isJson(type)) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
