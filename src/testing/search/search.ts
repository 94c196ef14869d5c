import fc from "fast-check";
import {
  type Input,
  isFitting,
  isTooLarge,
  planOf,
} from "../generate/input.ts";
import { hasBody, type Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { errorText } from "../process_watch.ts";
import { EndOfRun, type Fault } from "../checks.ts";
import type { Session } from "./session.ts";

/** Tries one value: sends its requests, and returns what is wrong; or ends the run. */
export type Trial<Value> = (value: Value) => Promise<Fault | undefined>;

/** A value that shows a fault, and the requests that go with it. */
export interface Finding {
  readonly fault: Fault;
  readonly requests: readonly RequestPlan[];
  /** Whether they show it from the beginning of the application. */
  readonly replays: boolean;
}

/** What a search came to. */
export interface Search {
  /** How many values were tried. */
  readonly runs: number;
  readonly finding?: Finding | undefined;
  /** Why the search ended early. */
  readonly note?: string | undefined;
}

/** How long a finding is made smaller, in milliseconds. */
const SHRINK_TIME = 3_000;

/**
 * Tries values until one shows a fault, and makes that one smaller. Where the
 * application can be put back to its beginning, that is done before each smaller
 * value. What only shows after other requests keeps those that it needs.
 */
export async function search<Value>(
  session: Session,
  arbitrary: fc.Arbitrary<Value>,
  { trial, runs }: { readonly trial: Trial<Value>; readonly runs: number },
): Promise<Search> {
  const seeker = new Shrinker(session, trial);
  await fc.check(
    fc.asyncProperty(arbitrary, (value) => seeker.try(value)),
    { numRuns: runs, seed: session.options.seed, maxSkipsPerRun: 20 },
  );
  const finding = await seeker.finish();
  return { runs: seeker.runs, finding, note: seeker.note };
}

/** What is wrong where a schema, a generator or a check itself throws. */
export function faultOf(error: unknown): Fault {
  return {
    expected: "schemas, generators and checks that throw for no value",
    seen: errorText(error),
    assertion: undefined,
  };
}

/** Searches one after the other, until one of them finds something or ends early. */
export async function inTurn(
  searches: readonly (() => Promise<Search>)[],
): Promise<Search> {
  let runs = 0;
  for (const next of searches) {
    const { runs: more, finding, note } = await next();
    runs += more;
    if ((finding ?? note) !== undefined) return { runs, finding, note };
  }
  return { runs };
}

/** A fault, and the value that it was found with. */
interface Found<Value> extends Omit<Finding, "replays"> {
  readonly value: Value;
}

class Shrinker<Value> {
  readonly #session: Session;
  readonly #trial: Trial<Value>;
  #state: "searching" | "shrinking" | "done" = "searching";
  #found: Found<Value> | undefined;
  #deadline = Infinity;
  /** The requests before those of the finding. */
  #before: readonly RequestPlan[] = [];
  runs = 0;
  note: string | undefined;

  constructor(session: Session, trial: Trial<Value>) {
    this.#session = session;
    this.#trial = trial;
  }

  /** Tries a value, and throws if it shows a fault. */
  async try(value: Value): Promise<void> {
    if (this.#state === "done" || performance.now() > this.#deadline) return;
    if (this.#state === "shrinking" && this.#isRenewable) {
      await this.#session.beginAgain();
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

  /** What was found, and the requests before it that it needs. */
  async finish(): Promise<Finding | undefined> {
    if (this.#found === undefined) return undefined;
    const { value, fault, requests } = this.#found;
    if (!this.#isRenewable || this.#isSlow) {
      return { fault, requests, replays: this.#isRenewable };
    }
    this.#deadline = performance.now() + SHRINK_TIME;
    let last: Found<Value> | undefined;
    const shows = async (before: readonly RequestPlan[]): Promise<boolean> => {
      await this.#session.restart();
      for (const plan of before) await this.#session.send(plan);
      const again = await this.#tryAgain(value);
      last = again ?? last;
      return again !== undefined;
    };
    const before = await smallest(this.#before, shows, this.#deadline);
    // What was tried last may have shown nothing, and have changed what is stored.
    if (before === undefined || last === undefined) {
      return { fault, requests, replays: false };
    }
    const all = [...before, ...last.requests];
    return { fault: last.fault, requests: all, replays: true };
  }

  get #isRenewable(): boolean {
    return this.#session.target.isRenewable;
  }

  /** To wait for what does not come takes too long to do it often. */
  get #isSlow(): boolean {
    return /\bno (?:response|result of its check) within\b/
      .test(this.#found!.fault.seen);
  }

  /** Whether a value shows a fault without the values before it. */
  async #isAlone(): Promise<boolean> {
    this.#deadline = performance.now() + SHRINK_TIME;
    if (this.#isSlow) return false;
    if (!this.#isRenewable) return true;
    await this.#session.beginAgain();
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

  /** @throws {EndOfRun} Or what fast-check drops a value by. */
  async #faultWith(value: Value): Promise<Fault | undefined> {
    try {
      return await this.#trial(value);
    } catch (error) {
      if (
        error instanceof EndOfRun || fc.PreconditionFailure.isFailure(error)
      ) throw error;
      return faultOf(error);
    }
  }
}

/** The fewest requests that are needed; `undefined` if all of them do not help. */
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

/** Runs a search with inputs of an operation, or says why there are none. */
export async function withInputs(
  session: Session,
  operation: Operation,
  run: (inputs: fc.Arbitrary<Input>) => Promise<Search>,
): Promise<Search> {
  await session.begin();
  const inputs = await session.inputsOf(operation);
  return "missing" in inputs
    ? { runs: 0, note: `not tested: ${inputs.missing}` }
    : await run(inputs.arbitrary);
}

/** The request of an input, which fast-check drops if a schema refuses it. */
export async function fittingPlan(
  operation: Operation,
  input: Input,
): Promise<RequestPlan> {
  fc.pre(await isFitting(operation, input));
  const plan = planOf(operation, input);
  fc.pre(!isTooLarge(operation, plan));
  return plan;
}

/** How often the same request is sent where there is nothing to choose. */
const SAME = 5;

/** How often a stream is waited for. */
const STREAMS = 20;

/** How many values are tried with an operation. */
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
