import { accessText } from "../../shared/document/operation.ts";
import { type Fault, seenOf } from "../checks.ts";
import { type Input, inputAt } from "../generate/input.ts";
import {
  capturesWith,
  identifierOf,
  idNameOf,
  itemsOf,
  keyOf,
  operationOn,
} from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, isLive, type Operation } from "../operation.ts";
import { type Judgement, type Life, OWN, type Step } from "../search/life.ts";
import type { Exchange } from "../send/exchange.ts";
import { eventsOf } from "../send/read_response.ts";
import {
  actions,
  allows,
  type Attempt,
  type Found,
  hasRule,
  isForeign,
  rulesFor,
} from "./access_rules.ts";
import { by, creation, type User } from "./creation.ts";
import { isOpened } from "./live.ts";
import { partFault, sourceOf } from "./members.ts";
import { nextOf, rolesOf, withQuery } from "./pages.ts";
import { isGone, isSuccess, otherText, type Resource } from "./resource.ts";
import { anonymous } from "./security.ts";

/** The number of pages of a list to read. */
const PAGES = 4;

/** The number of changes with which to try to get another role. */
const CHANGES = 30;

/** What the attempts of all users show. */
export interface Shown {
  /** A second user who succeeds without a declaration. */
  reached?: User;
  /** Whether an identity could read the resources of rules. */
  readonly reads: Set<boolean>;
}

/** The input of an attempt, those of the creations, and whether actions come before. */
type Values = readonly [Input, Input[], Input[], boolean];

/** Creates a resource, and tries to reach it as a user. */
export async function* attempt(
  life: Life,
  attempt: Attempt & { readonly shown: Shown },
  values: Values,
): AsyncGenerator<Step, void> {
  const { operation, access, user, creator, places, isList, shown } = attempt;
  yield* preparation(life, attempt, values);
  if (places.length > 0 && !life.resources.has(OWN)) return;
  const [input] = values;
  const found = yield* rulesFor(life, attempt, {
    path: isList ? places.at(-1)! : operation.route,
    captures: inputAt(input, life.resource.captures),
  });
  if (hasRule(operation) && user !== undefined) {
    shown.reads.add(found !== undefined);
  }
  if (found === undefined) return;
  const isOwner = places.length === 0 || user === creator;
  const isFree = access && allows(access, user, { isOwner, found });
  const isAllowed = isList
    ? access && allows(access, user, { isOwner: true })
    : isFree;
  if (attempt.owns === "path" && isAllowed) return;
  const step = attemptStep(life, attempt, input);
  const isExpected = isAllowed ?? (isList || isOwner);
  yield* isExpected
    ? allowed(life, attempt, { step, found, isFree })
    : forbidden(life, attempt, step);
  if (access !== undefined || user === (creator ?? operation.as?.name)) return;
  if (await isReached(life, attempt)) shown.reached ??= user;
}

/** Creates what an attempt needs, and may call further operations. */
async function* preparation(
  life: Life,
  attempt: Attempt,
  [, inputs, parents, isActing]: Values,
): AsyncGenerator<Step, void> {
  const { user, creator, places, isList, owns } = attempt;
  const { sender } = life;
  const isNeeded = owns !== "parents";
  if (owns === "path") {
    const above = { places: places.slice(0, -1), inputs: parents, user };
    yield* creation(sender, { ...above, name: AROUND, isNeeded });
  }
  const above = isNeeded ? creator : user;
  yield* creation(sender, { places, inputs, above, isNeeded });
  if (isActing && life.resources.has(OWN)) yield* actions(life, attempt);
  // The next pages of a list may begin after an own resource.
  if (isList) yield* creation(sender, { places, inputs, user, name: "other" });
}

/** The name of the resource of a user that the path names in place of the parents. */
const AROUND = "around";

function attemptStep(
  life: Life,
  { operation, user, places, isList }: Attempt,
  input: Input,
): AttemptStep {
  const { resource, resources } = life;
  const around = resources.get(AROUND)?.captures;
  return {
    does: "attempt",
    operation,
    input: isList ? { ...input, query: {} } : input,
    of: around === undefined ? resource : {
      captures: capturesWith(places.at(-1)!, around, resource.id!),
    },
    patience: operation.patience,
    sends: (plan) =>
      user === undefined ? anonymous(plan, operation) : { ...plan, as: user },
    isNeeded: true,
  };
}

/** The step of an attempt, whose path names a resource. */
type AttemptStep = Step & { readonly of: Resource };

/** Reads a resource, and what is at the path of the operation, as the creator. */
function readings(
  { sender: { subject: { operations } } }: Life,
  { operation, user, creator, places, isList }: Attempt,
): Step[] {
  const [place] = isList || user === creator ? [] : places.slice(-1);
  const readers = place === undefined
    ? []
    : operations.filter((each) =>
      [operation.route, place].some((path) =>
        operationOn(operations, path) === each
      )
    );
  const { patience } = operation;
  return readers.map((operation) => ({
    ...{ does: "read", operation, patience, sends: by(creator) },
  }));
}

/** What a user may reach must not be rejected, and a list contains only what is allowed. */
async function* allowed(
  life: Life,
  attempt: Attempt,
  { step, found, isFree }: {
    readonly step: AttemptStep;
    readonly found: Found;
    readonly isFree: boolean | undefined;
  },
): AsyncGenerator<Step, void> {
  const { operation, access, isList } = attempt;
  yield* readings(life, attempt);
  // A handler may respond with 401 for another reason, such as a wrong password.
  if (operation.method === "GET" && access?.includes("public")) {
    yield { ...step, does: "open", sends: by(operation.as?.name) };
  }
  const lists = isList && isFree === false ? [notListed(attempt)] : [];
  const holds = access ? [notRejected(attempt, found), ...lists] : [];
  yield { ...step, isMeant: true, holds };
  if (lists.length > 0) {
    yield* pages(life, operation, { ...step, holds: lists });
  }
}

/** Reads a list again, in pages of one item. */
function* pages(
  life: Life,
  operation: Operation,
  step: Step,
): Generator<Step, void> {
  const { exchange: { plan: first } } = life.now;
  const roles = rolesOf(operation);
  const { limit, ...others } = roles;
  let next = limit && Object.keys(others).length > 0
    ? withQuery(first, limit, 1)
    : undefined;
  for (let page = 1; page < PAGES && isSuccess(life.now.exchange); page++) {
    const plan = next;
    if (plan === undefined) return;
    yield { ...step, does: "page", sends: () => plan };
    next = nextOf(life.now.exchange, { roles, first });
  }
}

/** What a user may not reach looks as if it were missing, and stays as it is. */
async function* forbidden(
  life: Life,
  attempt: Attempt,
  step: AttemptStep,
): AsyncGenerator<Step, void> {
  const { operation: { method, route }, access, places } = attempt;
  const reads = method === "GET" ? [] : readings(life, attempt);
  yield* reads;
  yield* reads;
  const [place] = places.slice(-1);
  const name = keyOf(place?.segments.slice(-1) ?? []);
  if (place && route.segments.some((each) => keyOf([each]) === name)) {
    const other = otherText(life.resource.id!);
    const of = { captures: capturesWith(place, step.of.captures, other) };
    const missing = { ...step, does: "missing", of, isNeeded: false };
    yield missing;
    yield missing;
  }
  yield { ...step, holds: access && [rejected(attempt), hidden(attempt)] };
  if (method === "GET" || await isReached(life, attempt)) return;
  const holds = [untouched(attempt)];
  yield* reads.map((each) => ({ ...each, holds }));
}

/** Checks that no change that a user may make gives the role of another user. */
export async function* changeRole(
  life: Life,
  { operation, user, input }: {
    readonly operation: Operation;
    readonly user: User;
    readonly input: Input;
  },
): AsyncGenerator<Step, void> {
  const { sender } = life;
  const sends = by(user);
  const step: Step = { does: "attempt", operation, input, sends };
  yield { ...step, isNeeded: true };
  if (!REJECTED.includes(life.now.exchange.status!)) return;
  const changes = sender.subject.operations.filter((each) =>
    /^P[AU]T/.test(each.method) && !isForeign(each, user) &&
    each.route.segments.every(({ kind }) => kind === "static")
  );
  for (const change of changes) {
    const inputs = await sender.inputsOf(change);
    if ("missing" in inputs) continue;
    const holds = [stillRejected(change, user)];
    for (const input of inputs.arbitrary.planned.slice(0, CHANGES)) {
      yield { does: "change", operation: change, input, sends };
      yield { ...step, when: isChanged, holds };
    }
  }
}

function isChanged({ now: { step, exchange } }: Life): boolean {
  return step.does === "change" && isSuccess(exchange);
}

/**
 * Whether a request reaches a resource. A response as to a missing resource shows that
 * it reaches nothing. A stream or a socket looks the same for each resource until
 * something is sent.
 */
async function isReached(life: Life, attempt: Attempt): Promise<boolean> {
  const { operation } = attempt;
  const exchange = life.last("attempt")!;
  return isLive(operation)
    ? await isOpened(life.sender, operation, exchange)
    : isSuccess(exchange) &&
      (life.last("missing") === undefined ||
        revealed(life, attempt) !== undefined);
}

/** How the response to an attempt differs from those to a missing resource. */
function revealed(life: Life, attempt: Attempt): Fault | undefined {
  const { id = "" } = life.resource;
  return difference(life.last("attempt")!, life.all("missing"), {
    ids: [id, otherText(id)],
    expected: `the response to a missing resource, since ${
      named(attempt)
    } must not learn that this one exists`,
  });
}

/** Like {@linkcode partFault}; a missing response differs from nothing. */
function difference(
  ...[exchange, ...others]: Parameters<typeof partFault>
): Fault | undefined {
  return exchange.status === undefined
    ? undefined
    : partFault(exchange, ...others);
}

function named({ user }: Attempt): string {
  return user === undefined ? "anonymous requests" : `"${user}"`;
}

function since({ access }: Attempt): string {
  return `since the access is ${access?.map(accessText).join(" or ")}`;
}

function rejected(attempt: Attempt): Judgement {
  return async (life) =>
    !await isReached(life, attempt) ? undefined : {
      expected: `a rejection of ${named(attempt)}, ${since(attempt)}`,
      ...(attempt.operation.schema.socket ? { seen: "an open socket" } : {
        ...seenOf(life.now.exchange),
        assertion: "assert(!response.ok);",
      }),
    };
}

function hidden(attempt: Attempt): Judgement {
  const { operation, access = [], user } = attempt;
  return (life) => {
    const reader = operation.method === "GET"
      ? operation
      : life.done.findLast(({ step }) => step.does === "read")?.step.operation;
    const readers = reader && accessOf(reader);
    const isSecret = access.includes("owner") && user !== undefined &&
      operation.responses.has(404) && life.last("missing")?.status === 404 &&
      readers !== undefined && !allows(readers, user, { isOwner: false });
    return isSecret ? revealed(life, attempt) : undefined;
  };
}

function stillRejected({ name }: Operation, user: User): Judgement {
  return (life) => {
    const [{ status }] = life.all("attempt") as [Exchange];
    const { exchange } = life.now;
    return REJECTED.includes(exchange.status!) ? undefined : {
      expected:
        `a ${status} as before ${name}, since "${user}" has another role`,
      ...seenOf(exchange),
      assertion: `assertEquals(response.status, ${status});`,
    };
  };
}

function notRejected(attempt: Attempt, found: Found): Judgement {
  const { access = [], user, creator, isList } = attempt;
  const isNamed = user !== undefined &&
    (access.includes(user) || access.includes("owner") && user === creator ||
      !isList && found.values().some((isFound) => isFound));
  return (life) => {
    const { exchange } = life.now;
    const { status, plan: { target } } = exchange;
    const isMeant = isNamed || life.all("open").some(isSuccess);
    const isHidden = isGone(exchange) && life.all("read")
      .some((each) => each.plan.target === target && !isGone(each));
    return !(isMeant && REJECTED.includes(status!) || isHidden) ? undefined : {
      expected: `a response other than ${status} for ${named(attempt)}, ${
        since(attempt)
      }`,
      ...seenOf(exchange),
      assertion: `assertNotEquals(response.status, ${status});`,
    };
  };
}

function untouched(attempt: Attempt): Judgement {
  return ({ done, now, resource: { id = "" } }) => {
    const before = done.slice(0, -1).filter(({ step }) =>
      step.does === "read" && step.operation === now.step.operation
    );
    return difference(now.exchange, before.map(({ exchange }) => exchange), {
      ids: [id],
      expected: `the resource as before, since ${named(attempt)} was rejected`,
    });
  };
}

function notListed(attempt: Attempt): Judgement {
  const place = attempt.places.at(-1)!;
  const expected = `no resource of "${attempt.creator}" in the list of ${
    named(attempt)
  }, ${since(attempt)}`;
  return ({ now: { exchange }, resource: { id } }) => {
    if (!isSuccess(exchange)) return undefined;
    const { items, path } = itemsOf(exchange);
    const isHere = (item: unknown) => String(identifierOf(place, item)) === id;
    const event = eventsOf(exchange.stream)
      .find(({ data }) => isHere(jsonIn(data)));
    if (event !== undefined) {
      const seen = `the identifier "${id}" in an event "${event.event}"`;
      return { expected, seen };
    }
    return !items.some(isHere) ? undefined : {
      expected,
      seen: `the identifier "${id}"`,
      assertion: `assert(!${sourceOf(path!)}.some((item) => (item.${
        idNameOf(place)
      } ?? item.id ?? item) == ${JSON.stringify(id)}));`,
    };
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
