import fc from "fast-check";
import {
  acceptanceFault,
  declarationFault,
  endIfAsked,
  failureOf,
  type Fault,
  type PropertyName,
  refusalFault,
  seenOf,
  statusFault,
} from "../checks.ts";
import { type Input, refusedPlaces } from "../generate/input.ts";
import { isChecked, mutate } from "../generate/mutate.ts";
import type { Operation } from "../operation.ts";
import type { Strings } from "../plan.ts";
import { untestedReason } from "../report/report.ts";
import {
  fittingPlan,
  inTurn,
  runsOf,
  type Search,
  search,
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
 * @returns What it came to; `undefined` if the property does not concern the operation.
 */
export type Property = (
  session: Session,
  operation: Operation,
) => Promise<Search | undefined>;

/** The properties, by name. */
export const TESTS: Readonly<Record<PropertyName, Property>> = {
  failure: async (session, operation) =>
    await silence(session, operation) ?? await inTurn([
      () => sweep(session, operation, FITTING, "failure"),
      ...(isChecked(operation)
        ? [() => sweep(session, operation, MUTATED, "failure")]
        : []),
    ]),
  accepted: async (session, operation) => {
    const found = await sweep(session, operation, FITTING, "accepted");
    return { ...found, note: found.note ?? untestedReason(session, operation) };
  },
  refused: async (session, operation) =>
    isChecked(operation)
      ? await sweep(session, operation, MUTATED, "refused")
      : undefined,
  declared: (session, operation) =>
    sweep(session, operation, FITTING, "declared"),
  methods: methodsProperty,
  security: (session, operation) =>
    withInputs(session, operation, (inputs) =>
      search(session, inputs, {
        runs: Math.min(session.options.runs, 20),
        trial: (input) => guardFault(session, operation, input),
      })),
  state: stateProperty,
};

/** An operation that did not respond when the application was explored. */
async function silence(
  session: Session,
  operation: Operation,
): Promise<Search | undefined> {
  // Whichever operation comes first, the application is explored before.
  if (session.history.length === 0) await session.begin();
  const exchange = session.silent.get(operation);
  const fault = exchange && failureOf(exchange);
  // Any other failure is made smaller.
  if (!fault?.seen.startsWith("no response within")) return undefined;
  const replays = session.target.isRenewable;
  return { runs: 1, finding: { fault, requests: [exchange!.plan], replays } };
}

/** What each property says of a response. */
type Checks = Partial<
  Record<PropertyName, () => Fault | undefined | Promise<Fault | undefined>>
>;

/** Requests of one kind, of which more than one property says something. */
interface Kind<Value> {
  /** What the requests are made of. */
  readonly values: (inputs: fc.Arbitrary<Input>) => fc.Arbitrary<Value>;
  /** Sends a request; fast-check drops the value if there is none. */
  readonly send: (
    session: Session,
    operation: Operation,
    value: Value,
  ) => Promise<readonly [Exchange, Checks]>;
}

/** What fits the schemas. */
const FITTING: Kind<Input> = {
  values: (inputs) => inputs,
  send: async (session, operation, input) => {
    const exchange = await session.send(
      await fittingPlan(operation, input),
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

/** What does not fit the schemas: an input that fits, but for one change. */
const MUTATED: Kind<[Input, number]> = {
  values: (inputs) => fc.tuple(inputs, choices),
  send: async (session, operation, [input, choice]) => {
    await fittingPlan(operation, input);
    const refusal = await mutate(operation, input, choice);
    fc.pre(refusal !== undefined);
    const exchange = await session.send(refusal!.plan, eventTimeOf(operation));
    return [exchange, {
      failure: () => failureOf(exchange),
      refused: () => refusalFault(operation, refusal!, exchange),
    }];
  },
};

/**
 * Tests a property with requests of one kind. The other properties look at the
 * responses, too: one that found nothing wrong sends the same requests no more.
 */
async function sweep<Value>(
  session: Session,
  operation: Operation,
  kind: Kind<Value>,
  property: PropertyName,
): Promise<Search> {
  const passed = session.passed(operation, kind);
  const runs = passed.get(property);
  if (runs !== undefined) return { runs };
  const holds = new Map<PropertyName, boolean>();
  const trial = async (value: Value) => {
    const [exchange, checks] = await kind.send(session, operation, value);
    // To give no response at all ends a run, and is a failure before.
    if (property !== "failure") endIfAsked(exchange);
    const fault = await checks[property]!();
    if (fault !== undefined) return fault;
    endIfAsked(exchange);
    for (const [other, check] of Object.entries(checks)) {
      const name = other as PropertyName;
      if (name === property || holds.get(name) === false) continue;
      // If a check throws, its own property finds that.
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
        trial,
      }),
  );
  if ((found.finding ?? found.note) !== undefined) return found;
  for (const [name, hold] of holds) if (hold) passed.set(name, found.runs);
  return found;
}

/** Headers that show who sends a request. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** Sends a request without credentials, and checks that it is refused. */
async function guardFault(
  session: Session,
  operation: Operation,
  input: Input,
): Promise<Fault | undefined> {
  const shown = [...CREDENTIALS, ...Object.keys(operation.as)];
  const without = (headers: Strings) =>
    Object.fromEntries(
      Object.entries(headers).filter(([name]) =>
        !shown.includes(name) || name === "content-type"
      ),
    );
  const plan = await fittingPlan(operation, input);
  const headers = without(plan.headers);
  const declared = [401, 403].filter((each) => operation.responses.has(each));
  const statuses = declared.length > 0 ? declared : [401, 403];
  // What `GET` refuses, `HEAD` may show.
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
    // A schema may be what asks for the credentials.
    const bare = { ...input, headers: without(input.headers) };
    const places = await refusedPlaces({ ...operation, as: {} }, bare);
    if (status === 400 && places?.size !== 0) continue;
    const either = statuses.map((each) => `a ${each}`).join(" or ");
    const expected = `${either}, since no credentials were sent`;
    const fault = { expected, seen: seenOf(exchange) };
    if (statuses.length === 1) return statusFault(statuses[0]!, fault);
    const assertion = "assert([401, 403].includes(response.status));";
    return { ...fault, assertion };
  }
  return undefined;
}
