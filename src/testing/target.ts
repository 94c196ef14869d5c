import type { ResolvedTestOptions, TestedApplication } from "./options.ts";
import { LOCAL_ORIGIN, requestOf, type RequestPlan } from "./plan.ts";
import { readResponse, startTimer } from "./read_response.ts";

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

/** Makes an application. */
export type MakeApplication = () =>
  | TestedApplication
  | Promise<TestedApplication>;

/** What requests are sent to: an application in this process, or a server. */
export class Target {
  readonly #make: MakeApplication;
  readonly #options: ResolvedTestOptions;
  #app: TestedApplication;
  #isUsed = false;
  /** Whether the same application is made each time. */
  #isSame = false;

  private constructor(
    make: MakeApplication,
    app: TestedApplication,
    options: ResolvedTestOptions,
  ) {
    this.#make = make;
    this.#app = app;
    this.#options = options;
  }

  /** Makes the application. */
  static async create(
    make: MakeApplication,
    options: ResolvedTestOptions,
  ): Promise<Target> {
    await options.reset?.();
    const app = await make();
    const target = new Target(make, app, options);
    // One that is made twice is made anew, unless it is the same.
    target.#isSame = options.reset === undefined && await make() === app;
    return target;
  }

  /** The application as it is now. */
  get application(): TestedApplication {
    return this.#app;
  }

  /** Where requests go. */
  get origin(): string {
    return this.#options.url ?? LOCAL_ORIGIN;
  }

  /** Whether the application can be put back to its beginning. */
  get isRenewable(): boolean {
    return this.#options.url === undefined &&
      (this.#options.reset !== undefined || !this.#isSame);
  }

  /** Puts the application back to its beginning, where that can be done. */
  async renew(): Promise<void> {
    if (!this.#isUsed || !this.isRenewable) return;
    await this.#options.reset?.();
    this.#app = await this.#make();
    this.#isUsed = false;
  }

  /**
   * Sends a request, and reads its response, but not a body that goes on.
   *
   * @param eventTime How long a stream of events is read, in milliseconds.
   */
  async send(plan: RequestPlan, eventTime = 0): Promise<Exchange> {
    this.#isUsed = true;
    const aborter = new AbortController();
    const { url, timeout } = this.#options;
    const request = requestOf(plan, {
      origin: this.origin,
      signal: aborter.signal,
    });
    const errors: string[] = [];
    const listening = url === undefined ? listen(errors) : undefined;
    const timer = startTimer(timeout);
    try {
      const response = await Promise.race([
        url === undefined ? this.#app.fetch(request) : fetch(request),
        timer.over,
      ]);
      if (response === undefined) {
        aborter.abort();
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
      timer.stop();
      listening?.stop();
    }
  }
}

const NOTHING = {
  status: undefined,
  headers: new Headers(),
  body: undefined,
  isCut: false,
  stream: "",
};

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
