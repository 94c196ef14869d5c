import { resultWithin } from "../core/common/deadline.ts";
import { quoted } from "../core/common/values.ts";
import { jsonMismatch, mismatchOf } from "../core/schema/check_response.ts";
import { membersIn } from "../core/schema/run_schema.ts";
import type { StandardSchemaV1 } from "../../mod.ts";
import type { EventSchemas, ValidationIssue } from "../plumbing.ts";
import type { ParsedEvent } from "../shared/event_parser.ts";
import type { Refusal } from "./generate/mutate.ts";
import { invalidStatus, isLive, type Operation } from "./operation.ts";
import {
  eventsOf,
  type Exchange,
  jsonOf,
  responseOf,
} from "./send/exchange.ts";
import type { ExchangeError } from "./send/live.ts";

/** How a value differs from its schema, as a sentence and as places. */
type Mismatch = Awaited<ReturnType<typeof jsonMismatch>>;

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
  if (operation.schema.socket !== undefined && status < 400) {
    const expected = "a 426, since the request does not open a WebSocket";
    return statusFault(426, { expected, seen: `a ${status}`, status });
  }
  const fault = operation.responses.has(status)
    ? await mismatchFault(operation, exchange)
    : undeclaredFault(operation, exchange);
  const name = JSON.stringify(operation.name);
  const assertion = `await assertDeclared(app, ${name}, response);`;
  return fault && { ...fault, assertion };
}

function undeclaredFault(
  operation: Operation,
  exchange: Exchange,
): Fault | undefined {
  const status = exchange.status!;
  // A method with `events` or `socket` cannot declare its own error responses.
  if (isLive(operation) && status >= 400 && status < 500) return undefined;
  const some = [...operation.responses.keys()]
    .filter((each) => (each < 400) === (status < 400));
  if (status < 400 && some.length === 0) return undefined;
  const expected = some.length === 0
    ? `a declared status; to allow ${status}, declare response: { ${status}: Problem }`
    : `one of the declared statuses: ${some.sort().join(", ")}`;
  return { expected, ...seenOf(exchange) };
}

/** Checks that a response with a declared status fits its declaration. */
async function mismatchFault(
  { name, responses, schema: { events } }: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  const status = exchange.status!;
  const isHead = exchange.plan.method === "HEAD";
  const found = await resultWithin(
    mismatchOf(responseOf(exchange), responses.get(status)!, { isHead }),
    CHECK_TIME,
  );
  if (found?.text !== "") {
    const reason = found
      ? ` that does not fit its schema: ${found.text}`
      : `, but its check did not finish within ${CHECK_TIME / 1000} s`;
    // A whole body is that of one handler.
    const at = found?.at.length === 0 ? [name] : found?.at;
    return {
      ...{ expected: `a ${status} as declared`, seen: `a ${status}${reason}` },
      ...{ status, kind: found ? "mismatch" : "slow check", at },
    };
  }
  const fault = events && await resultWithin(
    eventFault(events.value, eventsOf(exchange.stream)),
    CHECK_TIME,
  );
  return fault &&
    { expected: "events as declared", seen: fault.text, at: fault.at };
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
  const isRefused = operation.hasBody && (status === 413 || status === 415);
  if (issues === undefined && !isRefused) return undefined;
  const listed = issues?.slice(0, 3)
    .map((issue) => `${issue.in} ${issue.pointer} ${issue.detail}`).join("; ");
  return {
    expected: "the request is accepted, since it fits its schemas",
    seen: `a ${status}${listed ? `: ${listed}` : detailOf(exchange)}`,
    status,
    at: membersIn(placesOf(issues)),
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
  const seen = exchange.status!;
  const isBeforeCheck = isLate
    ? seen >= 400 && seen < 500
    : operation.route.middleware.length > 0 && BEFORE_CHECK.includes(seen);
  if (isBeforeCheck && operation.responses.has(seen)) return undefined;
  const list = quoted([...places].slice(0, 3));
  const names = places.size > 1 ? `one of ${list}` : list;
  const expected = `a ${status}` + (names && ` that names ${names}`);
  const at = membersIn([...places]);
  if (seen !== status) {
    return statusFault(status, { expected, ...seenOf(exchange), at });
  }
  const issues = issuesOf(operation, exchange);
  // A response to `HEAD` has no body.
  const mayOmit = operation.route.errors !== undefined ||
    operation.method === "HEAD";
  const named = placesOf(issues);
  const isNamed = named.some((place) => places.has(place));
  const isUnknown = mayOmit && issues === undefined;
  if (places.size === 0 || isNamed || isUnknown) return undefined;
  const all = JSON.stringify([...places]);
  const shown = named.slice(0, 3).join(", ") || "no place";
  return {
    expected,
    seen: `a ${status} that names ${shown}`,
    status,
    // Without any place, the list of places is missing, whatever it should contain.
    at: named.length === 0 ? ["body#/errors"] : [...at, ...membersIn(named)],
    // Such a body may omit the places, so an assertion cannot check them.
    assertion: mayOmit ? undefined : `const { errors } = await response.json();
  assert(errors.some(({ in: part, pointer }: Record<string, string>) => ${all}.includes(part + pointer)));`,
  };
}

function placesOf(issues: readonly ValidationIssue[] = []): string[] {
  return issues.map(({ in: part, pointer }) => part + pointer);
}

/** Checks that an error of Bough has the format of its route. */
export async function formatFault(
  { route: { errors } }: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  if (errors === undefined || exchange.body === undefined) return undefined;
  const { contentType: mediaType, schema } = errors;
  const { text, at } = await mismatchOf(responseOf(exchange), {
    bodies: [{ mediaType, schema }],
    headers: undefined,
    description: undefined,
  }, { isHead: false });
  const { status } = exchange;
  return text === "" ? undefined : {
    expected: `a ${status} in the error format`,
    seen: `a ${status} that does not match the error format: ${text}`,
    status,
    at,
  };
}

/** Describes the fault of the first event that does not fit its schema. */
export async function eventFault(
  declared: EventSchemas,
  events: readonly ParsedEvent[],
): Promise<Mismatch | undefined> {
  for (const { event: name, data } of events) {
    const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const fault = schema === undefined
      ? { text: "that is not declared", at: [] }
      : await dataFault(schema, data);
    if (fault !== undefined) {
      const at = fault.at.map((place) => `${name} ${place}`);
      return { text: `an event "${name}" ${fault.text}`, at };
    }
  }
  return undefined;
}

/** Describes how the text of an event or a message differs from its schema. */
export async function dataFault(
  schema: StandardSchemaV1,
  json: string,
): Promise<Mismatch | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { text: "whose data are not JSON", at: [] };
  }
  const { text, at } = await jsonMismatch(schema, value);
  return text === ""
    ? undefined
    : { text: `that does not fit its schema: ${text}`, at };
}

/** A violation of a property. Its cause is what is not a sentence or an assertion. */
export interface Fault {
  /** The response that the contract requires. */
  readonly expected: string;
  /** The actual response. */
  readonly seen: string;
  /**
   * The kind of the fault, if code depends on it. An `escaped` error would have ended
   * the process. A `missing` response has another reason than a timeout. A `mismatch` is
   * a response with a declared status that differs from its declaration.
   */
  readonly kind?: ExchangeError["kind"] | "slow check" | "mismatch" | undefined;
  /**
   * The members, such as `body#/items/[]/name`, headers, or lines of the application that
   * the fault concerns, without values of the requests.
   */
  readonly at?: readonly string[] | undefined;
  /** The actual status. */
  readonly status?: number | undefined;
  /** The expected status. */
  readonly expectedStatus?: number | undefined;
  /**
   * The line of a test that checks the last `response`; `undefined` if only the
   * log, a timeout or several responses show the violation.
   */
  readonly assertion?: string | undefined;
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
