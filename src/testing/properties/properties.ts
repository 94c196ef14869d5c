import { needsCredentials } from "../../exports/middleware_module.ts";
import { isChecked } from "../generate/mutate.ts";
import type { Operation } from "../operation.ts";
import { untestedReason } from "../report/report.ts";
import { inTurn, type Search, search, withInputs } from "../search/search.ts";
import { FITTING, MUTATED, sweep } from "../search/sweep.ts";
import type { Session } from "../search/session.ts";
import { failureOf, type PropertyName } from "../checks.ts";
import { guardTrial } from "./guard.ts";
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
      () => sweep(session, operation, { kind: FITTING, property: "failure" }),
      ...(isChecked(operation)
        ? [
          () =>
            sweep(session, operation, { kind: MUTATED, property: "failure" }),
        ]
        : []),
    ]),
  accepted: async (session, operation) => {
    const found = await sweep(session, operation, {
      kind: FITTING,
      property: "accepted",
    });
    return { ...found, note: found.note ?? untestedReason(session, operation) };
  },
  refused: async (session, operation) =>
    isChecked(operation)
      ? await sweep(session, operation, { kind: MUTATED, property: "refused" })
      : undefined,
  declared: (session, operation) =>
    sweep(session, operation, { kind: FITTING, property: "declared" }),
  methods: methodsProperty,
  security: async (session, operation) =>
    needsCredentials(operation.security)
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

/** An operation that did not respond when the application was explored. */
async function silence(
  session: Session,
  operation: Operation,
): Promise<Search | undefined> {
  // Whichever operation comes first, the application is explored before.
  if (session.history.length === 0) await session.begin();
  const exchange = session.silentExchanges.get(operation);
  const fault = exchange && failureOf(exchange);
  // Any other failure is made smaller.
  if (!fault?.seen.startsWith("no response within")) return undefined;
  return {
    runs: 1,
    finding: {
      fault,
      requests: [exchange!.plan],
      replays: session.target.isRenewable,
    },
    note: undefined,
  };
}
