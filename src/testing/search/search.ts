import fc from "fast-check";
import { type Input, isTooLarge, isValid, planOf } from "../generate/input.ts";
import { hasBody, type Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { errorText } from "../process_watch.ts";
import { EndOfRun, type Fault } from "../checks.ts";
import type { Session } from "./session.ts";

/** Sends the requests of a value, and returns their fault; may throw {@linkcode EndOfRun}. */
export type Attempt<Value> = (value: Value) => Promise<Fault | undefined>;

/** A fault, and the requests that show the fault. */
export interface Counterexample {
  readonly fault: Fault;
  readonly requests: readonly RequestPlan[];
  /** Whether the requests show the fault after a reset. */
  readonly replays: boolean;
}

/** The result of a search. */
export interface Search {
  /** The number of values tried. */
  readonly runs: number;
  readonly counterexample?: Counterexample | undefined;
  /** The reason why the search ended early. */
  readonly note?: string | undefined;
}

/** Milliseconds to spend on each step of shrinking a counterexample. */
const SHRINK_TIME = 3_000;

/**
 * Tries values until one shows a fault, and shrinks that value. The application is
 * reset before each smaller value, if possible. If a fault depends on earlier requests,
 * the result includes these requests.
 */
export async function search<Value>(
  session: Session,
  arbitrary: fc.Arbitrary<Value>,
  { attempt, runs }: {
    readonly attempt: Attempt<Value>;
    readonly runs: number;
  },
): Promise<Search> {
  const shrinker = new Shrinker(session, attempt);
  await fc.check(
    fc.asyncProperty(arbitrary, (value) => shrinker.try(value)),
    { numRuns: runs, seed: session.options.seed, maxSkipsPerRun: 20 },
  );
  const counterexample = await shrinker.finish();
  return { runs: shrinker.runs, counterexample, note: shrinker.note };
}

/** The fault of a schema, a generator or a check that throws. */
export function faultOf(error: unknown): Fault {
  return {
    expected: "schemas, generators and checks that do not throw",
    seen: errorText(error),
    assertion: undefined,
  };
}

/** Runs searches in turn, until one finds a counterexample or ends early. */
export async function inTurn(
  searches: readonly (() => Promise<Search>)[],
): Promise<Search> {
  let runs = 0;
  for (const next of searches) {
    const { runs: more, counterexample, note } = await next();
    runs += more;
    if ((counterexample ?? note) !== undefined) {
      return { runs, counterexample, note };
    }
  }
  return { runs };
}

/** A fault, and the value that shows the fault. */
interface Found<Value> extends Omit<Counterexample, "replays"> {
  readonly value: Value;
}

class Shrinker<Value> {
  readonly #session: Session;
  readonly #attempt: Attempt<Value>;
  #state: "searching" | "shrinking" | "done" = "searching";
  #found: Found<Value> | undefined;
  #deadline = Infinity;
  /** The requests that preceded the requests of the counterexample. */
  #before: readonly RequestPlan[] = [];
  runs = 0;
  note: string | undefined;

  constructor(session: Session, attempt: Attempt<Value>) {
    this.#session = session;
    this.#attempt = attempt;
  }

  /** Tries a value, and throws if the value shows a fault. */
  async try(value: Value): Promise<void> {
    if (this.#state === "done" || performance.now() > this.#deadline) return;
    if (this.#state === "shrinking" && this.#isResettable) {
      await this.#session.prepareAgain();
    }
    const before = this.#session.history.length;
    let fault: Fault | undefined;
    try {
      fault = await this.#faultWith(value);
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      if (this.#state === "searching") {
        this.note = error.message;
        this.#state = "done";
      }
      return;
    }
    if (this.#state === "searching") this.runs++;
    if (fault === undefined) return;
    const { history } = this.#session;
    this.#found = { value, fault, requests: history.slice(before) };
    if (this.#state === "searching") {
      this.#before = history.slice(0, before);
      this.#state = await this.#isAlone() ? "shrinking" : "done";
    }
    throw new Error(fault.seen);
  }

  /** Returns the counterexample, with the earlier requests that it needs. */
  async finish(): Promise<Counterexample | undefined> {
    if (this.#found === undefined) return undefined;
    const { value, fault, requests } = this.#found;
    if (!this.#isResettable || this.#isSlow) {
      return { fault, requests, replays: this.#isResettable };
    }
    this.#deadline = performance.now() + SHRINK_TIME;
    let last: Found<Value> | undefined;
    const shows = async (before: readonly RequestPlan[]): Promise<boolean> => {
      await this.#session.reset();
      for (const plan of before) await this.#session.send(plan);
      const again = await this.#tryAgain(value);
      last = again ?? last;
      return again !== undefined;
    };
    const before = await smallest(this.#before, shows, this.#deadline);
    // The attempts may have changed stored data without showing the fault.
    if (before === undefined || last === undefined) {
      return { fault, requests, replays: false };
    }
    const all = [...before, ...last.requests];
    return { fault: last.fault, requests: all, replays: true };
  }

  get #isResettable(): boolean {
    return this.#session.target.isResettable;
  }

  /** Whether each attempt would wait until a timeout. */
  get #isSlow(): boolean {
    return /\bno (?:response|result) within\b/
      .test(this.#found!.fault.seen);
  }

  /**
   * Whether the found value shows a fault without the values that were tried before it.
   */
  async #isAlone(): Promise<boolean> {
    this.#deadline = performance.now() + SHRINK_TIME;
    if (this.#isSlow) return false;
    if (!this.#isResettable) return true;
    await this.#session.prepareAgain();
    const prepared = this.#session.history.slice();
    const found = await this.#tryAgain(this.#found!.value);
    if (found === undefined) return false;
    this.#found = found;
    this.#before = prepared;
    return true;
  }

  async #tryAgain(value: Value): Promise<Found<Value> | undefined> {
    const { history } = this.#session;
    const before = history.length;
    try {
      const fault = await this.#faultWith(value);
      return fault && { value, fault, requests: history.slice(before) };
    } catch {
      return undefined;
    }
  }

  /**
   * @throws {EndOfRun} If the run ends. The error with which fast-check drops a value
   * is also thrown.
   */
  async #faultWith(value: Value): Promise<Fault | undefined> {
    try {
      return await this.#attempt(value);
    } catch (error) {
      if (
        error instanceof EndOfRun || fc.PreconditionFailure.isFailure(error)
      ) throw error;
      return faultOf(error);
    }
  }
}

/**
 * The fewest requests that show the fault; `undefined` if all requests together do not
 * show the fault.
 */
async function smallest(
  all: readonly RequestPlan[],
  shows: (requests: readonly RequestPlan[]) => Promise<boolean>,
  deadline: number,
): Promise<readonly RequestPlan[] | undefined> {
  if (await shows([])) return [];
  let needed = all;
  if (!await shows(needed)) return undefined;
  let size = Math.ceil(needed.length / 2);
  while (size > 0 && performance.now() < deadline) {
    let start = 0;
    while (start < needed.length && performance.now() < deadline) {
      const fewer = needed.toSpliced(start, size);
      if (await shows(fewer)) needed = fewer;
      else start += size;
    }
    size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return await shows(needed) ? needed : undefined;
}

/** Runs a search with inputs of an operation, or notes why there are no inputs. */
export async function withInputs(
  session: Session,
  operation: Operation,
  run: (inputs: fc.Arbitrary<Input>) => Promise<Search>,
): Promise<Search> {
  await session.prepare();
  const inputs = await session.inputsOf(operation);
  return "missing" in inputs
    ? { runs: 0, note: `not tested: ${inputs.missing}` }
    : await run(inputs.arbitrary);
}

/** The request of an input. If a schema rejects the input, fast-check drops the input. */
export async function validPlan(
  operation: Operation,
  input: Input,
): Promise<RequestPlan> {
  fc.pre(await isValid(operation, input));
  const plan = planOf(operation, input);
  fc.pre(!isTooLarge(operation, plan));
  return plan;
}

/** The maximum number of times to send a request without variable parts. */
const SAME = 5;

/** The maximum number of values to try with an operation that streams events. */
const STREAMS = 20;

/** The number of values to try with an operation. */
export function runsOf(
  { options: { runs } }: Session,
  operation: Operation,
): number {
  const { schema: { parts, events }, route: { segments } } = operation;
  if (events !== undefined) return Math.min(runs, STREAMS);
  const isSame = parts.query.length + parts.headers.length === 0 &&
    !hasBody(operation) && segments.every(({ kind }) => kind === "static");
  return isSame ? Math.min(runs, SAME) : runs;
}
