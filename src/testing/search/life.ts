import fc from "fast-check";
import { endIfAsked, type Fault } from "../checks.ts";
import { type Input, inputAt, planOf } from "../generate/input.ts";
import { ANYWHERE } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import type { Patience } from "../patience.ts";
import type { RequestPlan } from "../plan.ts";
import type { Acceptance } from "../properties/acceptance.ts";
import { plainInput, type Resource } from "../properties/resource.ts";
import type { Exchange } from "../send/exchange.ts";
import { isUsable, type Search, search } from "./search.ts";
import type { Sender } from "./sender.ts";

/** Looks at the exchanges of a life so far, and reports what must not be so. */
export type Judgement = (
  life: Life,
) => Fault | undefined | Promise<Fault | undefined>;

/** One request of a life, as data, and what must hold after its response. */
export interface Step {
  /** The verb by which judgements find the exchange, such as `read`. */
  readonly does: string;
  readonly operation: Operation;
  /** The input, whose path gets the captures of the resource; by default, a plain one. */
  readonly input?: Input | undefined;
  /** The resource in the path; by default, the path is that of the input. */
  readonly of?: Pick<Resource, "captures"> | undefined;
  /** Changes the request, such as its user; without a request, the step is left out. */
  readonly sends?: ((plan: RequestPlan) => RequestPlan | undefined) | undefined;
  /** The number of times to send the request at once; by default, once. */
  readonly times?: number;
  /** The milliseconds to wait before the request. */
  readonly waits?: number;
  /** How long to read the events of a stream. */
  readonly patience?: Patience;
  /** Whether the life shows nothing without this request. */
  readonly isNeeded?: boolean;
  /** Whether the application should accept such a request in at least one life. */
  readonly isMeant?: boolean;
  /** The judgements of the life after the response, the most severe first. */
  readonly holds?: readonly Judgement[] | undefined;
}

/** A step that took place. */
export interface Done {
  readonly step: Step;
  readonly input: Input;
  readonly exchange: Exchange;
}

/** A part of a story: yields steps, and gets the exchange of each that takes place. */
export type Part<Result = void> = Generator<
  Step,
  Result,
  Exchange | undefined
>;

/** Like {@linkcode Part}, for a part that waits for something else than a response. */
export type AsyncPart<Result = void> = AsyncGenerator<
  Step,
  Result,
  Exchange | undefined
>;

type Plot = Part<Fault | void> | AsyncPart<Fault | void>;

/** A path without resources. */
export const NOWHERE: Resource = { captures: ANYWHERE };

/** The exchanges of a life so far. */
export class Life {
  readonly sender: Sender;
  readonly done: Done[] = [];

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /** The latest step. */
  get now(): Done {
    return this.done.at(-1)!;
  }

  /** The exchanges of the steps with a name, in order. */
  all(does: string): Exchange[] {
    return this.done.filter(({ step }) => step.does === does)
      .map(({ exchange }) => exchange);
  }

  /** The latest exchange of the steps with a name. */
  last(does: string): Exchange | undefined {
    return this.all(does).at(-1);
  }
}

/** The lives of many values, as steps. */
export interface Story<Value> {
  readonly values: fc.Arbitrary<Value>;
  /** The number of lives. */
  readonly runs: number;
  /** The steps; a fault that no single response shows is returned. */
  readonly steps: (value: Value, life: Life) => Plot;
  /** The requests that the application must accept, so that the story shows anything. */
  readonly acceptance: Acceptance;
}

/** Leads lives until one shows a fault, and shrinks that life. */
export function tell<Value>(
  sender: Sender,
  { values, runs, steps, acceptance }: Story<Value>,
): Promise<Search> {
  return search(sender, values, {
    runs: Math.min(sender.subject.options.runs, runs),
    attempt: (value) => {
      const life = new Life(sender);
      return live(life, steps(value, life), acceptance);
    },
  });
}

/** Sends the steps of a life in order, until one shows a fault or ends the life. */
async function live(
  life: Life,
  story: Plot,
  acceptance: Acceptance,
): Promise<Fault | undefined> {
  let next = await story.next();
  while (!next.done) {
    const { operation, isMeant, holds = [] } = next.value;
    const exchanges = await send(life, next.value);
    for (const exchange of exchanges) {
      if (isMeant) acceptance.add(operation, exchange.status);
      // A missing response may be the fault.
      if (exchange.status !== undefined) endIfAsked(exchange);
    }
    for (const judge of exchanges.length > 0 ? holds : []) {
      const fault = await judge(life);
      if (fault !== undefined) return fault;
    }
    exchanges.forEach(endIfAsked);
    next = await story.next(exchanges.at(-1));
  }
  return next.value ?? undefined;
}

/** Sends the request of a step; returns nothing if the step is left out. */
async function send(life: Life, step: Step): Promise<Exchange[]> {
  const { sender, done } = life;
  const { operation, patience, sends = (plan) => plan, times = 1 } = step;
  const input = await inputOf(sender, step);
  const plan = input && sends(planOf(operation, input));
  fc.pre(!step.isNeeded || plan !== undefined);
  if (plan === undefined) return [];
  if (step.waits !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, step.waits));
  }
  const exchanges = await Promise.all(
    Array.from({ length: times }, () => sender.send(plan, patience)),
  );
  done.push(
    ...exchanges.map((exchange) => ({ step, input: input!, exchange })),
  );
  return exchanges;
}

/** A valid input of a step; `undefined` without one, or if the operation never responds. */
export async function inputOf(
  sender: Sender,
  { operation, input: given, of = NOWHERE }: Step,
): Promise<Input | undefined> {
  if (sender.results.silent.has(operation)) return undefined;
  const input = given === undefined
    ? await plainInput(sender, operation, of.captures)
    : inputAt(given, of.captures);
  return await isUsable(operation, input) ? input : undefined;
}
