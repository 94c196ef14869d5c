import fc from "fast-check";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
} from "./checks.ts";
import { guardTrial } from "./guard.ts";
import { refusedTrial } from "./refused.ts";
import type { Fault, PropertyName } from "./fault.ts";
import { hasBody, type Input, planOf } from "./input.ts";
import { methodsProperty } from "./methods.ts";
import { isChecked, mutate } from "./mutate.ts";
import { isGuarded, type Operation } from "./operation.ts";
import { type Search, search, type Trial } from "./search.ts";
import type { Session } from "./session.ts";
import { stateProperty } from "./state.ts";
import type { Exchange } from "./target.ts";
import { fittingPlan, withInputs } from "./with_inputs.ts";

/**
 * Tests a property with an operation.
 *
 * @returns What it came to; `undefined` if the property does not concern the operation.
 */
export type Property = (
  session: Session,
  operation: Operation,
) => Promise<Search | undefined>;

/** How long a stream may take to fail, in milliseconds. */
const FAILURE_TIME = 10;

/** How long events are waited for, in milliseconds, and how often. */
const EVENT_TIME = 100;
const EVENT_RUNS = 20;

/** The properties, by name. */
export const TESTS: Readonly<Record<PropertyName, Property>> = {
  failure: (session, operation) =>
    withInputs(
      session,
      operation,
      (inputs) =>
        search(session, fc.tuple(inputs, choices), {
          runs: runsOf(session, operation),
          trial: async ([input, choice]) => {
            const { as } = session.options;
            const refusal = choice % 5 > 0
              ? undefined
              : await mutate(operation, input, { choice: choice / 5, as });
            const plan = refusal?.plan ?? planOf(operation, input, as);
            const exchange = await session.send(plan, FAILURE_TIME);
            const fault = failureOf(exchange);
            if (fault === undefined) endIfAsked(exchange);
            return fault;
          },
        }),
    ),
  accepted: (session, operation) =>
    withInputs(session, operation, (inputs) =>
      search(session, inputs, {
        runs: runsOf(session, operation),
        trial: validTrial(session, operation, acceptanceFault),
      })),
  refused: async (session, operation) =>
    isChecked(operation)
      ? await withInputs(
        session,
        operation,
        (inputs) =>
          search(session, fc.tuple(inputs, choices), {
            runs: runsOf(session, operation),
            trial: refusedTrial(session, operation),
          }),
      )
      : undefined,
  declared: (session, operation) =>
    withInputs(session, operation, (inputs) =>
      search(session, inputs, {
        runs: operation.schema.events === undefined
          ? runsOf(session, operation)
          : Math.min(runsOf(session, operation), EVENT_RUNS),
        trial: validTrial(
          session,
          operation,
          (exchange) => declarationFault(operation, exchange),
          EVENT_TIME,
        ),
      })),
  methods: methodsProperty,
  security: async (session, operation) =>
    isGuarded(operation)
      ? await withInputs(
        session,
        operation,
        (inputs) =>
          search(session, inputs, {
            runs: Math.min(session.options.runs, 20),
            trial: guardTrial(session, operation),
          }),
      )
      : undefined,
  state: stateProperty,
};

/** How often the same request is sent where there is nothing to choose. */
const SAME = 5;

function runsOf(
  { options: { runs } }: Session,
  operation: Operation,
): number {
  const { query, headers } = operation.schema.parts;
  const isSame = query.length + headers.length === 0 && !hasBody(operation) &&
    operation.route.segments.every(({ kind }) => kind === "static");
  return isSame ? Math.min(runs, SAME) : runs;
}

const choices = fc.nat({ max: 100_000 }).chain((any) =>
  fc.constantFrom(any, any % 12)
);

/** Sends an input that fits, and checks its response. */
function validTrial(
  session: Session,
  operation: Operation,
  check: (
    exchange: Exchange,
  ) => Fault | undefined | Promise<Fault | undefined>,
  eventTime?: number,
): Trial<Input> {
  return async (input) => {
    const exchange = await session.send(
      await fittingPlan(session, operation, input),
      eventTime,
    );
    endIfAsked(exchange);
    return await check(exchange);
  };
}
