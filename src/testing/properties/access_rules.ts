import { isObject } from "../../core/common/values.ts";
import type { AccessRule } from "../../core/types/schema.ts";
import type { Captures } from "../../shared/wire.ts";
import { type Input, isValid, planOf } from "../generate/input.ts";
import { keyOf, operationOn, type Path, unwrap } from "../generate/pool.ts";
import { type Identity, REJECTED } from "../identity.ts";
import { accessOf, type Operation, ruleMembers } from "../operation.ts";
import type { Sender } from "../search/sender.ts";
import type { Subject } from "../search/subject.ts";
import { jsonOf } from "../send/exchange.ts";
import {
  isSuccess,
  operationsBelow,
  type Owned,
  plainInput,
  send,
  type User,
} from "./resource.ts";

/** Whether an operation names its users by a rule about a resource. */
export function hasRule(operation: Operation): boolean {
  return accessOf(operation)?.some(isRule) ?? false;
}

function isRule(each: AccessRule): boolean {
  return typeof each !== "string";
}

/**
 * Whether a user is among the declared users; guards may still reject `shared`.
 *
 * @param found The results of the rules; a rule without a result allows every user.
 */
export function allows(
  access: readonly AccessRule[],
  user: User,
  { isOwner, found }: {
    readonly isOwner: boolean;
    readonly found?: Found | undefined;
  },
): boolean {
  return access.includes("public") || user !== undefined &&
      (access.includes("shared") || access.includes(user) ||
        isOwner && access.includes("owner") ||
        access.some((each) => isRule(each) && (found?.get(each) ?? true)));
}

/** Whether each rule allows a user; rules whose resource has no path are absent. */
type Found = ReadonlyMap<AccessRule, boolean>;

/** A user, and the resource that the user tries to reach. */
interface Attempt {
  readonly user: User;
  /** The user who created the resource. */
  readonly creator: User;
  readonly path: Path;
  readonly captures: Captures;
}

/**
 * Compares a user with the rules of an operation. Returns `undefined` if no identity
 * can read the resource of a rule.
 */
export async function rulesFor(
  sender: Sender,
  operation: Operation,
  { user, creator, path, captures }: Attempt,
): Promise<Found | undefined> {
  const found = new Map<AccessRule, boolean>();
  const identity = sender.subject.identities.get(user!);
  const paths = pathsOf(sender.subject, path);
  for (const rule of accessOf(operation) ?? []) {
    if (typeof rule === "string") continue;
    const isMember = typeof rule !== "function";
    const at = isMember && rule.of ? paths.parent : paths.own;
    if (identity === undefined || at === undefined) continue;
    const resource = await read(sender, at, { creator, captures });
    if (resource === undefined) return undefined;
    const { name, id } = identity;
    found.set(
      rule,
      isMember
        ? [unwrap(at, resource).members[rule.member]].flat()
          .some((each) => String(each) === String(id))
        : Boolean(await rule({ name, id }, resource as never)),
    );
  }
  return found;
}

/**
 * The path of the resource that a path names, and of the resource one collection above.
 */
function pathsOf(
  { places }: Subject,
  { segments }: Path,
): Record<"own" | "parent", Path | undefined> {
  const named = segments.flatMap(({ kind }, index) =>
    kind === "static" ? [] : [{ segments: segments.slice(0, index + 1) }]
  );
  const isList = places.some(({ segments: path }) =>
    keyOf(path.slice(0, -1)) === keyOf(segments)
  );
  const own = named.at(-1);
  const isBelow = segments.at(-1)?.kind === "static";
  const above = named.at(-2) ?? (isBelow ? own : undefined);
  return { own, parent: isList ? own : above };
}

/** Reads a resource as its creator, or as the first other user who may read it. */
async function read(
  sender: Sender,
  path: Path,
  { creator, captures }: Pick<Attempt, "creator" | "captures">,
): Promise<unknown> {
  const { operations, users } = sender.subject;
  const reader = operationOn(operations, path);
  if (reader === undefined) return undefined;
  const plan = planOf(reader, await plainInput(sender, reader, captures));
  for (const as of new Set([creator, ...users.map(({ name }) => name)])) {
    const exchange = await send(sender, { ...plan, as }, reader.patience);
    if (isSuccess(exchange)) return jsonOf(exchange);
  }
  return undefined;
}

/**
 * Calls each operation directly below a resource as its creator, such as to submit it.
 * Some operations need another operation, such as to add an item. For a rule, also
 * changes the resource, as any user who may, so that its members name the user of the
 * attempt.
 */
export async function callActions(
  sender: Sender,
  operation: Operation,
  { captures, place, creator, user }: Owned & { readonly user: User },
): Promise<void> {
  if (place === undefined) return;
  const { operations, users, identities } = sender.subject;
  const isForRule = hasRule(operation);
  const changes = operations.filter(({ route }) =>
    isForRule && keyOf(route.segments) === keyOf(place.segments)
  );
  const actions = [...changes, ...operationsBelow(sender.subject, place)]
    .filter(({ method }) => /^P/.test(method));
  const others = isForRule ? users.map(({ name }): User => name) : [];
  for (const action of [...actions, ...actions]) {
    const plain = await plainInput(sender, action, captures);
    const input = isForRule
      ? { ...plain, body: naming(operations, identities.get(user!), plain) }
      : plain;
    if (!await isValid(action, input)) continue;
    for (const as of new Set([creator, ...others])) {
      const { status } = await send(sender, { ...planOf(action, input), as });
      if (!REJECTED.includes(status!)) break;
    }
  }
}

/** A body whose members name a user if rules read them. */
function naming(
  operations: readonly Operation[],
  user: Identity | undefined,
  { body }: Input,
): unknown {
  if (!isObject(body) || user === undefined) return body;
  const named = ruleMembers(operations).filter((name) => name in body)
    .map((name) => [name, Array.isArray(body[name]) ? [user.id] : user.id]);
  return { ...body, ...Object.fromEntries(named) };
}
