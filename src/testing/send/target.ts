import type { ResolvedTestOptions, TestedApplication } from "../options.ts";
import { LOCAL_ORIGIN, requestOf, type RequestPlan } from "../plan.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";

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
    const exchange = await exchangeOf(
      plan,
      () => url === undefined ? this.#app.fetch(request) : fetch(request),
      { timeout, eventTime, isLocal: url === undefined },
    );
    if (exchange.status === undefined) aborter.abort();
    return exchange;
  }
}
