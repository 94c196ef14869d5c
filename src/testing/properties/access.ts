import fc from "fast-check";
import { needsCredentials } from "../../core/start/modules.ts";
import { type Input, inputAt, pathInput, planOf } from "../generate/input.ts";
import { Planned } from "../generate/planned.ts";
import {
  capturesWith,
  identifierOf,
  idNameOf,
  isWithin,
  itemsOf,
  keyOf,
  operationOn,
} from "../generate/pool.ts";
import { accessOf, isLive, type Operation } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import {
  inTurn,
  type Search,
  search,
  unlessDropped,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import type { Exchange } from "../send/exchange.ts";
import { type Fault, seenOf } from "../checks.ts";
import { REJECTED } from "../identity.ts";
import { Acceptance } from "./acceptance.ts";
import { allows, callActions, hasRule, rulesFor } from "./access_rules.ts";
import { accessText } from "../../shared/document/operation.ts";
import { assignmentProperty } from "./assignment.ts";
import { isOpened, missingOf } from "./live.ts";
import { partFault, sourceOf } from "./members.ts";
import {
  creationsOf,
  isGone,
  isSuccess,
  otherText,
  type Owned,
  placesOf,
  send,
  type User,
} from "./resource.ts";
import { nextOf, rolesOf, withQuery } from "./pages.ts";
import { eventsOf } from "../send/read_response.ts";
import { anonymous } from "./security.ts";

/** The number of values to try as each user. */
const RUNS = 3;

/** The number of pages of a list to read. */
const PAGES = 4;

/** The number of changes with which to try to get another role. */
const CHANGES = 30;

/**
 * Tests that users reach what another user created, and operations of roles, only as
 * `access` declares, and that bodies set only the members that they declare.
 */
export async function accessProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { subject } = sender;
  const assigned = await assignmentProperty(sender, operation);
  if (assigned?.counterexample !== undefined || subject.users.length < 2) {
    return assigned;
  }
  const { method, route: { segments }, schema: { security, socket } } =
    operation;
  const own = placesOf(sender, segments);
  const listed = subject.places.find(({ create, segments: path }) =>
    create !== undefined &&
    isWithin({ segments }, { segments: path.slice(0, -1) })
  );
  const isList = method === "GET" && own.length === 0 && listed !== undefined;
  const places = isList ? placesOf(sender, listed.segments) : own;
  const users = subject.users.map(({ name }): User => name);
  const attempts = [
    ...accessOf(operation) ? [...users, undefined] : users,
  ].map((user) => ({ user, own: "" }));
  // `/notes/[id]/files/[fileId]` may name the note of one user and the file of another,
  // and users may add files to the notes of others.
  // The owner of a note may well read all of its files.
  const kinds = method === "GET" ? ["path"] : ["path", "parents"];
  for (const own of places.length > 1 && !isList ? kinds : []) {
    attempts.push(...users.map((user) => ({ user, own })));
  }
  // A rule needs more runs, since its members have several values.
  const runs = hasRule(operation) ? 2 * RUNS : RUNS;
  let reached: User;
  const reads = new Set<boolean>();
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    const creations = await creationsOf(sender, places);
    const parents = await creationsOf(sender, places.slice(0, -1));
    if (creations === undefined || parents === undefined) return { runs: 0 };
    const values = fc.tuple(inputs, creations, parents);
    return await inTurn([
      ...attempts.map(({ user, own }) => () =>
        search(sender, fc.tuple(values, actsAtLast()), {
          runs,
          attempt: async ([[input, create, createParents], isActing]) => {
            const around = own === "path"
              ? await createParents(user)
              : undefined;
            const made = own === "parents"
              ? await unlessDropped(create(undefined, user))
              : await create();
            if (made === undefined) return undefined;
            if (isActing) {
              await callActions(sender, operation, { ...made, user });
            }
            // The next pages of a list may begin after an own resource.
            if (isList) await unlessDropped(create(user));
            return await accessFault(sender, operation, {
              ...{ user, input, made, around, isList, acceptance },
              onReached: () => reached ??= user,
              onRead: (isRead) => reads.add(isRead),
            });
          },
        })
      ),
      ...users.filter((user) => isForeign(operation, user)).map((user) => () =>
        search(sender, inputs, {
          runs: 1,
          attempt: (input) => roleFault(sender, operation, { input, user }),
        })
      ),
    ]);
  });
  // A `GET` that allows anonymous requests already declares that it is public.
  const isOpen = method === "GET" && security !== undefined &&
    !needsCredentials(security.value);
  const closed = socket && missingOf(subject);
  const note = found.runs === 0
    ? "not tested: no resource was created"
    : closed !== undefined
    ? `no socket was opened: ${closed}`
    : reads.has(false) && !reads.has(true)
    ? "rules of access were not tested: no identity can read their resource with GET"
    : reached === undefined || isOpen
    ? undefined
    : `"${reached}" succeeds as well; declare access, such as "owner" or "shared"`;
  const result = acceptance.resultOf(sender, operation, found) ?? found;
  return { ...result, note: result.note ?? note };
}

/** Whether actions precede an attempt; a shrunk attempt keeps its choice. */
function actsAtLast(): fc.Arbitrary<boolean> {
  const planned = Array.from({ length: RUNS }, (_, run) => run === RUNS - 1);
  return new Planned(planned, fc.boolean());
}

/** An attempt of a user to reach a resource. */
interface AccessAttempt {
  readonly user: User;
  readonly input: Input;
  readonly made: Owned;
  /** The resource of the user to name in the path, in place of the parents. */
  readonly around: Owned | undefined;
  /** Whether the operation lists the created resource. */
  readonly isList: boolean;
  /** The responses to users who may reach the operation. */
  readonly acceptance: Acceptance;
  /** Called if a second user succeeds without a declaration. */
  readonly onReached: () => void;
  /** Called with whether an identity can read the resources of rules. */
  readonly onRead: (isRead: boolean) => void;
}

async function accessFault(
  sender: Sender,
  operation: Operation,
  { user, input, made, around, isList, acceptance, onReached, onRead }:
    AccessAttempt,
): Promise<Fault | undefined> {
  const { method, route, responses } = operation;
  const { captures, id = "", place, creator } = made;
  const access = accessOf(operation);
  const isOther = place !== undefined && user !== creator;
  const found = await rulesFor(sender, operation, {
    ...{ user, creator },
    path: isList ? place! : route,
    captures: inputAt(input, captures),
  });
  if (hasRule(operation) && user !== undefined) onRead(found !== undefined);
  if (found === undefined) return undefined;
  const isAllowed = access && allows(access, user, {
    isOwner: isList || !isOther,
    found: isList ? undefined : found,
  });
  if (around && (isAllowed || !isOther)) return undefined;
  const isForbidden = !(isAllowed ?? (isList || !isOther));
  const isSafe = method === "GET";
  const userText = user === undefined ? "anonymous requests" : `"${user}"`;
  const since = `since the access is ${access?.map(accessText).join(" or ")}`;
  const sendAs = (as: User, plan: RequestPlan) =>
    send(
      sender,
      as === undefined ? anonymous(plan, operation) : { ...plan, as },
      operation.patience,
    );
  const own = around ? capturesWith(place!, around.captures, id) : captures;
  const planAt = (captures: Owned["captures"]) =>
    validPlan(operation, {
      ...inputAt(input, captures),
      ...(isList && { query: {} }),
    });
  const readers = !isOther || isList
    ? []
    : sender.subject.operations.filter((each, _, all) =>
      [route, place].some((path) => operationOn(all, path) === each)
    );
  /** Reads the resource, and what is at the path of the operation, as the creator. */
  const read = () =>
    Array.fromAsync(
      readers,
      (reader) => sendAs(creator, planOf(reader, pathInput(captures))),
    );
  const before = isForbidden && isSafe ? [] : [await read(), await read()];
  const unknownId = otherText(id);
  const missing: Exchange[] = [];
  const last = keyOf(place?.segments.slice(-1) ?? []);
  const isNamed = !isList &&
    route.segments.some((each) => keyOf([each]) === last);
  if (isForbidden && isNamed) {
    const plan = await unlessDropped(
      planAt(capturesWith(place!, own, unknownId)),
    );
    if (plan !== undefined) {
      missing.push(await sendAs(user, plan), await sendAs(user, plan));
    }
  }
  const plan = await planAt(own);
  // A handler may respond with 401 for another reason, such as a wrong password.
  const isOpen = isSafe && access?.includes("public") &&
    isSuccess(await sendAs(operation.as?.name, plan));
  const exchange = await sendAs(user, plan);
  const { status, plan: { target } } = exchange;
  if (!isForbidden) acceptance.add(operation, status);
  const revealed = partFault(exchange, missing, {
    ids: [id, unknownId],
    expected:
      `the response to a missing resource, since ${userText} must not learn that this one exists`,
  });
  // A response as to a missing resource shows that the request reaches nothing. A stream
  // or a socket looks the same for each resource until something is sent.
  const isReached = isLive(operation)
    ? (isForbidden || access === undefined) &&
      await isOpened(sender, operation, exchange)
    : isSuccess(exchange) && (missing.length === 0 || revealed !== undefined);
  if (access === undefined) {
    if (isReached && user !== (creator ?? operation.as?.name)) onReached();
  } else if (isReached && isForbidden) {
    return {
      expected: `a rejection of ${userText}, ${since}`,
      ...(operation.schema.socket
        ? { seen: "an open socket" }
        : { ...seenOf(exchange), assertion: "assert(!response.ok);" }),
    };
  }
  const isMeant = isOpen || user !== undefined &&
      (access?.includes(user) ||
        access?.includes("owner") && user === creator ||
        !isList && found.values().some((isFound) => isFound));
  const isHidden = isAllowed && isGone(exchange) &&
    before[0]?.some((each) => each.plan.target === target && !isGone(each));
  if (isMeant && REJECTED.includes(status!) || isHidden) {
    return {
      expected: `a response other than ${status} for ${userText}, ${since}`,
      ...seenOf(exchange),
      assertion: `assertNotEquals(response.status, ${status});`,
    };
  }
  const isFree = access && allows(access, user, { isOwner: !isOther, found });
  if (isList && isFree === false) {
    const expected =
      `no resource of "${creator}" in the list of ${userText}, ${since}`;
    const roles = rolesOf(operation);
    const { limit, ...others } = roles;
    let page: Exchange | undefined = exchange;
    let next = limit && Object.keys(others).length > 0
      ? withQuery(plan, limit, 1)
      : undefined;
    for (let count = 0; page && isSuccess(page) && count < PAGES; count++) {
      const fault = listFault(page, made);
      if (fault !== undefined) return { ...fault, expected };
      page = next && await sendAs(user, next);
      next = page && nextOf(page, { roles, first: plan });
    }
    return undefined;
  }
  if (!isForbidden) return undefined;
  const reader = isSafe ? operation : readers.at(-1);
  const readAccess = reader && accessOf(reader);
  const isSecret = access?.includes("owner") && user !== undefined &&
    responses.has(404) && missing[0]?.status === 404 &&
    readAccess !== undefined && !allows(readAccess, user, { isOwner: false });
  if (isSecret && revealed !== undefined) return revealed;
  if (isSafe || isReached) return undefined;
  for (const [index, after] of (await read()).entries()) {
    const trace = partFault(after, before.map((all) => all[index]!), {
      ids: [id],
      expected: `the resource as before, since ${userText} was rejected`,
    });
    if (trace !== undefined) return trace;
  }
  return undefined;
}

function listFault(
  exchange: Exchange,
  { id, place }: Owned,
): Omit<Fault, "expected"> | undefined {
  const { items, path } = itemsOf(exchange);
  const isHere = (item: unknown) => String(identifierOf(place!, item)) === id;
  const event = eventsOf(exchange.stream)
    .find(({ data }) => isHere(jsonIn(data)));
  if (event !== undefined) {
    return { seen: `the identifier "${id}" in an event "${event.event}"` };
  }
  if (!items.some(isHere)) return undefined;
  return {
    seen: `the identifier "${id}"`,
    assertion: `assert(!${sourceOf(path!)}.some((item) => (item.${
      idNameOf(place!)
    } ?? item.id ?? item) == ${JSON.stringify(id)}));`,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether only the roles of other users may reach an operation. */
function isForeign(operation: Operation, user: User): boolean {
  const access = accessOf(operation);
  return access !== undefined && !access.includes("owner") &&
    !allows(access, user, { isOwner: false });
}

/** Checks that no change that a user may make gives the role of another user. */
async function roleFault(
  sender: Sender,
  operation: Operation,
  { input, user }: { readonly input: Input; readonly user: User },
): Promise<Fault | undefined> {
  const plan = { ...await validPlan(operation, input), as: user };
  const first = await send(sender, plan);
  if (!REJECTED.includes(first.status!)) return undefined;
  const changes = sender.subject.operations.filter((each) =>
    /^P[AU]T/.test(each.method) && !isForeign(each, user) &&
    each.route.segments.every(({ kind }) => kind === "static")
  );
  for (const change of changes) {
    const inputs = await sender.inputsOf(change);
    if ("missing" in inputs) continue;
    for (const each of inputs.arbitrary.planned.slice(0, CHANGES)) {
      const changed = await send(sender, {
        ...planOf(change, each),
        as: user,
      });
      if (!isSuccess(changed)) continue;
      const exchange = await send(sender, plan);
      if (REJECTED.includes(exchange.status!)) continue;
      const { status } = first;
      return {
        expected:
          `a ${status} as before ${change.name}, since "${user}" has another role`,
        ...seenOf(exchange),
        assertion: `assertEquals(response.status, ${status});`,
      };
    }
  }
  return undefined;
}
