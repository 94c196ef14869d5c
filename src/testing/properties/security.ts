import { needsCredentials } from "../../core/start/modules.ts";
import { refusedPlaces } from "../generate/input.ts";
import { EXPIRED, REJECTED } from "../identity.ts";
import { invalidStatus, type Operation } from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import type { Subject } from "../search/subject.ts";
import type { Exchange } from "../send/exchange.ts";
import { declarationFault, failureOf, type Fault, seenOf } from "../checks.ts";
import type { Check, Tested, Tried } from "./input_checks.ts";
import { pick } from "./members.ts";
import { withQuery } from "./pages.ts";
import { send } from "./resource.ts";

/** Headers that carry credentials. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** The number of inputs to send without credentials. */
const RUNS = 10;

/** The number of inputs to send with each kind of wrong credentials. */
const WRONG_RUNS = 2;

/** Checks that an operation requires credentials, or allows anonymous requests, as declared. */
export function securityChecks({ sender, operation }: Tested): Check[] {
  const { responses, security } = operation;
  const isGuarded = needsCredentials(security);
  // A 401 of an optional guard is declared for wrong credentials.
  const isOptional = responses.has(401) &&
    security.some((each) => Object.keys(each).length > 0);
  const all = wrongCredentials(sender.subject, operation);
  const wrong = isGuarded ? all : isOptional ? all.slice(0, 1) : [];
  return [
    isGuarded ? [RUNS, guardFault] : [2 * RUNS, openFault],
    ...wrong.map((wrong): Check => [
      WRONG_RUNS,
      (tried) => guardFault({ ...tried, wrong }),
    ]),
  ];
}

/** A request without its credentials, in the headers and in the query. */
export function anonymous(
  plan: RequestPlan,
  { as, credentials: { query = [], cookies = [] } }: Operation,
): RequestPlan {
  const hidden = [...CREDENTIALS, ...Object.keys(as?.headers ?? {})];
  const own = {
    headers: pick(
      plan.headers,
      (name) => !hidden.includes(name) || name === "content-type",
    ),
    cookies: pick(plan.cookies ?? {}, (name) => !cookies.includes(name)),
  };
  return query.reduce(
    (plan: RequestPlan, name) => withQuery(plan, name, undefined),
    { ...plan, ...own, as: undefined },
  );
}

/** Credentials that guards must reject. */
interface Wrong extends Partial<Pick<RequestPlan, "as" | "headers">> {
  /** Whether guards may reject them with any 4xx. */
  readonly isOther?: boolean;
}

/**
 * Wrong and malformed credentials: another token of the same form, the first character
 * of a token, no token, and other schemes.
 */
function wrongCredentials(subject: Subject, { as }: Operation): Wrong[] {
  const all = Object.entries(as?.headers ?? {});
  const standard = all.filter(([name]) => CREDENTIALS.includes(name));
  // Other headers may contain more than credentials, such as the name of a tenant.
  const isOther = all.length > 0 && standard.length === 0;
  const own = isOther ? all : standard;
  const given = own.length > 0 ? own : [["authorization", "Bearer 0"] as const];
  const changed = (change: (text: string) => string): Wrong => ({
    isOther,
    headers: Object.fromEntries(given.map(([name, value]) => [
      name,
      // The scheme and the names of cookies remain.
      value.replace(/(?<==|\s|^)[^=;\s]+=*(?=;|$)/g, change),
    ])),
  });
  const { authorization = "" }: Strings = Object.fromEntries(given);
  const [scheme] = /^\S+(?= )/.exec(authorization) ?? [];
  const schemes = scheme ? [scheme, "Basic !", `X-${scheme} 0`] : [];
  return [
    changed(forged),
    // A comparison may end with the shorter of two tokens.
    changed((text) => text.length > 1 ? text[0]! : forged(text)),
    ...schemes.map((authorization) => ({ headers: { authorization } })),
    ...(subject.identities.has(EXPIRED) ? [{ as: EXPIRED }] : []),
  ];
}

/** Another token of the same form. A JWT differs only in its signature. */
function forged(token: string): string {
  const [, claims = "", secret = token] = /^(\w+\.[\w-]+\.)(.+)$/.exec(token) ??
    [];
  return claims +
    secret.replaceAll(/[a-z]/g, (letter) => letter === "q" ? "z" : "q")
      .replaceAll(/[A-Z]/g, (letter) => letter === "Q" ? "Z" : "Q")
      .replaceAll(/\d/g, (digit) => digit === "7" ? "1" : "7");
}

/** Checks that guards accept anonymous requests to an operation that allows them. */
async function openFault(
  { sender, operation, plan }: Tried,
): Promise<Fault | undefined> {
  // The handler itself may respond with 401, for example to a wrong password.
  const known = await send(sender, plan);
  if (REJECTED.includes(known.status!)) return undefined;
  const exchange = await send(sender, anonymous(plan, operation));
  const { status } = exchange;
  if (!REJECTED.includes(status!)) {
    return failureOf(known) ? undefined : failureOf(exchange);
  }
  return {
    expected:
      `a response other than ${status}, since the operation allows anonymous requests`,
    ...seenOf(exchange),
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

/** Checks that a guard rejects a request without credentials, or with wrong ones. */
async function guardFault(
  { sender, operation, input, wrong, ...tried }: Tried & {
    readonly wrong?: Wrong;
  },
): Promise<Fault | undefined> {
  const plan = anonymous(tried.plan, operation);
  const headers = { ...plan.headers, ...wrong?.headers };
  // A schema of headers may require the credentials.
  const places = await refusedPlaces(
    { ...operation, as: undefined },
    { ...input, headers },
  );
  const allowed = places?.size === 0 ? [] : [invalidStatus(operation)];
  // A guard may reject `GET` and forget `HEAD`.
  const others = plan.method === "GET" && !wrong ? ["HEAD"] : [];
  for (const method of [plan.method, ...others]) {
    const sent = { ...plan, method, headers, as: wrong?.as };
    const exchange = await send(sender, sent);
    if (allowed.includes(exchange.status!)) continue;
    const fault = await rejectionFault(operation, exchange, wrong);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Checks that a response rejects the credentials of its request as declared. */
async function rejectionFault(
  operation: Operation,
  exchange: Exchange,
  wrong: Wrong | undefined,
): Promise<Fault | undefined> {
  const { status = 500 } = exchange;
  const declared = REJECTED.filter((each) => operation.responses.has(each));
  const statuses = declared.length > 0 ? declared : REJECTED;
  if (statuses.includes(status)) {
    return declared.length > 0
      ? await declarationFault(operation, exchange)
      : undefined;
  }
  // RFC 6750, 3.1, allows 400 for malformed credentials.
  const mayDiffer = wrong?.isOther || !needsCredentials(operation.security);
  const most = mayDiffer ? 499 : 400;
  if (wrong !== undefined && status >= 400 && status <= most) return undefined;
  const either = statuses.map((each) => `a ${each}`).join(" or ");
  const reason = wrong === undefined
    ? "no credentials were sent"
    : wrong.as === undefined
    ? "the credentials are wrong"
    : "the credentials have expired";
  return {
    expected: `${either}, since ${reason}`,
    expectedStatus: statuses[0],
    ...seenOf(exchange),
    assertion: statuses.length === 1
      ? `assertEquals(response.status, ${statuses});`
      : `assert([${statuses.join(", ")}].includes(response.status));`,
  };
}
