import { resultWithin } from "../../core/common/deadline.ts";
import { isJson, mediaType } from "../../core/common/media_type.ts";
import type { ValidationIssue } from "../../core/errors.ts";
import { workOf } from "../../core/request/record.ts";
import { refusedIssues } from "../../core/operation/error_format.ts";
import { BODYLESS } from "../../core/common/response.ts";
import type { ResolvedTestOptions, TestedApplication } from "../options.ts";
import { LOCAL_ORIGIN, requestOf, type RequestPlan } from "../plan.ts";
import { listen } from "../../shared/process_watch.ts";
import { LiveConnection } from "./live.ts";
import type { Patience } from "../patience.ts";
import {
  type ExchangeError,
  type ReadResponse,
  readResponse,
} from "./read_response.ts";

export interface Exchange extends Omit<ReadResponse, "status" | "failure"> {
  readonly plan: RequestPlan;
  /** The status; `undefined` if no response arrived in time. */
  readonly status: number | undefined;
  readonly errors: readonly ExchangeError[];
  /**
   * The issues of an invalid request, if the application in this process responded in
   * an error format.
   */
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** The stream or the socket, if the plan is `live`. */
  readonly connection?: LiveConnection;
}

const NO_RESPONSE = {
  status: undefined,
  headers: new Headers(),
  body: undefined,
  isCut: false,
  stream: "",
};

/**
 * Sends a request, reads its response, and waits for the work of `waitUntil()`. If the
 * work does not end in time, the result counts as a missing response.
 *
 * @param timeout Milliseconds for the response, and again for the work.
 * @param patience How long to read a stream of events; not at all by default.
 * @param isLocal Whether the application runs in this process, and so logs here.
 */
export async function exchangeOf(
  plan: RequestPlan,
  send: () => Response | Promise<Response>,
  { request, timeout, patience, isLocal }: {
    readonly request: Request;
    readonly timeout: number;
    readonly patience?: Patience | undefined;
    readonly isLocal: boolean;
  },
): Promise<Exchange> {
  const errors: ExchangeError[] = [];
  using _ = isLocal ? listen((error) => errors.push(error)) : undefined;
  const late = (what: string): Exchange => {
    const text = `${what} within ${timeout / 1000} s`;
    errors.push({ kind: "timeout", text });
    return { ...NO_RESPONSE, plan, errors };
  };
  try {
    const response = await resultWithin(Promise.resolve(send()), timeout);
    if (response === undefined) return late("no response");
    const { failure, ...read } = await readResponse(response, patience);
    if (failure !== undefined) errors.push({ kind: "stream", text: failure });
    const work = workOf(request).then(() => true);
    if (!await resultWithin(work, timeout)) {
      return late("the work of waitUntil() did not end");
    }
    return { plan, errors, ...read };
  } catch (error) {
    errors.push({ kind: "missing", text: `no response: ${error}` });
    return { ...NO_RESPONSE, plan, errors };
  } finally {
    // Deno reports an unhandled rejection in the next turn of the event loop.
    if (isLocal) await new Promise<void>((go) => setImmediate(go));
  }
}

export function responseOf(
  { status, headers, body, isCut }: Exchange,
): Response {
  const isBodyless = status === undefined || BODYLESS.has(status);
  return new Response(isBodyless ? null : body ?? (isCut ? "" : null), {
    status: status === 101 ? 200 : status ?? 500,
    headers,
  });
}

/** The JSON of a response; `undefined` if its body is not JSON. */
export function jsonOf({ headers, body }: Exchange): unknown {
  const type = mediaType(headers.get("content-type"));
  if (body === undefined || !isJson(type)) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** Creates an application. */
export type MakeApplication = () =>
  | TestedApplication
  | Promise<TestedApplication>;

/** The recipient of requests: an application in this process, or a server. */
export class Target {
  readonly #make: MakeApplication;
  readonly #options: ResolvedTestOptions;
  #isUsed = false;
  /** The current application; a reset replaces it. */
  application!: TestedApplication;
  isResettable = false;

  private constructor(make: MakeApplication, options: ResolvedTestOptions) {
    this.#make = make;
    this.#options = options;
  }

  static async create(
    make: MakeApplication,
    options: ResolvedTestOptions,
  ): Promise<Target> {
    const { reset, url } = options;
    await reset?.();
    const target = new Target(make, options);
    target.application = await make();
    // A function that returns the same application cannot reset its data.
    const isSame = reset === undefined && await make() === target.application;
    target.isResettable = url === undefined && !isSame;
    return target;
  }

  get origin(): string {
    return this.#options.url ?? LOCAL_ORIGIN;
  }

  /** Resets the application, if possible and necessary; returns whether it did so. */
  async reset(): Promise<boolean> {
    if (!this.#isUsed || !this.isResettable) return false;
    await this.#options.reset?.();
    this.application = await this.#make();
    this.#isUsed = false;
    return true;
  }

  /** Responds to the request of a log-in, which is not tested. */
  readonly fetch = async (request: Request): Promise<Response> => {
    this.#isUsed = true;
    const { pathname, search } = new URL(request.url);
    return this.#options.url === undefined
      ? await this.application.fetch(request)
      : await fetch(new Request(this.origin + pathname + search, request));
  };

  /**
   * Sends a request, and reads its response; see {@linkcode exchangeOf}. If the plan is
   * `live`, the caller must dispose the connection.
   */
  async send(plan: RequestPlan, patience?: Patience): Promise<Exchange> {
    this.#isUsed = true;
    const aborter = new AbortController();
    const { signal } = aborter;
    const { url, responseTimeout: timeout } = this.#options;
    const isLocal = url === undefined;
    const request = requestOf(plan, { origin: this.origin, signal });
    if (plan.live !== undefined) {
      const connection = await LiveConnection.open(request, {
        messages: plan.messages,
        respond: isLocal ? this.application.fetch : undefined,
        timeout,
      });
      const { status, errors } = connection;
      return { ...NO_RESPONSE, plan, errors, status, connection };
    }
    const exchange = await exchangeOf(
      plan,
      () => isLocal ? this.application.fetch(request) : fetch(request),
      { request, timeout, patience, isLocal },
    );
    if (exchange.status === undefined) aborter.abort();
    return { ...exchange, issues: refusedIssues(request) };
  }
}
