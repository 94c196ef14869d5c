import fc from "fast-check";
import { needsCredentials } from "../../core/start/modules.ts";
import { accessText } from "../../shared/document/operation.ts";
import type { Input } from "../generate/input.ts";
import { Planned } from "../generate/planned.ts";
import {
  capturesWith,
  isWithin,
  keyOf,
  operationOn,
} from "../generate/pool.ts";
import { seenOf, statusFault } from "../checks.ts";
import { REJECTED } from "../identity.ts";
import { accessOf, type Operation, ruleMembers } from "../operation.ts";
import {
  type AsyncPart,
  type Life,
  NOWHERE,
  type Part,
  type Step,
  tell,
} from "../search/life.ts";
import { inTurn, type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { Acceptance } from "./acceptance.ts";
import {
  allows,
  type Found,
  hasRule,
  hidden,
  isForeign,
  isReached,
  notListed,
  notRejected,
  rejected,
  rulesFor,
  type Scene,
  untouched,
} from "./access_rules.ts";
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
import { nextOf, rolesOf, withQuery } from "./pages.ts";
import {
  isSuccess,
  operationsBelow,
  otherText,
  plainInput,
} from "./resource.ts";
import { anonymous } from "./security.ts";

/** The number of values to try as each user. */
const RUNS = 3;

/** The number of pages of a list to read. */
const PAGES = 4;

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
  if (assigned?.counterexample !== undefined || users.length < 2) {
    return assigned;
  }
  const acceptance = new Acceptance();
  const shown: Shown = {};
  const found = await withInputs(sender, operation, async (inputs) => {
    const { created, attempts } = attemptsOf(sender, operation);
    const creations = await creationsOf(sender, created);
    const parents = await creationsOf(sender, created.slice(0, -1));
    if (creations === undefined || parents === undefined) return { runs: 0 };
    // A rule needs more runs, since its members have several values.
    const runs = hasRule(operation) ? 2 * RUNS : RUNS;
    const foreign = users.filter(({ name }) => isForeign(operation, name));
    return await inTurn([
      ...attempts.map((each) => () => {
        // Actions precede the last attempt; a shrunk attempt keeps its choice.
        const acts = new Planned([false, false, true], fc.boolean());
        return tell(sender, {
          ...{ runs, acceptance },
          values: fc.tuple(inputs, creations, parents, acts),
          steps: (value, life) => visit({ ...each, life, shown }, value),
        });
      }),
      ...foreign.map(({ name }) => () =>
        tell(sender, {
          ...{ values: inputs, runs: 1, acceptance },
          steps: (input, life) =>
            changeOfRole(life, { operation, input, user: name }),
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
): { readonly created: CreatedPlace[]; readonly attempts: Attempt[] } {
  const { subject } = sender;
  const { method, route: { segments } } = operation;
  const places = placesOf(sender, segments);
  const listed = method === "GET" && places.length === 0
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
  // The owner of a note may well read all of its files.
  const owners = method === "GET" ? [] : others;
  const attempts = [
    ...(access ? [...users, undefined] : users).map((user) => ({ user })),
    // `/notes/[id]/files/[fileId]` may name the note of one user and the file of another,
    // and users may add files to the notes of others.
    ...others.map((user) => ({ user, owns: "path" as const })),
    ...owners.map((user) => ({ user, owns: "parents" as const })),
  ].map((each) => ({
    ...{ operation, access, creator, place: places.at(-1), listed, since },
    ...each,
    named: each.user === undefined ? "anonymous requests" : `"${each.user}"`,
  }));
  return { created, attempts };
}

function noteOf(
  { subject }: Sender,
  { method, schema: { security, socket } }: Operation,
  { reached, isRead, runs }: Shown & Pick<Search, "runs">,
): string | undefined {
  const closed = socket && missingOf(subject);
  // A `GET` that allows anonymous requests already declares that it is public.
  const isOpen = method === "GET" && security !== undefined &&
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
  [input, create, createOuter, isActing]: readonly [
    Input,
    Create,
    Create,
    boolean,
  ],
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
 * Calls each operation directly below a resource as its creator, such as to submit it.
 * Some operations need another operation, such as to add an item. For a rule, also
 * changes the resource, as any user who may, so that its members name the user of the
 * attempt.
 */
export async function* actions(
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

/** Sends an attempt, which must succeed if the user may reach the resource. */
async function* reach(scene: Scene, rules: Found): AsyncPart {
  const { operation, access, user, creator, place, listed, input, of } = scene;
  // Rules about a resource do not say who may request a list.
  const found = listed ? new Map() : rules;
  const isOwner = place === undefined || user === creator;
  const isAllowed = access && allows(access, user, { isOwner, found });
  if (scene.owns === "path" && isAllowed) return;
  const step: Step = {
    ...{ does: "attempt", operation, of, isNeeded: true },
    patience: operation.patience,
    input: listed ? { ...input, query: {} } : input,
    sends: user === undefined ? (plan) => anonymous(plan, operation) : by(user),
  };
  if (!(isAllowed ?? isOwner)) return yield* forbidden(scene, step);
  yield* readings(scene);
  const isClosed = listed && access &&
    !allows(access, user, { isOwner: user === creator, found: rules });
  const lists = isClosed ? [() => notListed(scene)] : [];
  const holds = access && [() => notRejected(scene, found), ...lists];
  yield { ...step, isMeant: true, holds };
  if (isClosed) yield* pages(scene, { ...step, holds: lists });
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
  const { operation: { method }, access, place, made, of } = scene;
  const reads = method === "GET" ? [] : readings(scene);
  yield* [...reads, ...reads];
  if (place !== undefined) {
    const captures = capturesWith(place, of.captures, otherText(made.id!));
    const given = { does: "missing", of: { captures }, isNeeded: false };
    yield* [{ ...step, ...given }, { ...step, ...given }];
  }
  const holds = access && [() => rejected(scene), () => hidden(scene)];
  yield { ...step, holds };
  if (reads.length === 0 || await isReached(scene)) return;
  yield* reads.map((each) => ({ ...each, holds: [() => untouched(scene)] }));
}

/** Tries to get another role with each change that a user may make. */
async function* changeOfRole(
  life: Life,
  { operation, input, user }: Pick<Scene, "operation" | "input" | "user">,
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
      const given = { does: "change", operation: change, input, sends };
      const exchange = yield given;
      if (exchange && isSuccess(exchange)) {
        yield { ...step, holds: [stillRejected] };
      }
    }
  }
}
