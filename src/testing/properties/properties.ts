import fc from "fast-check";
import { needsCredentials } from "../../exports/middleware_module.ts";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
  type Fault,
  formatFault,
  type PropertyName,
  refusalFault,
  seenOf,
  statusFault,
} from "../checks.ts";
import { type Input, refusedPlaces } from "../generate/input.ts";
import { isChecked, mutate } from "../generate/mutate.ts";
import { invalidStatus, type Operation } from "../operation.ts";
import type { Strings } from "../plan.ts";
import { untestedReason } from "../report/report.ts";
import {
  inTurn,
  runsOf,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Session } from "../search/session.ts";
import type { Exchange } from "../send/exchange.ts";
import { eventTimeOf } from "../send/read_response.ts";
import { methodsProperty } from "./methods.ts";
import { stateProperty } from "./state.ts";

/**
 * Tests a property with an operation.
 *
 * @returns The result; `undefined` if the property does not apply to the operation.
 */
export type Property = (
  session: Session,
  operation: Operation,
) => Promise<Search | undefined>;

/** The properties, by name. */
export const TESTS: Readonly<Record<PropertyName, Property>> = {
  failure: async (session, operation) =>
    await silence(session, operation) ?? await inTurn([
      () => runProperty(session, operation, VALID, "failure"),
      ...(isChecked(operation)
        ? [() => runProperty(session, operation, INVALID, "failure")]
        : []),
    ]),
  accepted: async (session, operation) => {
    const found = await runProperty(session, operation, VALID, "accepted");
    return { ...found, note: found.note ?? untestedReason(session, operation) };
  },
  refused: async (session, operation) =>
    isChecked(operation)
      ? await runProperty(session, operation, INVALID, "refused")
      : undefined,
  declared: (session, operation) =>
    runProperty(session, operation, VALID, "declared"),
  methods: methodsProperty,
  security: (session, operation) =>
    withInputs(session, operation, (inputs) =>
      search(session, inputs, {
        runs: Math.min(session.options.runs, 20),
        attempt: (input) =>
          needsCredentials(operation.security)
            ? guardFault(session, operation, input)
            : openFault(session, operation, input),
      })),
  state: stateProperty,
};

/** Reports an operation that did not respond while test data were listed and created. */
async function silence(
  session: Session,
  operation: Operation,
): Promise<Search | undefined> {
  // No operation has been tested yet.
  if (session.history.length === 0) await session.prepare();
  const exchange = session.silent.get(operation);
  const fault = exchange && failureOf(exchange);
  // The tests of the property find and shrink all other failures.
  if (!fault?.seen.startsWith("no response within")) return undefined;
  const replays = session.target.isResettable;
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
  /** The values from which the requests are made. */
  readonly values: (inputs: fc.Arbitrary<Input>) => fc.Arbitrary<Value>;
  /**
   * Sends the request of a value. If a value results in no request, fast-check drops
   * the value.
   */
  readonly send: (
    session: Session,
    operation: Operation,
    value: Value,
  ) => Promise<readonly [Exchange, Checks]>;
}

/** Valid requests. */
const VALID: Kind<Input> = {
  values: (inputs) => inputs,
  send: async (session, operation, input) => {
    const exchange = await session.send(
      await validPlan(operation, input),
      eventTimeOf(operation),
    );
    session.statuses.getOrInsertComputed(operation, () => new Set())
      .add(exchange.status);
    return [exchange, {
      failure: () => failureOf(exchange),
      accepted: () => acceptanceFault(operation, exchange),
      declared: () => declarationFault(operation, exchange),
    }];
  },
};

const choices = fc.nat({ max: 100_000 }).chain((any) =>
  fc.constantFrom(any, any % 12)
);

/** Invalid requests: a valid input with one change. */
const INVALID: Kind<[Input, number]> = {
  values: (inputs) => fc.tuple(inputs, choices),
  send: async (session, operation, [input, choice]) => {
    await validPlan(operation, input);
    const refusal = await mutate(operation, input, choice);
    fc.pre(refusal !== undefined);
    const exchange = await session.send(refusal!.plan, eventTimeOf(operation));
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
  session: Session,
  operation: Operation,
  kind: Kind<Value>,
  property: PropertyName,
): Promise<Search> {
  const passed = session.passed(operation, kind);
  const runs = passed.get(property);
  if (runs !== undefined) return { runs };
  const holds = new Map<PropertyName, boolean>();
  const attempt = async (value: Value) => {
    const [exchange, checks] = await kind.send(session, operation, value);
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
  const found = await withInputs(
    session,
    operation,
    (inputs) =>
      search(session, kind.values(inputs), {
        runs: runsOf(session, operation),
        attempt,
      }),
  );
  if ((found.counterexample ?? found.note) !== undefined) return found;
  for (const [name, hold] of holds) if (hold) passed.set(name, found.runs);
  return found;
}

/** Headers that carry credentials. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** The headers without credentials. */
function anonymous(headers: Strings, { as }: Operation): Strings {
  const shown = [...CREDENTIALS, ...Object.keys(as)];
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      !shown.includes(name) || name === "content-type"
    ),
  );
}

/** The statuses with which a guard rejects a request without credentials. */
const REJECTED = [401, 403];

/**
 * Checks that guards accept requests without credentials to an operation that allows
 * anonymous requests.
 */
async function openFault(
  session: Session,
  operation: Operation,
  input: Input,
): Promise<Fault | undefined> {
  const plan = await validPlan(operation, input);
  // The handler itself may respond with 401, for example to a wrong password.
  const known = await session.send(plan);
  endIfAsked(known);
  if (REJECTED.includes(known.status!)) return undefined;
  const headers = anonymous(plan.headers, operation);
  const exchange = await session.send({ ...plan, headers });
  endIfAsked(exchange);
  const { status } = exchange;
  if (!REJECTED.includes(status!)) return undefined;
  return {
    expected:
      `a response other than ${status}, since the operation allows anonymous requests`,
    seen: seenOf(exchange),
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

/** Checks that a request without credentials is rejected. */
async function guardFault(
  session: Session,
  operation: Operation,
  input: Input,
): Promise<Fault | undefined> {
  const plan = await validPlan(operation, input);
  const headers = anonymous(plan.headers, operation);
  const declared = REJECTED.filter((each) => operation.responses.has(each));
  const statuses = declared.length > 0 ? declared : REJECTED;
  // A guard may reject `GET` and forget `HEAD`.
  const methods = plan.method === "GET" ? ["GET", "HEAD"] : [plan.method];
  for (const method of methods) {
    const exchange = await session.send({ ...plan, method, headers });
    endIfAsked(exchange);
    const { status } = exchange;
    if (statuses.includes(status!)) {
      if (declared.length === 0) continue;
      const fault = await declarationFault(operation, exchange);
      if (fault === undefined) continue;
      return fault;
    }
    // A schema of headers may require the credentials.
    const bare = { ...input, headers: anonymous(input.headers, operation) };
    const places = await refusedPlaces({ ...operation, as: {} }, bare);
    const isInvalid = status === invalidStatus(operation);
    if (isInvalid && places?.size !== 0) continue;
    const either = statuses.map((each) => `a ${each}`).join(" or ");
    const expected = `${either}, since no credentials were sent`;
    const fault = { expected, seen: seenOf(exchange) };
    if (statuses.length === 1) return statusFault(statuses[0]!, fault);
    const assertion = "assert([401, 403].includes(response.status));";
    return { ...fault, assertion };
  }
  return undefined;
}
