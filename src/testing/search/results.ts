import type { Input } from "../generate/input.ts";
import type { Operation } from "../operation.ts";
import type { Exchange } from "../send/exchange.ts";
import type { ExchangeError } from "../send/live.ts";

/** The results of the requests of an operation. */
export interface Outcome {
  /** Media types with the status, or after `body`: `200 text/csv`, `body text/csv`. */
  readonly types: Set<string>;
  readonly inputs: Input[];
  /** The statuses of the responses to valid requests. */
  readonly statuses: Set<number | undefined>;
  /** Valid inputs that the handler refused. */
  readonly refused: Input[];
  /**
   * The number of requests for which a property holds, by kind of request and property.
   * Its test need not send these requests again.
   */
  readonly held: Map<string, number>;
}

export class Results {
  readonly #all = new Map<Operation | undefined, Outcome>();
  /**
   * Operations that did not respond in time, which later tests skip. The map keeps each
   * exchange until the property `failure` reports it.
   */
  readonly silent: Map<Operation, Exchange | undefined> = new Map();
  /** The first property for which an operation had no time. */
  readonly late: Map<Operation, string> = new Map();
  /** The names of the operations with a failure. */
  readonly failed: Set<string> = new Set();
  /** The errors during the current property that would have ended the process. */
  escapes: ExchangeError[] = [];

  /** Returns the results of an operation; `undefined` stands for untested operations. */
  of(operation: Operation | undefined): Outcome {
    return this.#all.getOrInsertComputed(operation, () => ({
      types: new Set(),
      inputs: [],
      statuses: new Set(),
      refused: [],
      held: new Map(),
    }));
  }
}

/** The minimum milliseconds of resets to report. */
const LONG = 2_000;

/** The time of a run, and of its resets with their log-ins. */
export class Times {
  readonly #start = performance.now();
  #ofResets = 0;
  resets = 0;

  /** Measures a part of a reset. */
  async reset<Result>(run: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    try {
      return await run();
    } finally {
      this.#ofResets += performance.now() - start;
    }
  }

  /** The note about resets that take more than a third of the time. */
  get note(): string | undefined {
    const time = performance.now() - this.#start;
    const share = this.#ofResets / time;
    if (share <= 1 / 3 || this.#ofResets < LONG) return undefined;
    const [percent, seconds] = [100 * share, time / 1_000].map(Math.round);
    return `${percent} % of ${seconds} s went to ${this.resets} resets with their log-ins; make them faster in tests, for example with fewer rounds of password hashing`;
  }
}

/** The statuses with which a handler refuses a valid change, by a rule. */
const REFUSED: readonly (number | undefined)[] = [400, 409, 422];

/** Whether a handler refused a valid change. */
export function isRefusal(
  { isSafe }: Operation,
  status: number | undefined,
): boolean {
  return !isSafe && REFUSED.includes(status);
}
