import type { AccessRule } from "../../plumbing.ts";
import { type Fault, seenOf } from "../checks.ts";
import { type Input, isValid } from "../generate/input.ts";
import {
  capturesWith,
  identifierOf,
  idNameOf,
  itemsOf,
  operationOn,
  type Path,
} from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, isLive, type Operation } from "../operation.ts";
import type { AsyncPart, Life, Part, Step } from "../search/life.ts";
import { eventsOf, type Exchange } from "../send/exchange.ts";
import { by, type User } from "./creation.ts";
import { isOpened } from "./live.ts";
import { partFault, sourceOf } from "./members.ts";
import { nextOf, rolesOf, withQuery } from "./pages.ts";
import { isGone, isSuccess, otherText, type Resource } from "./resource.ts";
import { anonymous } from "./security.ts";

/** The number of pages of a list to read. */
const PAGES = 4;

/** An attempt of a user to reach what another user has created. */
export interface Scene {
  readonly life: Life;
  readonly operation: Operation;
  readonly access: readonly AccessRule[] | undefined;
  readonly user: User;
  /** The user who creates the resource. */
  readonly creator: User;
  /** The place of the resource, if the path of the operation names it. */
  readonly place: Path | undefined;
  /** The place of the resource, if the operation lists it. */
  readonly listed: Path | undefined;
  /**
   * Which resources above the created one are the user's: those that the path names in
   * place of its own parents, or these parents.
   */
  readonly owns: "path" | "parents" | undefined;
  /** The user and the declaration, as faults name them. */
  readonly named: string;
  readonly since: string;
  readonly input: Input;
  readonly made: Resource;
  /** The resource that the path of the operation names. */
  readonly of: Pick<Resource, "captures">;
}

/** Whether each rule allows a user; rules whose resource has no path are absent. */
export type Found = ReadonlyMap<AccessRule, boolean>;

/**
 * Whether a user is among the declared users; guards may still reject `shared`.
 *
 * @param found The results of the rules; a rule without a result allows every user.
 */
export function allows(
  access: readonly AccessRule[],
  user: User,
  { isOwner = false, found }: {
    readonly isOwner?: boolean;
    readonly found?: Found;
  } = {},
): boolean {
  const names = (rule: AccessRule) =>
    typeof rule === "string"
      ? rule === "shared" || rule === user || rule === "owner" && isOwner
      : found?.get(rule) ?? true;
  return access.includes("public") || user !== undefined && access.some(names);
}

/** Sends an attempt, which must succeed if the user may reach the resource. */
export async function* reach(scene: Scene, rules: Found): AsyncPart {
  const { operation, access, user, creator, place, listed, input, of } = scene;
  // Rules about a resource do not say who may request a list.
  const found = listed ? new Map() : rules;
  const isOwner = place === undefined || user === creator;
  const isAllowed = access && allows(access, user, { isOwner, found });
  if (scene.owns === "path" && isAllowed) return;
  const step: Step = {
    ...{ does: "attempt", operation, of, isNeeded: true },
    patience: operation.patience,
    input: listed ? await unfiltered(operation, input) : input,
    sends: user === undefined ? (plan) => anonymous(plan, operation) : by(user),
  };
  if (!(isAllowed ?? isOwner)) return yield* forbidden(scene, step);
  yield* readings(scene);
  const isClosed = listed && access &&
    !allows(access, user, { isOwner: user === creator, found: rules });
  const lists = isClosed ? [() => notListed(scene)] : [];
  const holds = access && [() => notRejected(scene, found), ...lists];
  // A handler may respond with 401 for another reason, such as a wrong password.
  if (operation.isSafe && access?.includes("public")) {
    yield { ...step, does: "open", sends: by(operation.as?.name) };
  }
  yield { ...step, isMeant: true, holds };
  if (isClosed) yield* pages(scene, { ...step, holds: lists });
}

/** An input without the filters of a list, which would leave out the item to look for. */
async function unfiltered(operation: Operation, input: Input): Promise<Input> {
  const bare = { ...input, query: {}, body: {} };
  return operation.hasBody && await isValid(operation, bare)
    ? bare
    : { ...input, query: {} };
}

/** Reads a list again, one item on each page. */
function* pages({ life, operation }: Scene, step: Step): Part {
  const roles = rolesOf(operation);
  const { plan: first } = life.now.exchange;
  let next = roles.limit && Object.keys(roles).length > 1
    ? withQuery(first, roles.limit, 1)
    : undefined;
  for (let page = 1; next && page < PAGES; page++) {
    if (!isSuccess(life.now.exchange)) return;
    yield { ...step, does: "page", sends: () => next };
    next = nextOf(life.now.exchange, { roles, first });
  }
}

/** Reads a resource, and what is at the path of the operation, as the creator. */
function readings(
  { life, operation, user, creator, place, made }: Scene,
): Step[] {
  if (place === undefined || user === creator) return [];
  const { operations } = life.sender.subject;
  const readers = [place, operation.route]
    .flatMap((path) => operationOn(operations, path) ?? []);
  const step = { does: "read", of: made, sends: by(creator) };
  return [...new Set(readers)].map((operation) => ({ ...step, operation }));
}

/** Sends an attempt that must fail, as with a missing resource, and change nothing. */
async function* forbidden(scene: Scene, step: Step): AsyncPart {
  const { operation: { isSafe }, access, place, made, of } = scene;
  const reads = isSafe ? [] : readings(scene);
  yield* [...reads, ...reads];
  if (place !== undefined) {
    const captures = capturesWith(place, of.captures, otherText(made.id!));
    const given = { does: "missing", of: { captures }, isNeeded: false };
    yield* [{ ...step, ...given }, { ...step, ...given }];
  }
  yield { ...step, holds: access && [() => rejected(scene)] };
  if (reads.length === 0 || await isReached(scene)) return;
  yield* reads.map((each) => ({ ...each, holds: [() => untouched(scene)] }));
}

/**
 * Whether an attempt reaches its resource. A response as to a missing resource shows that
 * the request reaches nothing. A stream or a socket looks the same for each resource until
 * something is sent.
 */
export async function isReached(scene: Scene): Promise<boolean> {
  const { life, operation } = scene;
  const exchange = life.last("attempt")!;
  if (isLive(operation)) {
    return await isOpened(life.sender, operation, exchange);
  }
  return isSuccess(exchange) &&
    (life.last("missing") === undefined || revealed(scene) !== undefined);
}

/**
 * Checks that an attempt is rejected. A resource that only its owner may read must look
 * like a missing one to other users.
 */
async function rejected(scene: Scene): Promise<Fault | undefined> {
  const { life, operation, access, user } = scene;
  const { exchange } = life.now;
  if (await isReached(scene)) {
    const expected = `a rejection of ${scene.named}, ${scene.since}`;
    if (operation.schema.socket) return { expected, seen: "an open socket" };
    const seen = seenOf(exchange);
    return { expected, ...seen, assertion: "assert(!response.ok);" };
  }
  const reader = operation.isSafe
    ? operation
    : life.done.findLast(({ step }) => step.does === "read")?.step.operation;
  const readers = reader && accessOf(reader);
  const isSecret = access?.includes("owner") && user !== undefined &&
    operation.responses.has(404) && life.last("missing")?.status === 404 &&
    readers !== undefined && !allows(readers, user);
  // Without a response, there is nothing to compare.
  return isSecret && exchange.status !== undefined
    ? revealed(scene)
    : undefined;
}

/** Compares the response to an attempt with those to a missing resource. */
function revealed({ life, made, named }: Scene): Fault | undefined {
  const { id = "" } = made;
  return partFault(life.last("attempt")!, life.all("missing"), {
    ids: [id, otherText(id)],
    expected:
      `the response to a missing resource, since ${named} must not learn that this one exists`,
  });
}

/** Checks that a rejected request has changed nothing. */
function untouched({ life, made, named }: Scene): Fault | undefined {
  const { exchange } = life.now;
  if (exchange.status === undefined) return undefined;
  const expected = `the resource as before, since ${named} was rejected`;
  return partFault(exchange, readsAt(life), { ids: [made.id!], expected });
}

/** The responses to reading the path of the latest request, in order. */
function readsAt(life: Life): Exchange[] {
  const { target } = life.now.exchange.plan;
  return life.all("read").filter(({ plan }) => plan.target === target);
}

/** Checks that what names a user does not reject the user, and hides nothing. */
function notRejected(scene: Scene, found: Found): Fault | undefined {
  const { life, access = [], user, creator } = scene;
  const { exchange } = life.now;
  const { status } = exchange;
  const isMeant = life.all("open").some(isSuccess) || user !== undefined &&
      (access.includes(user) || access.includes("owner") && user === creator ||
        found.values().some(Boolean));
  const isHidden = isGone(exchange) &&
    readsAt(life).some((each) => !isGone(each));
  if (!isHidden && !(isMeant && REJECTED.includes(status!))) return undefined;
  const assertion = `assertNotEquals(response.status, ${status});`;
  const expected =
    `a response other than ${status} for ${scene.named}, ${scene.since}`;
  return { expected, ...seenOf(exchange), assertion };
}

/** Checks that a list does not contain the resource. */
function notListed(scene: Scene): Fault | undefined {
  const { life: { now: { exchange } }, made: { id }, creator } = scene;
  if (!isSuccess(exchange)) return undefined;
  const expected =
    `no resource of "${creator}" in the list of ${scene.named}, ${scene.since}`;
  const place = scene.listed!;
  const { items, path } = itemsOf(exchange);
  const isHere = (item: unknown) => String(identifierOf(place, item)) === id;
  const event = eventsOf(exchange.stream)
    .find(({ data }) => isHere(jsonIn(data)));
  const seen = `the identifier "${id}"`;
  if (event) return { expected, seen: `${seen} in an event "${event.event}"` };
  if (!items.some(isHere)) return undefined;
  const text = JSON.stringify(id);
  const isItem = `(item.${idNameOf(place)} ?? item.id ?? item) == ${text}`;
  const assertion = `assert(!${sourceOf(path!)}.some((item) => ${isItem}));`;
  return { expected, seen, assertion };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
