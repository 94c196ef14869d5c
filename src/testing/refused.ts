import fc from "fast-check";
import { detailOf, endIfAsked, issuesOf } from "./checks.ts";
import type { Fault } from "./fault.ts";
import type { Input } from "./input.ts";
import { mutate, type Refusal } from "./mutate.ts";
import type { Operation } from "./operation.ts";
import type { Trial } from "./search.ts";
import type { Session } from "./session.ts";
import type { Exchange } from "./target.ts";
import { fittingPlan } from "./with_inputs.ts";

/** The statuses by which middleware may refuse what nobody has validated yet. */
const EARLIER = [401, 403, 404];

/** Sends what a schema refuses, and checks that the application refuses it, too. */
export function refusedTrial(
  session: Session,
  operation: Operation,
): Trial<[Input, number]> {
  const { as } = session.options;
  return async ([input, choice]) => {
    await fittingPlan(session, operation, input);
    const refusal = await mutate(operation, input, { choice, as });
    fc.pre(refusal !== undefined);
    const exchange = await session.send(refusal!.plan);
    endIfAsked(exchange);
    const { status } = exchange;
    const isEarlier = operation.route.middleware.length > 0 &&
      EARLIER.includes(status!) && operation.responses.has(status!);
    return isEarlier ? undefined : refusalFault(refusal!, exchange);
  };
}

function refusalFault(
  { status, places }: Refusal,
  exchange: Exchange,
): Fault | undefined {
  const list = [...places].slice(0, 3).map((place) => `"${place}"`).join(", ");
  const expected = places.size === 0
    ? `a ${status}`
    : `a ${status} that names ${places.size === 1 ? list : `one of ${list}`}`;
  const assertion = `assertEquals(response.status, ${status});`;
  if (exchange.status !== status) {
    const seen = exchange.status === undefined
      ? exchange.errors[0] ?? "no response"
      : `a ${exchange.status}${detailOf(exchange)}`;
    return { expected, seen, assertion };
  }
  if (places.size === 0) return undefined;
  const named = (issuesOf(exchange) ?? [])
    .map(({ in: part, pointer }) => `${part}${pointer}`);
  if (named.some((place) => places.has(place))) return undefined;
  return {
    expected,
    seen: `a ${status} that names ${
      named.length === 0 ? "nothing" : named.slice(0, 3).join(", ")
    }`,
    assertion: `${assertion} // and its "errors" must name the place`,
  };
}
