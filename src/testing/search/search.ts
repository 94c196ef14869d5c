import fc from "fast-check";
import {
  type Input,
  isDeclaredLength,
  isTooLarge,
  isValid,
  planOf,
} from "../generate/input.ts";
import { type Planned, smaller } from "../generate/planned.ts";
import type { Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { describeError } from "../../shared/process_watch.ts";
import { needsIdentifier } from "./links.ts";
import { EndOfRun, type Fault } from "../checks.ts";
import type { Sender } from "./sender.ts";
import type { Subject } from "./subject.ts";

/** Sends the requests of a value, and returns their fault; may throw {@linkcode EndOfRun}. */
export type Attempt<Value> = (value: Value) => Promise<Fault | undefined>;

export interface Counterexample {
  readonly fault: Fault;
  readonly requests: readonly RequestPlan[];
  /** Whether the requests show the fault after a reset. */
  readonly replays: boolean;
}

export interface Search {
  /** The number of values tried. */
  readonly runs: number;
  readonly counterexample?: Counterexample | undefined;
  /** The reason why the search ended early. */
  readonly note?: string | undefined;
  /** Whether the option `timeLimit` ended the search. */
  readonly isOutOfTime?: boolean;
}

/** Milliseconds to spend on each step of shrinking a counterexample. */
const SHRINK_TIME = 3_000;

/**
 * Tries values until one shows a fault, and shrinks that value. The application is
 * reset before each smaller value, if possible. If a fault depends on earlier requests,
 * the result includes these requests.
 */
export async function search<Value>(
  sender: Sender,
  arbitrary: fc.Arbitrary<Value>,
  { attempt, runs }: {
    readonly attempt: Attempt<Value>;
    readonly runs: number;
  },
): Promise<Search> {
  const shrinker = new Shrinker(sender, attempt);
  await fc.check(
    fc.asyncProperty(arbitrary, (value) => shrinker.try(value)),
    { numRuns: runs, seed: sender.subject.options.seed, maxSkipsPerRun: 20 },
  );
  const counterexample = await shrinker.finish();
  const { runs: tried, note, isOutOfTime } = shrinker;
  return { runs: tried, counterexample, note, isOutOfTime };
}

/** The fault of a schema, a generator or a check that throws. */
export function faultOf(error: unknown): Fault {
  const { text, at } = describeError(error);
  return {
    expected: "schemas, generators and checks that do not throw",
    seen: text,
    at,
  };
}

/** Runs searches in turn, until one finds a counterexample or ends early. */
export async function inTurn(
  searches: readonly (() => Promise<Search>)[],
): Promise<Search> {
  let runs = 0;
  for (const next of searches) {
    const found = await next();
    runs += found.runs;
    if ((found.counterexample ?? found.note) !== undefined) {
      return { ...found, runs };
    }
  }
  return { runs };
}

/** A counterexample, and what leads to it. */
interface Found<Value> extends Omit<Counterexample, "replays"> {
  readonly value: Value;
  /** The requests that preceded those of the counterexample. */
  readonly before: readonly RequestPlan[];
  /** The identifiers of resources that these requests created, by their old identifiers. */
  readonly renamed: ReadonlyMap<string, string>;
}

class Shrinker<Value> {
  readonly #sender: Sender;
  readonly #attempt: Attempt<Value>;
  readonly #isResettable: boolean;
  #state: "searching" | "shrinking" | "done" = "searching";
  #found: Found<Value> | undefined;
  #deadline = Infinity;
  runs = 0;
  note: string | undefined;
  isOutOfTime = false;

  constructor(sender: Sender, attempt: Attempt<Value>) {
    this.#sender = sender;
    this.#attempt = attempt;
    this.#isResettable = sender.subject.target.isResettable;
  }

  /** Tries a value, and throws if the value shows a fault. */
  async try(value: Value): Promise<void> {
    if (this.#state === "done") return;
    const isSearching = this.#state === "searching";
    if (this.#isOver()) {
      this.isOutOfTime = isSearching;
      return this.#end("stopped for lack of time");
    }
    if (!isSearching && this.#isResettable) await this.#sender.prepareAgain();
    const found = await this.#run(value);
    if (this.#state === "searching") this.runs++;
    if (found === undefined) return;
    this.#found = found;
    if (isSearching) {
      this.#state = "shrinking";
      if (!await this.#isAlone(found)) this.#state = "done";
    }
    throw new Error(found.fault.seen);
  }

  #end(note: string): void {
    if (this.#state === "searching") this.note = note;
    this.#state = "done";
  }

  /** Returns the counterexample, with the earlier requests that it needs. */
  async finish(): Promise<Counterexample | undefined> {
    if (this.#found === undefined) return undefined;
    const { value, fault, requests, before, renamed } = this.#found;
    const given = { fault, requests, replays: this.#isResettable };
    if (!this.#isResettable || isSlow(fault)) return given;
    this.#deadline = performance.now() + SHRINK_TIME;
    const foundAfter = async (before: readonly RequestPlan[]) => {
      await this.#sender.reset(renamed);
      for (const plan of before) {
        await using _ = (await this.#sender.send(plan)).connection;
      }
      return await this.#run(value).catch(() => undefined);
    };
    const shows = async (before: readonly RequestPlan[]) =>
      !this.#isOver() && await foundAfter(before) !== undefined;
    const needed = await foundAfter([]) ? [] : before;
    let last = await foundAfter(needed);
    if (last !== undefined) {
      const fewest = await smallest(needed, shows);
      // The attempts may have changed stored data without showing the fault.
      last = await foundAfter(await simplest(fewest, shows));
    }
    if (last === undefined) return { ...given, replays: false };
    const { history, renamed: ids } = this.#sender;
    const changed = new Set(ids.values());
    const replays = history.every((_, index) =>
      !needsIdentifier(history, index, changed)
    );
    return { fault: last.fault, requests: history, replays };
  }

  #isOver(): boolean {
    const now = performance.now();
    return now > this.#deadline || now > this.#sender.subject.end;
  }

  /** Whether a value shows a fault without the values that precede it. */
  async #isAlone({ fault, value }: Found<Value>): Promise<boolean> {
    this.#deadline = performance.now() + SHRINK_TIME;
    if (isSlow(fault)) return false;
    if (!this.#isResettable) return true;
    await this.#sender.prepareAgain();
    const found = await this.#run(value).catch(() => undefined);
    this.#found = found ?? this.#found;
    return found !== undefined;
  }

  /** Sends the requests of a value; the error with which fast-check drops it is thrown. */
  async #run(value: Value): Promise<Found<Value> | undefined> {
    const { history: { length }, renamed } = this.#sender;
    const fault = await this.#attempt(value).catch((error) => {
      if (fc.PreconditionFailure.isFailure(error)) throw error;
      if (!(error instanceof EndOfRun)) return faultOf(error);
      if (this.#state === "searching") this.#end(error.message);
      return undefined;
    });
    const { history } = this.#sender;
    const [before, requests] = [
      history.slice(0, length),
      history.slice(length),
    ];
    return fault && { value, fault, requests, before, renamed };
  }
}

/** Whether each attempt would wait until a timeout. */
function isSlow({ kind }: Fault): boolean {
  return kind === "timeout" || kind === "slow check";
}

/** Whether requests lead to the fault; `false` when the time for shrinking is over. */
type Shows = (requests: readonly RequestPlan[]) => Promise<boolean>;

async function smallest(
  all: readonly RequestPlan[],
  shows: Shows,
): Promise<readonly RequestPlan[]> {
  let size = Math.ceil(all.length / 2);
  for (; size > 0; size = Math.trunc(size / 2)) {
    for (let start = 0; start < all.length;) {
      const fewer = all.toSpliced(start, size);
      if (await shows(fewer)) all = fewer;
      else start += size;
    }
  }
  return all;
}

/** Simplifies the JSON bodies of requests as long as the requests show the fault. */
async function simplest(
  all: readonly RequestPlan[],
  shows: Shows,
): Promise<readonly RequestPlan[]> {
  for (let index = 0; index < all.length; index++) {
    for (const body of smallerBodies(all[index]!)) {
      const simpler = all.with(index, { ...all[index]!, body });
      if (!await shows(simpler)) continue;
      all = simpler;
      index--;
      break;
    }
  }
  return all;
}

function smallerBodies({ body = "" }: RequestPlan): string[] {
  try {
    return [...smaller(JSON.parse(body))].map((each) => JSON.stringify(each));
  } catch {
    return [];
  }
}

/** Runs a search with inputs, or notes why there are none. */
export async function withInputs(
  sender: Sender,
  operation: Operation,
  run: (inputs: Planned<Input>, large: readonly Input[]) => Promise<Search>,
): Promise<Search> {
  await sender.prepare(operation);
  const inputs = await sender.inputsOf(operation);
  return "missing" in inputs
    ? { runs: 0, note: `not tested: ${inputs.missing}` }
    : await run(inputs.arbitrary, inputs.large);
}

/** Inputs of an operation; `undefined` as the only value if there are none. */
export async function inputsOr(
  sender: Sender,
  operation: Operation | undefined,
): Promise<fc.Arbitrary<Input | undefined>> {
  const found = operation && await sender.inputsOf(operation);
  return found && "arbitrary" in found
    ? found.arbitrary
    : fc.constant(undefined);
}

/**
 * Inputs whose paths lead to existing resources, if any are known. Other paths show
 * nothing to a property that tries few inputs.
 */
export function existing(
  { pool }: Sender,
  { route }: Operation,
  inputs: fc.Arbitrary<Input>,
): fc.Arbitrary<Input> {
  const known = pool.capturesOf(route.segments);
  return known.length === 0
    ? inputs
    : fc.tuple(inputs, fc.constantFrom(...known))
      .map(([input, captures]) => ({ ...input, ...captures }));
}

/** The request of an input. If a schema rejects the input, fast-check drops the input. */
export async function validPlan(
  operation: Operation,
  input: Input,
): Promise<RequestPlan> {
  fc.pre(await isUsable(operation, input));
  return planOf(operation, input);
}

/** Whether the schemas accept an input, and no limit of the body contradicts them. */
export async function isUsable(
  operation: Operation,
  input: Input,
): Promise<boolean> {
  return await isValid(operation, input) &&
    (!isTooLarge(operation, planOf(operation, input)) ||
      isDeclaredLength(operation, input));
}

/** The maximum number of times to send a request without variable parts. */
const SAME = 5;

/** The maximum number of values to try with an operation that streams events. */
const STREAMS = 20;

export function runsOf(
  { options: { runs } }: Subject,
  operation: Operation,
): number {
  const { schema: { parts, events }, route: { segments } } = operation;
  const { query, headers, cookies } = parts;
  if (events !== undefined) return Math.min(runs, STREAMS);
  const isSame = query.length + headers.length + cookies.length === 0 &&
    !operation.hasBody && segments.every(({ kind }) => kind === "static");
  return isSame ? Math.min(runs, SAME) : runs;
}
