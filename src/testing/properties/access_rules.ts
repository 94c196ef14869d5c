import { isObject } from "../../core/common/values.ts";
import type { AccessRule } from "../../core/types/schema.ts";
import type { Captures } from "../../shared/wire.ts";
import { type Input, inputAt } from "../generate/input.ts";
import { keyOf, operationOn, type Path, unwrap } from "../generate/pool.ts";
import { type Identity, REJECTED } from "../identity.ts";
import { accessOf, type Operation, ruleMembers } from "../operation.ts";
import type { Subject } from "../search/subject.ts";
import type { AsyncPart, Life, Part } from "../search/life.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { by, type User } from "./creation.ts";
import {
  isSuccess,
  operationsBelow,
  plainInput,
  type Resource,
} from "./resource.ts";

/** An attempt of a user to reach what another user may have created. */
export interface Attempt {
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
}

/** An attempt after its resource was created. */
export interface Scene extends Attempt {
  readonly life: Life;
  readonly input: Input;
  readonly made: Resource;
  /** The values in the path of the operation. */
  readonly at: Captures;
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
  { isOwner, found }: {
    readonly isOwner: boolean;
    readonly found?: Found | undefined;
  },
): boolean {
  return access.includes("public") || user !== undefined &&
      (access.includes("shared") || access.includes(user) ||
        isOwner && access.includes("owner") ||
        access.some((each) =>
          typeof each !== "string" && (found?.get(each) ?? true)
        ));
}

/** Whether only the roles of other users may reach an operation. */
export function isForeign(operation: Operation, user: User): boolean {
  const access = accessOf(operation);
  return access !== undefined && !access.includes("owner") &&
    !allows(access, user, { isOwner: false });
}

/** Whether each rule allows a user; rules whose resource has no path are absent. */
export type Found = ReadonlyMap<AccessRule, boolean>;

/**
 * Reads what the rules of an operation name for a path, and compares it with a user. Returns
 * `undefined` if no identity can read the resource of a rule.
 */
export async function* rulesFor(
  scene: Scene,
  path: Path,
): AsyncPart<Found | undefined> {
  const { life, access = [], user } = scene;
  const { identities } = life.sender.subject;
  const identity = identities.get(user!);
  const paths = pathsOf(life.sender.subject, path);
  const found = new Map<AccessRule, boolean>();
  for (const rule of access) {
    if (typeof rule === "string") continue;
    const isMember = typeof rule !== "function";
    const at = isMember && rule.of ? paths.parent : paths.own;
    if (identity === undefined || at === undefined) continue;
    const exchange = yield* read(scene, at);
    if (exchange === undefined) return undefined;
    const resource = jsonOf(exchange);
    const { name, id } = identity;
    const isAllowed = isMember
      ? [unwrap(at, resource).members[rule.member]].flat().map(String)
        .includes(String(id))
      : await rule({ name, id }, resource as never);
    found.set(rule, Boolean(isAllowed));
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
function* read(
  { life, creator, input, made }: Scene,
  path: Path,
): Part<Exchange | undefined> {
  const { operations, users } = life.sender.subject;
  const operation = operationOn(operations, path);
  if (operation === undefined) return undefined;
  const { patience } = operation;
  for (const user of new Set([creator, ...users.map(({ name }) => name)])) {
    const exchange = yield {
      ...{ does: "rule", operation, patience, sends: by(user) },
      of: { captures: inputAt(input, made.captures) },
    };
    if (exchange !== undefined && isSuccess(exchange)) return exchange;
  }
  return undefined;
}

/**
 * Calls each operation directly below a resource as its creator, such as to submit it.
 * Some operations need another operation, such as to add an item. For a rule, also
 * changes the resource, as any user who may, so that its members name the user of the
 * attempt.
 */
export async function* actions(
  { life, operation, place, listed, creator, user, made }: Scene,
): AsyncPart {
  const at = place ?? listed;
  if (at === undefined) return;
  const { sender } = life;
  const { operations, users, identities } = sender.subject;
  const isForRule = hasRule(operation);
  const changes = operations.filter(({ route }) =>
    isForRule && keyOf(route.segments) === keyOf(at.segments)
  );
  const actions = [...changes, ...operationsBelow(sender.subject, at)]
    .filter(({ method }) => /^P/.test(method));
  const others = isForRule ? users.map(({ name }): User => name) : [];
  for (const action of [...actions, ...actions]) {
    const plain = await plainInput(sender, action, made.captures);
    const input = isForRule
      ? { ...plain, body: naming(operations, identities.get(user!), plain) }
      : plain;
    const step = { does: "act", operation: action, input, of: made };
    for (const as of new Set([creator, ...others])) {
      const exchange = yield { ...step, sends: by(as) };
      if (!REJECTED.includes(exchange?.status!)) break;
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
