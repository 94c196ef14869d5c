import { endIfAsked, type Fault } from "../checks.ts";
import { type Input, isValid, pathInput } from "../generate/input.ts";
import {
  type CapturePlace,
  capturesWith,
  identifierOf,
  keyOf,
  locationOf,
  operationOn,
  type Path,
} from "../generate/pool.ts";
import type { Captures } from "../../shared/wire.ts";
import { type Operation, operationsReached, pathOf } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import type { Sender } from "../search/sender.ts";
import { createdBy, type Subject } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import type { Patience } from "../patience.ts";

export interface Resource {
  readonly captures: Captures;
  /** `undefined` if only the `Location` of the resource is known. */
  readonly id?: string | undefined;
  readonly location?: string | undefined;
}

export function isSuccess({ status = 500 }: Pick<Exchange, "status">): boolean {
  return status >= 200 && status < 300;
}

/** Whether a request has its effect now; after 202, it has the effect later. */
export function isDone(exchange: Exchange): boolean {
  return isSuccess(exchange) && exchange.status !== 202;
}

/** Whether the client keeps the result in a cookie, which no later request sends. */
export function isInCookie({ headers }: Exchange): boolean {
  return headers.has("set-cookie");
}

export function isGone({ status }: Exchange): boolean {
  return status === 404 || status === 410;
}

/** The `GET` of a path, or its `HEAD`, which only shows whether a resource exists. */
function finderOf(
  { operations }: Subject,
  path: Path,
): Operation | undefined {
  return operationOn(operations, path) ??
    operationOn(operations, path, "HEAD");
}

/** The operations below a path, without those below other dynamic segments. */
export function operationsBelow(
  { operations }: Subject,
  { segments }: Path,
): Operation[] {
  return operations.filter(({ route }) =>
    keyOf(route.segments).startsWith(`${keyOf(segments)}/`) &&
    route.segments.slice(segments.length)
      .every(({ kind }) => kind === "static")
  );
}

/** The operations on a kind of resource; without `create`, the resource exists. */
export interface Kind {
  readonly create?: Operation;
  readonly read: Operation;
  readonly changes: readonly Operation[];
  /** The deletion; without `create`, only of what a `PUT` may create. */
  readonly remove?: Operation | undefined;
  /** Whether another route below the path of `create` reads such resources. */
  readonly isElsewhere?: boolean;
}

/** The operations on what an operation creates, or changes in place. */
export function kindOf(
  sender: Sender,
  operation: Operation,
): Kind | undefined {
  const { subject: { operations, places }, locationReaders } = sender;
  const { method, route } = operation;
  if (method === "PUT" || method === "PATCH") {
    const read = finderOf(sender.subject, route);
    const isCovered = operations.some((other) =>
      other.method === "POST" &&
      kindOf(sender, other)?.changes.includes(operation)
    );
    if (isCovered || read === undefined) return undefined;
    // `DELETE /session` would end what later requests need.
    const creates = method === "PUT" &&
      route.segments.at(-1)?.kind === "dynamic";
    const remove = creates
      ? operationOn(operations, route, "DELETE")
      : undefined;
    return { read, changes: [operation], remove };
  }
  const below = places.find(({ create, segments }) =>
    create === operation && segments.at(-1)!.kind === "dynamic"
  );
  const { segments } = locationReaders.get(operation)?.route ?? below ?? {};
  const read = segments && finderOf(sender.subject, { segments });
  if (read === undefined) return undefined;
  return {
    create: operation,
    read,
    changes: operations.filter((each) =>
      each.route === read.route && /^P(?:ATCH|UT)$/.test(each.method)
    ),
    remove: operationOn(operations, read.route, "DELETE"),
    isElsewhere: below !== undefined &&
      keyOf(below.segments) !== keyOf(read.route.segments),
  };
}

/** Sends a request; may throw {@linkcode EndOfRun}. */
export async function send(
  sender: Sender,
  plan: RequestPlan,
  patience?: Patience,
): Promise<Exchange> {
  const exchange = await sender.send(plan, patience);
  endIfAsked(exchange);
  return exchange;
}

/** The resource of a place that a response created, below the given captures. */
export function createdOf(
  subject: Subject,
  { create, segments }: Pick<CapturePlace, "create" | "segments">,
  exchange: Exchange,
  around: Captures,
): Resource | undefined {
  const found = create && createdBy(subject, create, exchange);
  // After 202, the server creates the resource later.
  const isLater = exchange.status === 202;
  if (!create || isLater || !isSuccess(exchange) && !found) return undefined;
  const isBelow = segments.length === create.route.segments.length + 1;
  let id = isBelow ? identifierOf({ segments }, jsonOf(exchange)) : undefined;
  let captures = capturesWith({ segments }, around, String(id));
  if (keyOf(found?.operation.route.segments ?? []) === keyOf(segments)) {
    ({ id, captures } = found!);
  }
  const location = locationOf(exchange, subject.target.origin);
  if ((id ?? location) === undefined) return undefined;
  return { captures, id: id === undefined ? id : String(id), location };
}

/** The path at which a resource is read. */
export function targetOf(read: Operation, resource: Resource): string {
  return resource.location ?? pathOf(read.route, resource.captures);
}

/** The resource with the new identifier in the response to a change, if there is one. */
export function movedBy(
  { route }: Operation,
  { id, captures }: Resource,
  changed: Exchange,
): Resource | undefined {
  const now = identifierOf(route, jsonOf(changed));
  return now === undefined || String(now) === id
    ? undefined
    : { id: String(now), captures: capturesWith(route, captures, String(now)) };
}

/** An input with known captures, and with few other values. */
export async function plainInput(
  sender: Sender,
  operation: Operation,
  captures: Captures,
): Promise<Input> {
  const empty = pathInput(captures);
  if (await isValid(operation, empty)) return empty;
  const inputs = await sender.inputsOf(operation);
  const { params, wildcard } = captures;
  return "missing" in inputs
    ? empty
    : { ...empty, ...inputs.arbitrary.planned[0], params, wildcard };
}

/** Another text of the same form, such as an identifier or a date. */
export function otherText(text: string): string {
  if (/^\d+$/.test(text)) return String(Number(text) + 900_001);
  const other = text.slice(0, -8) +
    text.slice(-8).replaceAll(/\d/g, (digit) => String(9 - Number(digit)));
  return other === text ? `${text}x` : other;
}

/** Statuses whose `Location` leads to a path of the application. */
const LOCATED = [201, 301, 302, 303, 307, 308];

/**
 * Checks that a `Location` leads to a route that handles `GET`, `HEAD` or the same method.
 */
export async function locationFault(
  sender: Sender,
  { method }: Operation,
  exchange: Exchange,
): Promise<Fault | undefined> {
  const target = locationOf(exchange, sender.subject.target.origin);
  if (target === undefined || !LOCATED.includes(exchange.status!)) {
    return undefined;
  }
  const isRoute = (target: string) =>
    operationsReached(sender.subject.all, target)
      .some(({ operation }) =>
        ["GET", "HEAD", method].includes(operation.method)
      );
  if (isRoute(target)) return undefined;
  // Another server may respond below another prefix, for example with pages.
  const [first] = sender.subject.all[0]!.route.segments;
  const prefix = first?.kind === "static" ? `/${first.text}` : "";
  const isOutside = exchange.status !== 201 && !target.startsWith(`${prefix}/`);
  if (isOutside && !isRoute(prefix + target)) return undefined;
  const { body: _, ...sent } = exchange.plan;
  const plan = { ...sent, method: "GET", target };
  // A `POST` may create another identifier each time, so a test follows its response.
  const isFollowed = method === "POST";
  const { status } = isFollowed
    ? await sender.send(plan)
    : await sender.subject.target.send(plan);
  const location = JSON.stringify(exchange.headers.get("location"));
  return status !== 404 && status !== 405 ? undefined : {
    expected: "a Location that leads to a route with GET",
    seen: `${location}, where the response is a ${status}`,
    assertion: isFollowed
      ? "assert(![404, 405].includes(response.status));"
      : `assertNotEquals(response.headers.get("location"), ${location});`,
  };
}
