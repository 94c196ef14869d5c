import fc from "fast-check";
import type { Input } from "../generate/input.ts";
import { mutate } from "../generate/mutate.ts";
import { hasBody, type Operation } from "../operation.ts";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
  type Fault,
  type PropertyName,
  refusalFault,
} from "../checks.ts";
import type { Exchange } from "../send/exchange.ts";
import { eventTimeOf } from "../send/read_response.ts";
import type { Session } from "./session.ts";
import { fittingPlan, type Search, search, withInputs } from "./search.ts";

/** A request that was sent, and what properties say of its response. */
interface Sent {
  readonly exchange: Exchange;
  readonly checks: Readonly<Partial<Record<PropertyName, Check>>>;
}

type Check = () => Fault | undefined | Promise<Fault | undefined>;

/** Requests of one kind, of which more than one property says something. */
export interface Kind<Value> {
  /** What the requests are made of. */
  readonly values: (inputs: fc.Arbitrary<Input>) => fc.Arbitrary<Value>;
  /** Sends a request; fast-check drops the value if there is none. */
  readonly send: (
    session: Session,
    operation: Operation,
    value: Value,
  ) => Promise<Sent>;
}

/** What fits the schemas. */
export const FITTING: Kind<Input> = {
  values: (inputs) => inputs,
  send: async (session, operation, input) => {
    const exchange = await session.send(
      await fittingPlan(session, operation, input),
      eventTimeOf(operation),
    );
    session.statuses.getOrInsertComputed(operation, () => new Set())
      .add(exchange.status);
    return {
      exchange,
      checks: {
        failure: () => failureOf(exchange),
        accepted: () => acceptanceFault(operation, exchange),
        declared: () => declarationFault(operation, exchange),
      },
    };
  },
};

const choices = fc.nat({ max: 100_000 }).chain((any) =>
  fc.constantFrom(any, any % 12)
);

/** What does not fit the schemas: an input that fits, but for one change. */
export const MUTATED: Kind<[Input, number]> = {
  values: (inputs) => fc.tuple(inputs, choices),
  send: async (session, operation, [input, choice]) => {
    const { as } = session.options;
    await fittingPlan(session, operation, input);
    const refusal = await mutate(operation, input, { choice, as });
    fc.pre(refusal !== undefined);
    const exchange = await session.send(refusal!.plan, eventTimeOf(operation));
    return {
      exchange,
      checks: {
        failure: () => failureOf(exchange),
        refused: () => refusalFault(operation, refusal!, exchange),
      },
    };
  },
};

/**
 * Tests a property with requests of one kind. The other properties look at the
 * responses, too: one that found nothing wrong sends the same requests no more.
 */
export async function sweep<Value>(
  session: Session,
  operation: Operation,
  { kind, property }: {
    readonly kind: Kind<Value>;
    readonly property: PropertyName;
  },
): Promise<Search> {
  const passed = session.passed(operation, kind);
  const runs = passed.get(property);
  if (runs !== undefined) return { runs, finding: undefined, note: undefined };
  const holds = new Map<PropertyName, boolean>();
  const found = await withInputs(
    session,
    operation,
    (inputs) =>
      search(session, kind.values(inputs), {
        runs: runsOf(session, operation),
        trial: async (value) => {
          const { exchange, checks } = await kind.send(
            session,
            operation,
            value,
          );
          // To give no response at all ends a run, and is a failure before.
          if (property !== "failure") endIfAsked(exchange);
          const fault = await checks[property]!();
          if (fault !== undefined) return fault;
          endIfAsked(exchange);
          for (const name of namesOf(checks)) {
            if (name === property || holds.get(name) === false) continue;
            holds.set(name, await passes(checks[name]!));
          }
          return undefined;
        },
      }),
  );
  const isWhole = found.finding === undefined && found.note === undefined;
  for (const [name, hold] of holds) {
    if (isWhole && hold) passed.set(name, found.runs);
  }
  return found;
}

/** Whether a check finds nothing. If it throws, its own property finds that. */
async function passes(check: Check): Promise<boolean> {
  try {
    return await check() === undefined;
  } catch {
    return false;
  }
}

function namesOf(checks: Sent["checks"]): PropertyName[] {
  return Object.keys(checks) as PropertyName[];
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
  const { query, headers } = operation.schema.parts;
  if (operation.schema.events !== undefined) return Math.min(runs, STREAMS);
  const isSame = query.length + headers.length === 0 && !hasBody(operation) &&
    operation.route.segments.every(({ kind }) => kind === "static");
  return isSame ? Math.min(runs, SAME) : runs;
}
