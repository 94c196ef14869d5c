import fc from "fast-check";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
  type Fault,
  formatFault,
  type PropertyName,
  refusalFault,
} from "../checks.ts";
import type { Input } from "../generate/input.ts";
import { changeCount, isChecked, mutate } from "../generate/mutate.ts";
import { Planned } from "../generate/planned.ts";
import type { Operation } from "../operation.ts";
import { untestedReason } from "../report/report.ts";
import {
  inTurn,
  runsOf,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import { isRefusal } from "../search/results.ts";
import type { Sender } from "../search/sender.ts";
import type { Exchange } from "../send/exchange.ts";
import { accessProperty } from "./access.ts";
import { limitsProperty } from "./limits.ts";
import { liveProperty } from "./live.ts";
import { methodsProperty } from "./methods.ts";
import { pagesProperty } from "./pages.ts";
import { repeatsProperty } from "./repeats.ts";
import { locationFault } from "./resource.ts";
import { securityProperty } from "./security.ts";
import { stateProperty } from "./state.ts";
import { tracesProperty } from "./traces.ts";

/** Tests an operation; `undefined` if the property does not apply to the operation. */
export type Property = (
  sender: Sender,
  operation: Operation,
) => Promise<Search | undefined>;

export const TESTS: Readonly<Record<PropertyName, Property>> = {
  failure: async (sender, operation) =>
    await reportSilence(sender, operation) ?? await inTurn([
      () => runProperty(sender, operation, VALID, "failure"),
      ...(isChecked(operation)
        ? [() => runProperty(sender, operation, INVALID, "failure")]
        : []),
    ]),
  accepted: validProperty("accepted"),
  refused: async (sender, operation) => {
    if (!isChecked(operation)) return undefined;
    const found = await runProperty(sender, operation, INVALID, "refused");
    const { runs, counterexample, note } = found;
    // Some schemas, such as that of optional headers, accept every change.
    return runs === 0 && (counterexample ?? note) === undefined
      ? undefined
      : found;
  },
  declared: validProperty("declared"),
  methods: methodsProperty,
  security: securityProperty,
  state: async (sender, operation) => {
    const found = await stateProperty(sender, operation);
    if (found?.counterexample !== undefined) return found;
    const others = await inTurn([
      () => runProperty(sender, operation, VALID, "state"),
      () => tracesProperty(sender, operation),
    ]);
    return others.counterexample === undefined ? found : others;
  },
  pages: pagesProperty,
  repeats: repeatsProperty,
  live: liveProperty,
  access: accessProperty,
  limits: limitsProperty,
};

/** A property of valid requests, which needs an accepted request. */
function validProperty(property: PropertyName): Property {
  return async (sender, operation) => {
    const found = await runProperty(sender, operation, VALID, property);
    const reason = untestedReason(sender, operation);
    return reason === undefined
      ? found
      : { ...found, runs: 0, note: found.note ?? reason };
  };
}

/** Reports an operation that did not respond while test data were listed and created. */
async function reportSilence(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  // No operation has been tested yet.
  if (sender.history.length === 0) await sender.prepare();
  const exchange = sender.results.silent.get(operation);
  const fault = exchange && failureOf(exchange);
  // The tests of the property find and shrink all other failures.
  if (fault?.kind !== "timeout") return undefined;
  const replays = sender.subject.target.isResettable;
  return {
    runs: 1,
    counterexample: { fault, requests: [exchange!.plan], replays },
  };
}

/** The checks of a response, by property. */
type Checks = Partial<
  Record<PropertyName, () => Fault | undefined | Promise<Fault | undefined>>
>;

/** Requests of one kind, which several properties check. */
interface Kind<Value> {
  /** The values from which the requests are made, and the number of planned values. */
  readonly values: (
    inputs: Planned<Input>,
    operation: Operation,
    large: readonly Input[],
  ) => readonly [fc.Arbitrary<Value>, number];
  /** Sends the request of a value. Without a request, fast-check drops the value. */
  readonly send: (
    sender: Sender,
    operation: Operation,
    value: Value,
  ) => Promise<readonly [Exchange, Checks]>;
}

const VALID: Kind<Input> = {
  values: (inputs, _operation, large) => {
    const all = inputs.followedBy(large);
    return [all, all.planned.length];
  },
  send: async (sender, operation, input) => {
    const plan = await validPlan(operation, input);
    const exchange = await sender.send(plan, operation.patience);
    const { status } = exchange;
    const { inputs, statuses, refused } = sender.results.of(operation);
    inputs.push(input);
    statuses.add(status);
    if (isRefusal(operation, status)) refused.push(input);
    return [exchange, {
      failure: () => failureOf(exchange),
      accepted: () => acceptanceFault(operation, exchange),
      declared: () => declarationFault(operation, exchange),
      state: () => locationFault(sender, operation, exchange),
    }];
  },
};

/** The random values after the planned values, in addition to a fifth of `runs`. */
const RANDOM = 20;

/** Invalid requests: a valid input with one change. */
const INVALID: Kind<[Input, number]> = {
  values: (inputs, operation) => {
    const choices = [...Array(changeCount(operation)).keys()];
    const byType = Map.groupBy(inputs.planned, ({ type }) => type);
    const firstOfTypes = [...byType.values()].map(([first]) => first!);
    const bases = choices.map((choice) =>
      firstOfTypes[choice % firstOfTypes.length]!
    );
    const values = fc.tuple(
      new Planned(bases, inputs),
      new Planned(choices, fc.integer({ min: choices.length, max: 100_000 })),
    );
    return [values, choices.length];
  },
  send: async (sender, operation, [input, choice]) => {
    await validPlan(operation, input);
    const refusal = await mutate(operation, input, choice);
    fc.pre(refusal !== undefined);
    const exchange = await sender.send(refusal!.plan, operation.patience);
    return [exchange, {
      failure: () => failureOf(exchange),
      refused: () =>
        refusalFault(operation, refusal!, exchange) ??
          (exchange.status === refusal!.status
            ? formatFault(operation, exchange)
            : undefined),
    }];
  },
};

/**
 * Tests a property with requests of one kind. Other properties check the same
 * responses. If such a property holds for all of these responses, its test need not
 * send the requests again.
 */
async function runProperty<Value>(
  sender: Sender,
  operation: Operation,
  kind: Kind<Value>,
  property: PropertyName,
): Promise<Search> {
  const passed = sender.results.of(operation).passed
    .getOrInsertComputed(kind, () => new Map());
  const runs = passed.get(property);
  if (runs !== undefined) return { runs };
  const holds = new Map<PropertyName, boolean>();
  const attempt = async (value: Value) => {
    const [exchange, checks] = await kind.send(sender, operation, value);
    // A missing response ends the run, but only `failure` reports the missing response.
    if (property !== "failure") endIfAsked(exchange);
    const fault = await checks[property]!();
    if (fault !== undefined) return fault;
    endIfAsked(exchange);
    for (const [other, check] of Object.entries(checks)) {
      const name = other as PropertyName;
      if (name === property || holds.get(name) === false) continue;
      // If a check throws, its property reports the error.
      const isHeld = await Promise.try(check)
        .then((fault) => fault === undefined, () => false);
      holds.set(name, isHeld);
    }
    return undefined;
  };
  const found = await withInputs(sender, operation, (inputs, large) => {
    const [values, planned] = kind.values(inputs, operation, large);
    const most = runsOf(sender.subject, operation);
    const runs = Math.min(most, planned + RANDOM + Math.ceil(most / 5));
    return search(sender, values, { runs, attempt });
  });
  if ((found.counterexample ?? found.note) !== undefined) return found;
  for (const [name, hold] of holds) if (hold) passed.set(name, found.runs);
  return found;
}
