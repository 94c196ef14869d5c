import fc from "fast-check";
import { needsCredentials } from "../../core/start/modules.ts";
import type { AccessRule } from "../../plumbing.ts";
import { accessText } from "../../shared/document/operation.ts";
import { seenOf, statusFault } from "../checks.ts";
import { type Input, inputAt } from "../generate/input.ts";
import { Planned } from "../generate/planned.ts";
import {
  capturesWith,
  isWithin,
  keyOf,
  operationOn,
  type Path,
  unwrap,
} from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, type Operation, ruleMembers } from "../operation.ts";
import {
  type AsyncPart,
  type Life,
  NOWHERE,
  type Part,
  tell,
} from "../search/life.ts";
import { inTurn, type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import {
  allows,
  type Found,
  isReached,
  reach,
  type Scene,
} from "./access_attempt.ts";
import { assignmentProperty } from "./assignment.ts";
import {
  by,
  type Create,
  type CreatedPlace,
  creationsOf,
  creatorOf,
  placesOf,
  type User,
} from "./creation.ts";
import { missingOf } from "./live.ts";
import { isSuccess, operationsBelow, plainInput } from "./resource.ts";

/** The number of values to try as each user. */
const RUNS = 3;

/** The number of changes with which to try to get another role. */
const CHANGES = 30;

/** The observations of all attempts, for the note of the property. */
interface Shown {
  /** A second user who succeeds without a declaration. */
  reached?: User;
  /** Whether an identity could read the resources of rules. */
  isRead?: boolean;
}

type Attempt = Omit<Scene, "life" | "input" | "made" | "of">;

/** The input of an attempt, what creates, and whether actions come before. */
type Values = readonly [Input, create: Create, outer: Create, boolean];

/**
 * Tests that users reach what another user created, and operations of roles, only as
 * `access` declares, and that bodies set only the members that they declare.
 */
export async function accessProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { users } = sender.subject;
  const assigned = await assignmentProperty(sender, operation);
  const isFound = assigned?.counterexample !== undefined;
  if (isFound || users.length < 2) return assigned;
  const acceptance = new Acceptance();
  const shown: Shown = {};
  const found = await withInputs(sender, operation, async (inputs) => {
    const [created, attempts] = attemptsOf(sender, operation);
    const creations = await creationsOf(sender, created);
    const parents = await creationsOf(sender, created.slice(0, -1));
    if (creations === undefined || parents === undefined) return { runs: 0 };
    // A rule needs more runs, since its members have several values.
    const runs = hasRule(operation) ? 2 * RUNS : RUNS;
    const foreign = users.filter(({ name }) => isForeign(operation, name));
    return inTurn([
      ...attempts.map((each) => () => {
        // Actions precede the last attempt; a shrunk attempt keeps its choice.
        const acts = new Planned([false, false, true], fc.boolean());
        return tell(sender, {
          ...{ runs, acceptance },
          values: fc.tuple(inputs, creations, parents, acts),
          steps: (value, life) => visit({ ...each, life, shown }, value),
        });
      }),
      ...foreign.map(({ name: user }) => () =>
        tell(sender, {
          ...{ values: inputs, runs: 1, acceptance },
          steps: (input, life) => changeRole({ life, operation, user }, input),
        })
      ),
    ]);
  });
  const result = acceptance.resultOf(sender, operation, found) ?? found;
  const note = noteOf(sender, operation, { ...shown, runs: found.runs });
  return { ...result, note: result.note ?? note };
}

/** The places of the created resources, and the attempts of all users to reach the last one. */
function attemptsOf(
  sender: Sender,
  operation: Operation,
): [CreatedPlace[], Attempt[]] {
  const { subject } = sender;
  const { segments } = operation.route;
  const places = placesOf(sender, segments);
  const listed = operation.isSafe && places.length === 0
    ? subject.places.find(({ create, segments: path }) =>
      create && isWithin(operation.route, { segments: path.slice(0, -1) })
    )
    : undefined;
  const created = listed ? placesOf(sender, listed.segments) : places;
  const access = accessOf(operation);
  const creator = creatorOf(created);
  const since = `since the access is ${access?.map(accessText).join(" or ")}`;
  const users = subject.users.map(({ name }): User => name);
  const others = users.filter((user) => places.length > 1 && user !== creator);
  const attemptsBy = (users: readonly User[], owns?: Scene["owns"]) =>
    users.map((user) => ({
      ...{ operation, access, user, creator, owns, listed, since },
      place: places.at(-1),
      named: user === undefined ? "anonymous requests" : `"${user}"`,
    }));
  return [created, [
    ...attemptsBy(access ? [...users, undefined] : users),
    // `/notes/[id]/files/[fileId]` may name the note of one user and the file of another,
    // and users may add files to the notes of others.
    ...attemptsBy(others, "path"),
    // The owner of a note may well read all of its files.
    ...attemptsBy(operation.isSafe ? [] : others, "parents"),
  ]];
}

function noteOf(
  { subject }: Sender,
  { isSafe, schema: { security, socket } }: Operation,
  { reached, isRead, runs }: Shown & Pick<Search, "runs">,
): string | undefined {
  const closed = socket && missingOf(subject);
  // A read that allows anonymous requests already declares that it is public.
  const isOpen = isSafe && security !== undefined &&
    !needsCredentials(security.value);
  return runs === 0
    ? "not tested: no resource was created"
    : closed !== undefined
    ? `no socket was opened: ${closed}`
    : isRead === false
    ? "rules of access were not tested: no identity can read their resource with GET"
    : reached === undefined || isOpen
    ? undefined
    : `"${reached}" succeeds as well; declare access, such as "owner" or "shared"`;
}

/** Creates a resource, and tries to reach it as a user. */
async function* visit(
  attempt: Attempt & Pick<Scene, "life"> & { readonly shown: Shown },
  [input, create, createOuter, isActing]: Values,
): AsyncPart {
  const { life, operation, access, user, creator, shown } = attempt;
  const { place, listed, owns } = attempt;
  const around = owns === "path" ? yield* createOuter(life, { user }) : NOWHERE;
  fc.pre(around !== undefined);
  const above = owns === "parents" ? user : creator;
  const made = yield* create(life, { above });
  // A user may not be allowed to create a resource below that of another user.
  fc.pre(made !== undefined || owns === "parents");
  if (made === undefined) return;
  const of = owns === "path"
    ? { captures: capturesWith(place!, around.captures, made.id!) }
    : made;
  const scene = { ...attempt, input, made, of };
  if (isActing) yield* actions(scene);
  // The next pages of a list may begin after an own resource.
  if (listed) yield* create(life, { user });
  const found = yield* rulesFor(scene);
  if (user !== undefined) shown.isRead ||= found !== undefined;
  if (found === undefined) return;
  yield* reach(scene, found);
  if (access !== undefined || user === (creator ?? operation.as?.name)) return;
  if (await isReached(scene)) shown.reached ??= user;
}

/**
 * Reads what the rules of an operation name, and compares it with a user. Returns
 * `undefined` if no identity can read the resource of a rule.
 */
async function* rulesFor(scene: Scene): AsyncPart<Found | undefined> {
  const { life: { sender }, access = [], user } = scene;
  const identity = sender.subject.identities.get(user!);
  const found = new Map<AccessRule, boolean>();
  if (identity === undefined) return found;
  const { name, id } = identity;
  for (const rule of access) {
    if (typeof rule === "string") continue;
    const at = pathFor(scene, rule);
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

/** The path of the resource that a rule reads: the last one, or one collection above. */
function pathFor(
  { life, operation, listed }: Scene,
  rule: AccessRule,
): Path | undefined {
  const { segments } = listed ?? operation.route;
  const named = segments.flatMap(({ kind }, index) =>
    kind === "static" ? [] : [{ segments: segments.slice(0, index + 1) }]
  );
  const isList =
    life.sender.subject.places.some(({ segments: path }) =>
      keyOf(path.slice(0, -1)) === keyOf(segments)
    ) || named.length === 1 && segments.at(-1)!.kind === "static";
  const isAbove = typeof rule === "object" && rule.of !== undefined;
  return named.at(isAbove && !isList ? -2 : -1);
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
 * Calls each operation directly below a resource as its creator, such as to submit it.
 * Some operations need another operation, such as to add an item. For a rule, also
 * changes the resource, as any user who may, so that its members name the user of the
 * attempt.
 */
async function* actions(
  { life: { sender }, operation, place, listed, creator, user, made }: Scene,
): AsyncPart {
  const at = place ?? listed;
  if (at === undefined) return;
  const { operations, users, identities } = sender.subject;
  const isForRule = hasRule(operation);
  const changes = operations.filter(({ route }) =>
    isForRule && keyOf(route.segments) === keyOf(at.segments)
  );
  const actions = [...changes, ...operationsBelow(sender.subject, at)]
    .filter(({ method }) => /^P/.test(method));
  const id = identities.get(user!)?.id;
  const members = isForRule && id !== undefined ? ruleMembers(operations) : [];
  const others = isForRule ? users.map(({ name }) => name) : [];
  for (const action of [...actions, ...actions]) {
    const plain = await plainInput(sender, action, made.captures);
    const body = Object(plain.body);
    const named = members.filter((name) => name in body)
      .map((name) => [name, Array.isArray(body[name]) ? [id] : id]);
    const input = named.length === 0
      ? plain
      : { ...plain, body: { ...body, ...Object.fromEntries(named) } };
    for (const as of new Set([creator, ...others])) {
      const step = { does: "act", operation: action, input, of: made };
      const exchange = yield { ...step, sends: by(as) };
      if (!REJECTED.includes(exchange?.status!)) break;
    }
  }
}

/** Tries to get another role with each change that a user may make. */
async function* changeRole(
  { life, operation, user }: Pick<Scene, "life" | "operation" | "user">,
  input: Input,
): AsyncPart {
  const { sender } = life;
  const sends = by(user);
  const step = { does: "attempt", operation, input, sends };
  yield { ...step, isNeeded: true };
  const { status = 0 } = life.now.exchange;
  if (!REJECTED.includes(status)) return;
  const changes = sender.subject.operations.filter((each) =>
    /^P[AU]T/.test(each.method) && !isForeign(each, user) &&
    each.route.segments.every(({ kind }) => kind === "static")
  );
  for (const change of changes) {
    const inputs = await sender.inputsOf(change);
    if ("missing" in inputs) continue;
    const expected =
      `a ${status} as before ${change.name}, since "${user}" has another role`;
    const stillRejected = ({ now: { exchange } }: Life) =>
      REJECTED.includes(exchange.status ?? status)
        ? undefined
        : statusFault(status, { expected, ...seenOf(exchange) });
    for (const input of inputs.arbitrary.planned.slice(0, CHANGES)) {
      const sent = yield { ...step, does: "change", operation: change, input };
      if (sent && isSuccess(sent)) {
        yield { ...step, holds: [stillRejected] };
      }
    }
  }
}

/** Whether an operation names its users by a rule about a resource. */
function hasRule(operation: Operation): boolean {
  return accessOf(operation)?.some((each) => typeof each !== "string") ?? false;
}

/** Whether only the roles of other users may reach an operation. */
function isForeign(operation: Operation, user: User): boolean {
  const access = accessOf(operation);
  return access !== undefined && !allows(access, user, { isOwner: true });
}
