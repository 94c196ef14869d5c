import { resultWithin } from "../common/deadline.ts";
import { responseFaults } from "../schema/check_response.ts";
import type { Refusal } from "./generate/mutate.ts";
import { hasBody, type Operation } from "./operation.ts";
import type { RequestPlan } from "./plan.ts";
import { type Exchange, jsonOf, responseOf } from "./send/exchange.ts";
import { eventFault } from "./send/read_response.ts";

/** How long a check of a response may take, in milliseconds. */
const CHECK_TIME = 1_000;

/**
 * Ends the run of an operation where the application asks for it, by a 429 or a 503, or
 * does not respond at all.
 *
 * @throws {EndOfRun} If it does.
 */
export function endIfAsked({ status, errors }: Exchange): void {
  // To wait for others like it would take long.
  if (status === undefined) throw new EndOfRun(errors[0]);
  if (status === 429 || status === 503) {
    throw new EndOfRun(`ended by a ${status}`);
  }
}

/** A request must not make the application fail. */
export function failureOf({ status, errors }: Exchange): Fault | undefined {
  const is500 = status === 500;
  return errors.length === 0 && !is500 ? undefined : {
    expected: "a response that is no 500, and no error in the log",
    seen: errors[0] ?? "a 500",
    assertion: is500 ? "assertNotEquals(response.status, 500);" : undefined,
  };
}

/** What is wrong with a response that should have another status. */
export function statusFault(
  status: number,
  fault: { readonly expected: string; readonly seen: string },
): Fault {
  return { ...fault, assertion: `assertEquals(response.status, ${status});` };
}

/** A response is one of those that the operation declares. */
export async function declarationFault(
  operation: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  const { status } = exchange;
  // What is no response is the fault of another property.
  if (status === undefined || status === 500 || status < 200) return undefined;
  const { responses, name, schema: { events, socket } } = operation;
  const assertion = `await assertDeclared(app, ${
    JSON.stringify(name)
  }, response);`;
  if (socket !== undefined && status < 400) {
    const expected = "a 426, since the request opens no WebSocket";
    return statusFault(426, { expected, seen: `a ${status}` });
  }
  const declared = responses.get(status);
  if (declared === undefined) {
    // These methods have no member that could declare it.
    const isLive = events !== undefined || socket !== undefined;
    if (isLive && status >= 400 && status < 500) return undefined;
    const some = [...responses.keys()]
      .filter((each) => (each < 400) === (status < 400));
    if (status < 400 && some.length === 0) return undefined;
    return {
      expected: some.length === 0
        ? `no ${status}, or a schema that declares it: response: { ${status}: Problem }`
        : `one of the declared statuses: ${some.sort().join(", ")}`,
      seen: seenOf(exchange),
      assertion,
    };
  }
  const faults = await resultWithin(
    responseFaults(responseOf(exchange), declared, {
      isHead: exchange.plan.method === "HEAD",
    }),
    CHECK_TIME,
  );
  if (faults !== "") {
    return {
      expected: `a ${status} as it is declared`,
      seen: faults === undefined
        ? `a ${status}, but no result of its check within ${
          CHECK_TIME / 1000
        } s`
        : `a ${status} that does not fit: ${faults}`,
      assertion,
    };
  }
  const fault = events &&
    await resultWithin(eventFault(events.value, exchange.stream), CHECK_TIME);
  return fault === undefined
    ? undefined
    : { expected: "events as they are declared", seen: fault, assertion };
}

/** The status of a response with its detail, or why there is none. */
export function seenOf(exchange: Exchange): string {
  return exchange.status === undefined
    ? exchange.errors[0] ?? "no response"
    : `a ${exchange.status}${detailOf(exchange)}`;
}

/** The detail of a problem, for a report: `: There is no book 7`. */
function detailOf(exchange: Exchange): string {
  const { detail } = (jsonOf(exchange) ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? `: ${detail.slice(0, 200)}` : "";
}

/** The entries of `errors` of a problem; `undefined` if there are none. */
function issuesOf(
  exchange: Exchange,
): readonly Record<"in" | "pointer" | "detail", string>[] | undefined {
  const { errors } = (jsonOf(exchange) ?? {}) as { errors?: unknown };
  return Array.isArray(errors) ? errors : undefined;
}

/** What fits the schemas must not be refused as if it did not. */
export function acceptanceFault(
  operation: Operation,
  exchange: Exchange,
): Fault | undefined {
  const { status } = exchange;
  const issues = status === 400 ? issuesOf(exchange) : undefined;
  // Of a body without a schema, its handler says what it takes.
  const isRefused = hasBody(operation) && (status === 413 || status === 415);
  if (issues === undefined && !isRefused) return undefined;
  const listed = issues?.slice(0, 3)
    .map((issue) => `${issue.in} ${issue.pointer} ${issue.detail}`).join("; ");
  return {
    expected: "the input is accepted, since it fits the schemas",
    seen: `a ${status}${listed ? `: ${listed}` : detailOf(exchange)}`,
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

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
  if (exchange.status !== status) {
    return statusFault(status, { expected, seen: seenOf(exchange) });
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

/** The name of a property. */
export type PropertyName =
  | "failure"
  | "accepted"
  | "refused"
  | "declared"
  | "methods"
  | "security"
  | "state";

/** What each property says, for the names of tests, in the order of testing. */
export const TITLES: Readonly<Record<PropertyName, string>> = {
  failure: "no request makes the application fail",
  accepted: "what fits the schemas is accepted",
  refused: "what does not fit the schemas is refused, and the place is named",
  declared: "only declared responses are sent",
  methods: "HEAD is like GET, and OPTIONS and 405 tell the methods",
  security: "without credentials, what is guarded is refused",
  state: "what is created can be read, changed and deleted",
};

/** The names of the properties. */
export const PROPERTIES: readonly PropertyName[] = Object.keys(
  TITLES,
) as PropertyName[];

/** How a response breaks a property. */
export interface Fault {
  /** What the contract says. */
  readonly expected: string;
  /** What came. */
  readonly seen: string;
  /**
   * The same as a line of a test, of the last `response`; `undefined` if no response
   * shows it, but a log, or the time that it takes.
   */
  readonly assertion: string | undefined;
}

/** A property that does not hold, and the requests that show it. */
export interface ContractFailure extends Omit<Fault, "assertion"> {
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** The file of the route. */
  readonly file: string;
  /** The smallest requests that were found, in order; the last one shows it. */
  readonly requests: readonly RequestPlan[];
  /**
   * Whether they show it from the beginning of the application. Otherwise the seed
   * replays all requests, in a new process.
   */
  readonly replays: boolean;
  /** Each of the requests as a command for a shell. */
  readonly curl: readonly string[];
  /** All of them as a test. */
  readonly test: string;
  /** The seed of the run. */
  readonly seed: number;
}

/** Ends the run of an operation: it asks for no more requests. */
export class EndOfRun extends Error {
  /** The name of the error class. */
  override name = "EndOfRun";
}

/** Thrown by a test of a property that does not hold. */
export class ContractError extends Error {
  /** The name of the error class. */
  override name = "ContractError";
}
