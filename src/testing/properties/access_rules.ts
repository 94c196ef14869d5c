import type { AccessRule } from "../../core/types/schema.ts";
import { type Fault, seenOf } from "../checks.ts";
import { type Input, inputAt } from "../generate/input.ts";
import {
  identifierOf,
  idNameOf,
  itemsOf,
  keyOf,
  operationOn,
  type Path,
  unwrap,
} from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, isLive, type Operation } from "../operation.ts";
import type { AsyncPart, Life, Part } from "../search/life.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { eventsOf } from "../send/read_response.ts";
import { by, type User } from "./creation.ts";
import { isOpened } from "./live.ts";
import { partFault, sourceOf } from "./members.ts";
import { isGone, isSuccess, otherText, type Resource } from "./resource.ts";

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
  readonly owns?: "path" | "parents";
  /** The user and the declaration, as faults name them. */
  readonly named: string;
  readonly since: string;
  readonly input: Input;
  readonly made: Resource;
  /** The resource that the path of the operation names. */
  readonly of: Pick<Resource, "captures">;
}

/** Whether an operation names its users by a rule about a resource. */
export function hasRule(operation: Operation): boolean {
  return accessOf(operation)?.some((each) => typeof each !== "string") ?? false;
}

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

/** Whether only the roles of other users may reach an operation. */
export function isForeign(operation: Operation, user: User): boolean {
  const access = accessOf(operation);
  return access !== undefined && !allows(access, user, { isOwner: true });
}

/** Whether each rule allows a user; rules whose resource has no path are absent. */
export type Found = ReadonlyMap<AccessRule, boolean>;

/**
 * Reads what the rules of an operation name, and compares it with a user. Returns
 * `undefined` if no identity can read the resource of a rule.
 */
export async function* rulesFor(scene: Scene): AsyncPart<Found | undefined> {
  const { life: { sender }, operation, access = [], user, listed } = scene;
  const identity = sender.subject.identities.get(user!);
  const found = new Map<AccessRule, boolean>();
  if (identity === undefined) return found;
  const { name, id } = identity;
  const { own, parent } = pathsOf(scene, listed ?? operation.route);
  for (const rule of access) {
    if (typeof rule === "string") continue;
    const at = typeof rule === "object" && rule.of ? parent : own;
    if (at === undefined) continue;
    const exchange = yield* read(scene, at);
    if (exchange === undefined) return undefined;
    const resource = jsonOf(exchange);
    const isAllowed = typeof rule === "function"
      ? await rule({ name, id }, resource as never)
      : [unwrap(at, resource).members[rule.member]].flat().map(String)
        .includes(String(id));
    found.set(rule, Boolean(isAllowed));
  }
  return found;
}

/** The path of the resource that a path names, and of the resource one collection above. */
function pathsOf(
  { life: { sender: { subject } } }: Scene,
  { segments }: Path,
): { readonly own: Path | undefined; readonly parent: Path | undefined } {
  const named = segments.flatMap(({ kind }, index) =>
    kind === "static" ? [] : [{ segments: segments.slice(0, index + 1) }]
  );
  const own = named.at(-1);
  const isList =
    subject.places.some(({ segments: path }) =>
      keyOf(path.slice(0, -1)) === keyOf(segments)
    ) || named.length === 1 && segments.at(-1)!.kind === "static";
  return { own, parent: isList ? own : named.at(-2) };
}

/** Reads a resource as its creator, or as the first other user who may read it. */
function* read(
  { life, creator, input, made }: Scene,
  path: Path,
): Part<Exchange | undefined> {
  const { operations, users } = life.sender.subject;
  const operation = operationOn(operations, path);
  if (operation === undefined) return undefined;
  const of = { captures: inputAt(input, made.captures) };
  for (const user of new Set([creator, ...users.map(({ name }) => name)])) {
    const exchange = yield { does: "rule", operation, of, sends: by(user) };
    if (exchange !== undefined && isSuccess(exchange)) return exchange;
  }
  return undefined;
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

export async function rejected(scene: Scene): Promise<Fault | undefined> {
  if (!await isReached(scene)) return undefined;
  const { life, operation: { schema: { socket } } } = scene;
  const expected = `a rejection of ${scene.named}, ${scene.since}`;
  if (socket) return { expected, seen: "an open socket" };
  const seen = seenOf(life.now.exchange);
  return { expected, ...seen, assertion: "assert(!response.ok);" };
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

/** Checks that a resource of an owner looks like a missing one to other users. */
export function hidden(scene: Scene): Fault | undefined {
  const { life, operation, access, user } = scene;
  const reader = operation.method === "GET"
    ? operation
    : life.done.findLast(({ step }) => step.does === "read")?.step.operation;
  const readers = reader && accessOf(reader);
  const isSecret = access?.includes("owner") && user !== undefined &&
    operation.responses.has(404) && life.last("missing")?.status === 404 &&
    readers !== undefined && !allows(readers, user);
  // Without a response, there is nothing to compare.
  return isSecret && life.now.exchange.status !== undefined
    ? revealed(scene)
    : undefined;
}

/** Checks that a rejected request has changed nothing. */
export function untouched({ life, made, named }: Scene): Fault | undefined {
  const { exchange } = life.now;
  if (exchange.status === undefined) return undefined;
  const expected = `the resource as before, since ${named} was rejected`;
  return partFault(exchange, readings(life), { ids: [made.id!], expected });
}

/** The responses to reading the path of the latest request, in order. */
function readings(life: Life): Exchange[] {
  const { target } = life.now.exchange.plan;
  return life.all("read").filter(({ plan }) => plan.target === target);
}

/** Checks that what names a user does not reject the user, and hides nothing. */
export function notRejected(scene: Scene, found: Found): Fault | undefined {
  const { life, access = [], user, creator } = scene;
  const { exchange } = life.now;
  const { status } = exchange;
  const isMeant = user !== undefined &&
    (access.includes(user) || access.includes("owner") && user === creator ||
      found.values().some(Boolean));
  const isHidden = isGone(exchange) &&
    readings(life).some((each) => !isGone(each));
  if (!isHidden && !(isMeant && REJECTED.includes(status!))) return undefined;
  return {
    expected:
      `a response other than ${status} for ${scene.named}, ${scene.since}`,
    ...seenOf(exchange),
    assertion: `assertNotEquals(response.status, ${status});`,
  };
}

/** Checks that a list does not contain the resource. */
export function notListed(scene: Scene): Fault | undefined {
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
  const name = `item.${idNameOf(place)} ?? item.id ?? item`;
  const list = sourceOf(path!);
  return {
    expected,
    seen,
    assertion: `assert(!${list}.some((item) => (${name}) == ${
      JSON.stringify(id)
    }));`,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
