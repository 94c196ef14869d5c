import fc from "fast-check";
import { isObject } from "../../common/values.ts";
import { type Input, planOf } from "../generate/input.ts";
import {
  type CapturePlace,
  createdIdentifier,
  identifierOf,
  locationOf,
} from "../generate/pool.ts";
import type { Captures, Operation } from "../operation.ts";
import type { Following, RequestPlan } from "../plan.ts";
import {
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import type { Session } from "../search/session.ts";
import { endIfAsked, type Fault, seenOf, statusFault } from "../checks.ts";

/** The number of resources to create with each `POST`. */
const RUNS = 30;

/** The operations on a resource that a `POST` creates. */
interface Resource {
  readonly place: CapturePlace;
  readonly create: Operation;
  readonly read: Operation;
  readonly change: Operation | undefined;
  readonly remove: Operation | undefined;
}

/**
 * Tests that created resources can be read, changed and deleted, and cannot be read
 * after deletion.
 */
export async function stateProperty(
  session: Session,
  operation: Operation,
): Promise<Search | undefined> {
  const resource = resourceOf(session, operation);
  if (resource === undefined) return undefined;
  const { change } = resource;
  let followed = 0;
  const reasons = new Set<string>();
  const onRead = (reason: string | undefined) => {
    if (reason === undefined) followed++;
    else reasons.add(reason);
  };
  const found = await withInputs(session, operation, async (inputs) => {
    const found = change && await session.inputsOf(change);
    const changes = found && "arbitrary" in found
      ? found.arbitrary
      : fc.constant(undefined);
    return await search(session, fc.tuple(inputs, changes), {
      runs: Math.min(session.options.runs, RUNS),
      attempt: ([input, changed]) =>
        lifecycleFault(session, { ...resource, input, changed, onRead }),
    });
  });
  if (found.counterexample !== undefined || reasons.size === 0) return found;
  const note = `no created resource could be read: ${[...reasons].join(", ")}`;
  return followed > 0
    ? { ...found, runs: followed }
    : { ...found, runs: 0, note: found.note ?? note };
}

function resourceOf(
  { places, operations }: Session,
  operation: Operation,
): Resource | undefined {
  const place = places.find(({ create, segments }) =>
    create === operation && segments.at(-1)!.kind === "dynamic"
  );
  if (place === undefined) return undefined;
  const path = JSON.stringify(place.segments);
  const at = (...methods: string[]) =>
    operations.find(({ method, route: { segments } }) =>
      methods.includes(method) && JSON.stringify(segments) === path
    );
  const read = at("GET");
  return read && {
    place,
    create: operation,
    read,
    change: at("PATCH", "PUT"),
    remove: at("DELETE"),
  };
}

/** A resource, and the values with which to create and change the resource. */
interface Lifecycle extends Resource {
  readonly input: Input;
  readonly changed: Input | undefined;
  /**
   * Called after the attempt to read the resource, with the reason if the attempt failed.
   */
  readonly onRead: (reason: string | undefined) => void;
}

/** Creates, reads, changes and deletes a resource; returns the first fault. */
async function lifecycleFault(
  session: Session,
  { place, create, read, change, remove, input, changed, onRead }: Lifecycle,
): Promise<Fault | undefined> {
  const created = await session.send(await validPlan(create, input));
  endIfAsked(created);
  const location = locationOf(created);
  const id = createdIdentifier(place, input, created);
  if (!isSuccess(created)) {
    onRead(`${create.name} responded with ${created.status}`);
    return undefined;
  }
  if (id === undefined && location === undefined) {
    onRead(`${create.name} returned no Location or identifier`);
    return undefined;
  }
  const captures: Captures = {
    wildcard: [],
    params: { ...input.params, [nameOf(place)]: String(id) },
  };
  const empty = { ...captures, query: {}, headers: {} };
  const target = location ?? planOf(read, empty).target;
  const byIdentifier = followingOf(place, created, id);
  const send = (plan: RequestPlan, follows = byIdentifier) =>
    session.send({ ...plan, ...(follows && { follows }) });
  const look = async (): Promise<Exchange> => {
    const { headers } = planOf(read, await sample(session, read, empty));
    const plan = { method: "GET", target, headers };
    return await send(plan, location === undefined ? byIdentifier : "location");
  };
  const missing = (what: string, exchange: Exchange) => {
    const expected = `${what} at "${target}"`;
    return statusFault(200, { expected, seen: seenOf(exchange) });
  };
  const first = await look();
  if (isGone(first)) return missing("the created resource", first);
  endIfAsked(first);
  onRead(
    isSuccess(first)
      ? undefined
      : `${read.name} responded with ${first.status}`,
  );
  const difference = differenceOf("created", created, {
    names: [...memberNames(input.body), ...identityNames(place, created)],
    readings: [first, await look()],
  });
  if (difference !== undefined || id === undefined) return difference;
  if (change !== undefined && changed !== undefined) {
    const plan = await validPlan(change, { ...changed, ...captures });
    const response = await send(plan);
    endIfAsked(response);
    if (isSuccess(response)) {
      const after = await look();
      if (isGone(after)) return missing("the changed resource", after);
      const difference = differenceOf("changed", response, {
        names: memberNames(changed.body),
        readings: [after, await look()],
      });
      if (difference !== undefined) return difference;
    }
  }
  if (remove === undefined) return undefined;
  const removed = await send(
    planOf(remove, await sample(session, remove, empty)),
  );
  endIfAsked(removed);
  // After 202, the server deletes the resource later.
  if (!isSuccess(removed) || removed.status === 202) return undefined;
  const { status } = await look();
  const expected = `a 404, since "${target}" was deleted`;
  return isSuccess({ status })
    ? statusFault(404, { expected, seen: `a ${status}` })
    : undefined;
}

/**
 * Finds the identifier of a resource in the response to the `POST`, for later targets.
 */
function followingOf(
  place: CapturePlace,
  created: Exchange,
  id: unknown,
): Following | undefined {
  const segment = place.segments.length;
  const end = `/${encodeURIComponent(String(id))}`;
  if (locationOf(created)?.endsWith(end)) return { segment, member: undefined };
  const members = membersOf(created);
  const member = [nameOf(place), "id"].find((each) => members[each] === id);
  return member === undefined ? undefined : { segment, member };
}

/** A sample input of an operation, with known values of its segments. */
async function sample(
  session: Session,
  operation: Operation,
  captures: Input,
): Promise<Input> {
  const { query, headers } = operation.schema.parts;
  if (query.length + headers.length === 0) return captures;
  const inputs = await session.inputsOf(operation);
  if ("missing" in inputs) return captures;
  const { seed } = session.options;
  const [input] = fc.sample(inputs.arbitrary, { numRuns: 1, seed });
  return { ...input!, params: captures.params, wildcard: captures.wildcard };
}

function isSuccess({ status = 500 }: Pick<Exchange, "status">): boolean {
  return status >= 200 && status < 300;
}

function isGone({ status }: Exchange): boolean {
  return status === 404 || status === 410;
}

/** The name of the last segment of a place. */
function nameOf({ segments }: CapturePlace): string {
  return (segments.at(-1) as { readonly name: string }).name;
}

/**
 * Finds the first member whose value differs between a response and two later readings.
 * Compares only strings, numbers and booleans that are equal in both readings.
 */
export function differenceOf(
  how: string,
  response: Exchange,
  { names, readings }: {
    readonly names: readonly string[];
    readonly readings: readonly [Exchange, Exchange];
  },
): Fault | undefined {
  const [stated, first, second] = [response, ...readings].map(membersOf);
  for (const name of names) {
    const [a, b, c] = [stated![name], first![name], second![name]];
    if (![a, b, c].every(isScalar) || b !== c) continue;
    // An identifier may be a number in one response, and a string in another.
    if (String(a) === String(b)) continue;
    const [quotedName, value] = [name, a].map((each) => JSON.stringify(each));
    return {
      expected:
        `"${name}": ${value}, as in the response when the resource was ${how}`,
      seen: `"${name}": ${JSON.stringify(b)}`,
      assertion:
        `assertEquals((await response.json())[${quotedName}], ${value});`,
    };
  }
  return undefined;
}

/** The members of the JSON of a response. */
function membersOf(exchange: Exchange): Record<string, unknown> {
  const json = jsonOf(exchange);
  return isObject(json) ? json : {};
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** The names of the members of a body. */
export function memberNames(body: unknown): string[] {
  return isObject(body) ? Object.keys(body) : [];
}

/** The name of the member that identifies a created resource. */
export function identityNames(
  place: CapturePlace,
  created: Exchange,
): string[] {
  const name = nameOf(place);
  const members = membersOf(created);
  const id = identifierOf(place, members);
  return id === undefined ? [] : [members[name] === id ? name : "id"];
}
