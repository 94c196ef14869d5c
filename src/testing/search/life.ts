import fc from "fast-check";
import { endIfAsked, type Fault } from "../checks.ts";
import { type Input, inputAt, planOf } from "../generate/input.ts";
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

/** Changes a request by what earlier responses contain. */
export type PlanChange = (
  plan: RequestPlan,
  life: Life,
) => RequestPlan | undefined;

/** One request of a life, as data, and what must hold after its response. */
export interface Step {
  /** What the request does, by which judgements find its exchange, such as `read`. */
  readonly does: string;
  readonly operation: Operation;
  /** The input, in the path of the resource; by default, a plain one. */
  readonly input?: Input | undefined;
  /**
   * The resource in the path, or its name; by default, that of {@linkcode OWN}. Without a
   * resource, the step is left out.
   */
  readonly of?: string | ((life: Life) => Resource | undefined);
  /** The number of times to send the request at once; by default, once. */
  readonly times?: number;
  /**
   * Changes the request, such as its user or its `If-Match`, by what earlier responses
   * contain. Without a request, the step is left out.
   */
  readonly sends?: PlanChange;
  /** How long to read the events of a stream. */
  readonly patience?: Patience;
  /** Whether the step takes place; by default, it does. */
  readonly when?: (life: Life) => boolean;
  /** The resource that the latest response shows, and the name that it gets. */
  readonly makes?: readonly [
    name: string,
    find: (life: Life) => Resource | undefined,
  ];
  /** Whether the life shows nothing if the input is invalid, or makes no resource. */
  readonly isNeeded?: boolean;
  /** Whether the application should accept such a request in at least one life. */
  readonly isMeant?: boolean;
  /** What must hold now, the most severe first. */
  readonly holds?: readonly Judgement[];
  /** Whether the life ends here. */
  readonly ends?: (life: Life) => boolean;
}

/** A step that took place. */
export interface Done {
  readonly step: Step;
  readonly input: Input;
  readonly exchange: Exchange;
}

/** The resource that a life is about. */
export const OWN = "own";

/** The exchanges and the resources of a life. */
export class Life {
  readonly sender: Sender;
  readonly done: Done[] = [];
  readonly resources: Map<string, Resource> = new Map();

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /** The resource that the life is about; a path without resources before its creation. */
  get resource(): Resource {
    return this.resources.get(OWN) ?? NOWHERE;
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

const NOWHERE: Resource = { captures: { params: {}, wildcard: [] } };

export type Steps<Result = Fault | undefined | void> = Iterable<Step, Result>;

/** What to send, and what must hold, for each of many values. */
export interface Story<Value> {
  readonly values: fc.Arbitrary<Value>;
  /** The number of lives. */
  readonly runs: number;
  /** The steps. A generator may choose them by the exchanges so far, and return a fault. */
  readonly steps: (value: Value, life: Life) => Steps;
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
  steps: Steps,
  acceptance: Acceptance,
): Promise<Fault | undefined> {
  const all = steps[Symbol.iterator]();
  for (let next = all.next(); true; next = all.next()) {
    if (next.done) return next.value ?? undefined;
    const step = next.value;
    if (step.when?.(life) === false) continue;
    const sent = await requestOf(life, step);
    if (sent === undefined) continue;
    const { plan, input } = sent;
    const exchanges = await Promise.all(
      Array.from(
        { length: step.times ?? 1 },
        () => life.sender.send(plan, step.patience),
      ),
    );
    for (const exchange of exchanges) {
      life.done.push({ step, input, exchange });
      if (step.isMeant) acceptance.add(step.operation, exchange.status);
      // A missing response may be the fault.
      if (exchange.status !== undefined) endIfAsked(exchange);
    }
    if (step.makes !== undefined) {
      const [name, find] = step.makes;
      const found = find(life);
      fc.pre(!step.isNeeded || found?.id !== undefined);
      if (found !== undefined) life.resources.set(name, found);
    }
    for (const judge of step.holds ?? []) {
      const fault = await judge(life);
      if (fault !== undefined) return fault;
    }
    exchanges.forEach(endIfAsked);
    if (step.ends?.(life)) return undefined;
  }
}

/** The request of a step; `undefined` if the step is left out. */
async function requestOf(
  life: Life,
  { operation, input: given, of = OWN, sends, isNeeded = false }: Step,
): Promise<{ input: Input; plan: RequestPlan } | undefined> {
  const resource = typeof of === "function"
    ? of(life)
    : life.resources.get(of) ?? (of === OWN ? NOWHERE : undefined);
  if (resource === undefined) return undefined;
  const { captures } = resource;
  const input = given === undefined
    ? await plainInput(life.sender, operation, captures)
    : inputAt(given, captures);
  const isSendable = await isUsable(operation, input);
  fc.pre(!isNeeded || isSendable);
  if (!isSendable) return undefined;
  const plan = planOf(operation, input);
  const sent = sends === undefined ? plan : sends(plan, life);
  return sent && { input, plan: sent };
}
