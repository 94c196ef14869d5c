import fc from "fast-check";
import { type Input, planOf } from "../generate/input.ts";
import {
  type CapturePlace,
  createdIdentifier,
  locationOf,
} from "../generate/pool.ts";
import type { Captures, Operation } from "../operation.ts";
import type { Following } from "../plan.ts";
import {
  type Difference,
  differenceOf,
  identityNames,
  memberNames,
  membersOf,
} from "./difference.ts";
import {
  fittingPlan,
  type Search,
  search,
  withInputs,
} from "../search/search.ts";
import type { Exchange } from "../send/exchange.ts";
import type { Session } from "../search/session.ts";
import { detailOf, endIfAsked, type Fault } from "../checks.ts";

/** How many resources are made of each kind. */
const RUNS = 30;

/** What can be done with something that a `POST` made. */
interface Resource {
  readonly place: CapturePlace;
  readonly create: Operation;
  readonly read: Operation;
  readonly change: Operation | undefined;
  readonly remove: Operation | undefined;
}

/** What is created can be read, changed and deleted, and is gone then. */
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
    const changes = found !== undefined && "arbitrary" in found
      ? found.arbitrary
      : fc.constant(undefined);
    return await search(session, fc.tuple(inputs, changes), {
      runs: Math.min(session.options.runs, RUNS),
      trial: ([input, changed]) =>
        lifecycleFault(session, { ...resource, input, changed, onRead }),
    });
  });
  if (found.finding !== undefined || reasons.size === 0) return found;
  const note = `nothing could be followed: ${[...reasons].join(", ")}`;
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
  const at = (...methods: string[]) =>
    operations.find(({ method, route: { segments } }) =>
      methods.includes(method) && segments.length === place.segments.length &&
      segments.every((segment, index) =>
        JSON.stringify(segment) === JSON.stringify(place.segments[index])
      )
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

/** What is made of a resource, and changed. */
interface Lifecycle extends Resource {
  readonly input: Input;
  readonly changed: Input | undefined;
  /** Is called once it was read; with the reason if it cannot be. */
  readonly onRead: (reason: string | undefined) => void;
}

/** Creates something, reads, changes and deletes it; says what went wrong. */
async function lifecycleFault(
  session: Session,
  { place, create, read, change, remove, input, changed, onRead }: Lifecycle,
): Promise<Fault | undefined> {
  const { as } = session.options;
  const created = await session.send(await fittingPlan(session, create, input));
  endIfAsked(created);
  const location = locationOf(created);
  const id = createdIdentifier(place, input, created);
  if (!isSuccess(created)) {
    onRead(`a ${created.status} from ${create.name}`);
    return undefined;
  }
  if (id === undefined && location === undefined) {
    onRead(`no Location and no identifier from ${create.name}`);
    return undefined;
  }
  const { name } = place.segments.at(-1) as { readonly name: string };
  const captures: Captures = {
    wildcard: [],
    params: { ...input.params, [name]: String(id) },
  };
  const empty = { ...captures, query: {}, headers: {} };
  const target = location ?? planOf(read, empty, as).target;
  const byIdentifier = followingOf(place, created, id);
  const follows = location === undefined ? byIdentifier : "location";
  const look = async (): Promise<Exchange> => {
    const headers =
      planOf(read, await sample(session, read, empty), as).headers;
    const plan = { method: "GET", target, headers };
    return await session.send({ ...plan, ...(follows && { follows }) });
  };
  const first = await look();
  if (isGone(first)) return missing(target, "what was created", first);
  endIfAsked(first);
  onRead(isSuccess(first) ? undefined : `a ${first.status} from ${read.name}`);
  const difference = differenceOf(created, [first, await look()], {
    names: [...memberNames(input.body), ...identityNames(place, created)],
  });
  if (difference !== undefined) return differs("created", difference);
  if (id === undefined) return undefined;
  if (change !== undefined && changed !== undefined) {
    const plan = await fittingPlan(session, change, {
      ...changed,
      ...captures,
    });
    const response = await session.send({
      ...plan,
      ...(byIdentifier && { follows: byIdentifier }),
    });
    endIfAsked(response);
    if (isSuccess(response)) {
      const after = await look();
      if (isGone(after)) return missing(target, "what was changed", after);
      const difference = differenceOf(response, [after, await look()], {
        names: memberNames(changed.body),
      });
      if (difference !== undefined) return differs("changed", difference);
    }
  }
  if (remove === undefined) return undefined;
  const removed = await session.send({
    ...planOf(remove, await sample(session, remove, empty), as),
    ...(byIdentifier && { follows: byIdentifier }),
  });
  endIfAsked(removed);
  // By a 202, it goes later.
  if (!isSuccess(removed) || removed.status === 202) return undefined;
  const last = await look();
  return isSuccess(last)
    ? {
      expected: `a 404, since "${target}" was deleted`,
      seen: `a ${last.status}`,
      assertion: "assertEquals(response.status, 404);",
    }
    : undefined;
}

/** How a target that holds the identifier follows from the response that told it. */
function followingOf(
  { segments }: CapturePlace,
  created: Exchange,
  id: unknown,
): Following | undefined {
  const segment = segments.length;
  const end = `/${encodeURIComponent(String(id))}`;
  if (locationOf(created)?.endsWith(end)) return { segment, member: undefined };
  const { name } = segments.at(-1) as { readonly name: string };
  const members = membersOf(created);
  const member = [name, "id"].find((each) => members[each] === id);
  return member === undefined ? undefined : { segment, member };
}

/** An input of an operation with the values of segments that are known. */
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

function isSuccess({ status }: Exchange): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function isGone({ status }: Exchange): boolean {
  return status === 404 || status === 410;
}

function missing(target: string, what: string, exchange: Exchange): Fault {
  return {
    expected: `${what} at "${target}"`,
    seen: `a ${exchange.status}${detailOf(exchange)}`,
    assertion: "assertEquals(response.status, 200);",
  };
}

function differs(
  how: string,
  { name, stated, found }: Difference,
): Fault {
  return {
    expected: `"${name}": ${
      JSON.stringify(stated)
    }, as the response said when it was ${how}`,
    seen: `"${name}": ${JSON.stringify(found)}`,
    assertion: `assertEquals((await response.json())[${
      JSON.stringify(name)
    }], ${JSON.stringify(stated)});`,
  };
}
