import type { Refusal } from "../generate/mutate.ts";
import type { Operation } from "../operation.ts";
import type { Exchange } from "../send/exchange.ts";
import { detailOf, type Fault, issuesOf } from "./checks.ts";

/** The statuses by which middleware may refuse what nobody has validated yet. */
const EARLIER = [401, 403, 404];

/** What a schema refuses, the application refuses, too, and names the place. */
export function refusalFault(
  operation: Operation,
  { status, places }: Refusal,
  exchange: Exchange,
): Fault | undefined {
  const isEarlier = operation.route.middleware.length > 0 &&
    EARLIER.includes(exchange.status!) &&
    operation.responses.has(exchange.status!);
  if (isEarlier) return undefined;
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
    // The status is that of the contract already.
    assertion:
      `const { errors } = await response.json();\n  assert(errors.some(({ in: part, pointer }: Record<string, string>) => ${
        JSON.stringify([...places])
      }.includes(part + pointer)));`,
  };
}
