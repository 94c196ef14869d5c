import { resultWithin } from "../core/common/deadline.ts";
import { quoted } from "../core/common/values.ts";
import type { ValidationIssue } from "../core/errors.ts";
import { mismatchOf } from "../core/schema/check_response.ts";
import type { Refusal } from "./generate/mutate.ts";
import { hasBody, invalidStatus, isLive, type Operation } from "./operation.ts";
import type { RequestPlan } from "./plan.ts";
import type { SeenError } from "../shared/process_watch.ts";
import { type Exchange, jsonOf, responseOf } from "./send/exchange.ts";
import {
  eventFault,
  eventsOf,
  type ExchangeError,
} from "./send/read_response.ts";

/** Milliseconds for the check of a response. */
const CHECK_TIME = 1_000;

/** @throws {EndOfRun} If the application responds with 429 or 503, or not at all. */
export function endIfAsked({ status, errors }: Exchange): void {
  // After a missing response, further requests would also wait until the timeout.
  if (status === undefined) throw new EndOfRun(errors[0]?.text);
  if (status === 429 || status === 503) {
    throw new EndOfRun(`stopped by a ${status} response`);
  }
}

/** Checks that a request did not make the application fail. */
export function failureOf({ status, errors }: Exchange): Fault | undefined {
  const is500 = status === 500;
  return errors.length === 0 && !is500 ? undefined : {
    expected: "a status other than 500, and no error or warning in the log",
    ...(errors[0] ? seenError(errors[0]) : { seen: "a 500" }),
    assertion: is500 ? "assertNotEquals(response.status, 500);" : undefined,
  };
}

/** Adds the expected status to a fault, with its assertion. */
export function statusFault(expectedStatus: number, fault: Fault): Fault {
  const assertion = `assertEquals(response.status, ${expectedStatus});`;
  return { ...fault, expectedStatus, assertion };
}

/** Checks that the operation declares a response. */
export async function declarationFault(
  operation: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  const { status } = exchange;
  // The property `failure` reports these responses.
  if (status === undefined || status === 500 || status < 200) return undefined;
  const { responses, name, schema: { events, socket } } = operation;
  const assertion = `await assertDeclared(app, ${
    JSON.stringify(name)
  }, response);`;
  if (socket !== undefined && status < 400) {
    const expected = "a 426, since the request does not open a WebSocket";
    return statusFault(426, { expected, seen: `a ${status}`, status });
  }
  const declared = responses.get(status);
  if (declared === undefined) {
    // A method with `events` or `socket` cannot declare its own error responses.
    if (isLive(operation) && status >= 400 && status < 500) return undefined;
    const some = [...responses.keys()]
      .filter((each) => (each < 400) === (status < 400));
    if (status < 400 && some.length === 0) return undefined;
    return {
      expected: some.length === 0
        ? `a declared status; to allow ${status}, declare response: { ${status}: Problem }`
        : `one of the declared statuses: ${some.sort().join(", ")}`,
      ...seenOf(exchange),
      assertion,
    };
  }
  const isHead = exchange.plan.method === "HEAD";
  const found = await resultWithin(
    mismatchOf(responseOf(exchange), declared, { isHead }),
    CHECK_TIME,
  );
  if (found?.text !== "") {
    return {
      expected: `a ${status} as declared`,
      status,
      ...(found === undefined
        ? {
          seen: `a ${status}, but its check did not finish within ${
            CHECK_TIME / 1000
          } s`,
          kind: "slow check",
        }
        : {
          seen: `a ${status} that does not fit its schema: ${found.text}`,
          namesMember: found.namesMember,
        }),
      assertion,
    };
  }
  const fault = events && await resultWithin(
    eventFault(events.value, eventsOf(exchange.stream)),
    CHECK_TIME,
  );
  if (fault === undefined) return undefined;
  const { text: seen, namesMember } = fault;
  return { expected: "events as declared", seen, namesMember, assertion };
}

/** The status of a response with its detail, or the reason why the response is missing. */
export function seenOf(exchange: Exchange): Seen {
  const { status, errors } = exchange;
  return status === undefined
    ? seenError(errors[0] ?? { kind: "missing", text: "no response" })
    : { seen: `a ${status}${detailOf(exchange)}`, status };
}

export function seenError({ text, ...error }: ExchangeError): Seen {
  return { seen: text, ...error };
}

type Seen = Omit<Fault, "expected" | "assertion">;

function detailOf(exchange: Exchange): string {
  const { detail } = (jsonOf(exchange) ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? `: ${detail.slice(0, 200)}` : "";
}

/** A body in an error format may omit the issues, and a server does not report them. */
function issuesOf(
  { route }: Operation,
  exchange: Exchange,
): readonly ValidationIssue[] | undefined {
  if (route.errors !== undefined) return exchange.issues;
  const { errors } = (jsonOf(exchange) ?? {}) as { errors?: unknown };
  return Array.isArray(errors) ? errors : undefined;
}

/** Checks that a valid request is not rejected as invalid. */
export function acceptanceFault(
  operation: Operation,
  exchange: Exchange,
): Fault | undefined {
  const { status } = exchange;
  const issues = status === invalidStatus(operation)
    ? issuesOf(operation, exchange)
    : undefined;
  // Without a schema of the body, the handler decides which bodies are accepted.
  const isRefused = hasBody(operation) && (status === 413 || status === 415);
  if (issues === undefined && !isRefused) return undefined;
  const shown = issues?.slice(0, 3);
  const listed = shown
    ?.map((issue) => `${issue.in} ${issue.pointer} ${issue.detail}`).join("; ");
  return {
    expected: "the request is accepted, since it fits its schemas",
    seen: `a ${status}${listed ? `: ${listed}` : detailOf(exchange)}`,
    status,
    namesMember: shown?.some(({ pointer }) => pointer !== "#"),
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

/** Middleware may reject a request with these statuses before Bough checks the request. */
export const BEFORE_CHECK: readonly number[] = [401, 403, 404];

/** Checks that the response to an invalid request names the invalid part. */
export function refusalFault(
  operation: Operation,
  { status, places, isLate }: Refusal,
  exchange: Exchange,
): Fault | undefined {
  const isBeforeCheck = isLate
    ? exchange.status! >= 400 && exchange.status! < 500
    : operation.route.middleware.length > 0 &&
      BEFORE_CHECK.includes(exchange.status!);
  if (isBeforeCheck && operation.responses.has(exchange.status!)) {
    return undefined;
  }
  const list = quoted([...places].slice(0, 3));
  const expected = places.size === 0
    ? `a ${status}`
    : `a ${status} that names ${places.size === 1 ? list : `one of ${list}`}`;
  // The pointer of a whole part is "#".
  const namesMember = list.includes("#/");
  if (exchange.status !== status) {
    const seen = seenOf(exchange);
    return statusFault(status, { expected, ...seen, namesMember });
  }
  const { method, route: { errors } } = operation;
  const issues = issuesOf(operation, exchange);
  // A response to `HEAD` has no body.
  const mayOmit = errors !== undefined || method === "HEAD";
  const isUnknown = mayOmit && issues === undefined;
  if (places.size === 0 || isUnknown) return undefined;
  const named = (issues ?? [])
    .map(({ in: part, pointer }) => `${part}${pointer}`);
  if (named.some((place) => places.has(place))) return undefined;
  const seen = named.slice(0, 3).join(", ") || "no place";
  const all = JSON.stringify([...places]);
  return {
    expected,
    seen: `a ${status} that names ${seen}`,
    status,
    namesMember: namesMember || seen.includes("#/"),
    kind: named.length === 0 ? "absence" : undefined,
    // Such a body may omit the places, so an assertion cannot check them.
    assertion: !mayOmit
      ? `const { errors } = await response.json();
  assert(errors.some(({ in: part, pointer }: Record<string, string>) => ${all}.includes(part + pointer)));`
      : undefined,
  };
}

/** Checks that an error of Bough has the format of its route. */
export async function formatFault(
  { route: { errors } }: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  if (errors === undefined || exchange.body === undefined) return undefined;
  const { contentType: mediaType, schema } = errors;
  const { text, namesMember } = await mismatchOf(responseOf(exchange), {
    bodies: [{ mediaType, schema }],
    headers: undefined,
    description: undefined,
  }, { isHead: false });
  const { status } = exchange;
  return text === "" ? undefined : {
    expected: `a ${status} in the error format`,
    seen: `a ${status} that does not match the error format: ${text}`,
    status,
    namesMember,
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
  | "state"
  | "pages"
  | "repeats"
  | "live"
  | "access"
  | "limits";

/** The titles of the properties, for the names of tests, in the order of testing. */
export const TITLES: Readonly<Record<PropertyName, string>> = {
  failure: "no request makes the application fail",
  accepted: "valid requests are accepted",
  refused:
    "invalid requests are rejected, and the response names the invalid part",
  declared: "only declared responses are sent",
  methods: "HEAD matches GET, and OPTIONS and 405 list the methods",
  security: "operations require credentials as declared",
  state: "created resources can be read, changed and deleted",
  pages: "pages contain each item once, and end",
  repeats: "conditional requests and requests with a key can be repeated",
  live: "streams and sockets keep their contract while they stay open",
  access: "users reach only what is declared",
  limits: "rate limits are kept",
};

export const PROPERTIES: readonly PropertyName[] = Object.keys(
  TITLES,
) as PropertyName[];

/** A violation of a property. The members of an error describe what was seen. */
export interface Fault
  extends
    Pick<ContractFailure, "expected" | "seen">,
    Pick<SeenError, "place" | "namesLine"> {
  /**
   * The kind of the fault, if code depends on it. An `escaped` error would have ended
   * the process. A `missing` response has another reason than a timeout. An `absence` is
   * a missing header or place.
   */
  readonly kind?:
    | "logged"
    | "escaped"
    | "timeout"
    | "missing"
    | "stream"
    | "slow check"
    | "absence"
    | undefined;
  /** The actual status. Failures with different statuses have different causes. */
  readonly status?: number | undefined;
  /** The expected status, which distinguishes causes as well. */
  readonly expectedStatus?: number | undefined;
  /** Whether the fault concerns a member or a header. */
  readonly namesMember?: boolean | undefined;
  /**
   * The line of a test that checks the last `response`; `undefined` if only the
   * log, a timeout or several responses show the violation.
   */
  readonly assertion?: string | undefined;
}

/** A violated property, and the requests that show the violation. */
export interface ContractFailure {
  /** The response that the contract requires. */
  readonly expected: string;
  /** The actual response. */
  readonly seen: string;
  /** The property. */
  readonly property: PropertyName;
  /** The method and the path of the route. */
  readonly operation: string;
  /** All operations that violate the property for the same cause; the first is `operation`. */
  readonly operations: readonly string[];
  /** The file of the route. */
  readonly file: string;
  /** The shrunk requests in order; the last one shows the violation. */
  readonly requests: readonly RequestPlan[];
  /**
   * Whether these requests show the violation after a reset of the application. If not,
   * run all requests with the seed in a new process.
   */
  readonly replays: boolean;
  /** Each request as a shell command. */
  readonly curl: readonly string[];
  /** The source text of a test. */
  readonly test: string;
  /**
   * Whether the test sends these requests to where they were sent, and can find the
   * failure. Otherwise, reports print `curl` as well: for example, the test repeats the
   * run, or a server was tested.
   */
  readonly isTestEnough: boolean;
  /** The seed of the run. */
  readonly seed: number;
}

/** Thrown to end the run of an operation. */
export class EndOfRun extends Error {
  override name = "EndOfRun";
}

/** Thrown by a test or an assertion that finds a violation. */
export class ContractError extends Error {
  /** The name of the error class. */
  override name = "ContractError";
}
