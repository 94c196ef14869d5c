import fc from "fast-check";
import type { Input } from "../generate/input.ts";
import { capturesWith, operationOn } from "../generate/pool.ts";
import { REJECTED } from "../identity.ts";
import { pathOf } from "../operation.ts";
import {
  type AsyncPart,
  NOWHERE,
  type Part,
  type Step,
} from "../search/life.ts";
import {
  hidden,
  isReached,
  notListed,
  notRejected,
  rejected,
  stillRejected,
  untouched,
} from "./access_judgements.ts";
import {
  actions,
  allows,
  type Attempt,
  type Found,
  isForeign,
  rulesFor,
  type Scene,
} from "./access_rules.ts";
import { by, type Create, type User } from "./creation.ts";
import { nextOf, rolesOf, withQuery } from "./pages.ts";
import { isSuccess, otherText } from "./resource.ts";
import { anonymous } from "./security.ts";

/** The number of pages of a list to read. */
const PAGES = 4;

/** The number of changes with which to try to get another role. */
const CHANGES = 30;

/** The observations of all attempts, for the note of the property. */
export interface Shown {
  /** A second user who succeeds without a declaration. */
  reached?: User;
  /** Whether an identity could read the resources of rules. */
  isRead?: boolean;
}

/** The input of an attempt, what creates, and whether actions come before. */
type Values = readonly [Input, create: Create, outer: Create, boolean];

/** Creates a resource, and tries to reach it as a user. */
export async function* visit(
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
  const at = owns === "path"
    ? capturesWith(place!, around.captures, made.id!)
    : made.captures;
  const scene = { ...attempt, input, made, at };
  if (isActing) yield* actions(scene);
  // The next pages of a list may begin after an own resource.
  if (listed) yield* create(life, { user });
  const found = yield* rulesFor(scene, listed ?? operation.route);
  if (user !== undefined) shown.isRead ||= found !== undefined;
  if (found === undefined) return;
  yield* reach(scene, found);
  if (access !== undefined || user === (creator ?? operation.as?.name)) return;
  if (await isReached(scene)) shown.reached ??= user;
}

/** Sends an attempt, which must succeed if the user may reach the resource. */
async function* reach(scene: Scene, rules: Found): AsyncPart {
  const { operation, access, user, creator, place, listed, input } = scene;
  // Rules about a resource do not say who may request a list.
  const found = listed ? new Map() : rules;
  const isOwner = place === undefined || user === creator;
  const isAllowed = access && allows(access, user, { isOwner, found });
  if (scene.owns === "path" && isAllowed) return;
  const { patience } = operation;
  const step: Step = {
    ...{ does: "attempt", operation, patience, isNeeded: true },
    of: { captures: scene.at },
    input: listed ? { ...input, query: {} } : input,
    sends: (plan) =>
      user === undefined ? anonymous(plan, operation) : { ...plan, as: user },
  };
  if (!(isAllowed ?? isOwner)) return yield* forbidden(scene, step);
  yield* readings(scene);
  // A handler may respond with 401 for another reason, such as a wrong password.
  if (operation.method === "GET" && access?.includes("public")) {
    yield { ...step, does: "open", sends: by(operation.as?.name) };
  }
  const mayList = !listed || !access ||
    allows(access, user, { isOwner: user === creator, found: rules });
  const lists = mayList ? [] : [() => notListed(scene)];
  const holds = access && [() => notRejected(scene, found), ...lists];
  yield { ...step, isMeant: true, holds };
  if (!mayList) yield* pages(scene, { ...step, holds: lists });
}

/** Reads a list again, one item on each page. */
function* pages({ life, operation }: Scene, step: Step): Part {
  const roles = rolesOf(operation);
  const { limit, ...others } = roles;
  const { exchange: { plan: first } } = life.now;
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

/** Reads a resource, and what is at the path of the operation, as the creator. */
function readings(
  { life, operation, user, creator, place, made }: Scene,
): Step[] {
  if (place === undefined || user === creator) return [];
  const { operations } = life.sender.subject;
  const readers = [place, operation.route]
    .flatMap((path) => operationOn(operations, path) ?? []);
  return [...new Set(readers)].map((reader) => ({
    does: "read",
    operation: reader,
    of: made,
    patience: operation.patience,
    sends: by(creator),
  }));
}

/** Sends an attempt that must fail, as with a missing resource, and change nothing. */
async function* forbidden(scene: Scene, step: Step): AsyncPart {
  const { operation: { method, route }, access, place, made, at } = scene;
  const isSafe = method === "GET";
  const reads = isSafe ? [] : readings(scene);
  yield* [...reads, ...reads];
  const captures = place ? capturesWith(place, at, otherText(made.id!)) : at;
  if (pathOf(route, captures) !== pathOf(route, at)) {
    const of = { captures };
    const missing = { ...step, does: "missing", of, isNeeded: false };
    yield* [missing, missing];
  }
  const holds = access && [() => rejected(scene), () => hidden(scene)];
  yield { ...step, holds };
  if (isSafe || await isReached(scene)) return;
  yield* reads.map((each) => ({ ...each, holds: [() => untouched(scene)] }));
}

/** Tries to get another role with each change that a user may make. */
export async function* changeOfRole(
  { life, operation, user }: Pick<Scene, "life" | "operation" | "user">,
  input: Input,
): AsyncPart {
  const { sender } = life;
  const sends = by(user);
  const step = { does: "attempt", operation, input, sends };
  yield { ...step, isNeeded: true };
  if (!REJECTED.includes(life.now.exchange.status!)) return;
  const changes = sender.subject.operations.filter((each) =>
    /^P[AU]T/.test(each.method) && !isForeign(each, user) &&
    each.route.segments.every(({ kind }) => kind === "static")
  );
  for (const change of changes) {
    const inputs = await sender.inputsOf(change);
    if ("missing" in inputs) continue;
    const holds = [() => stillRejected(life, change)];
    for (const input of inputs.arbitrary.planned.slice(0, CHANGES)) {
      const given = { does: "change", operation: change, input, sends };
      const exchange = yield given;
      if (exchange && isSuccess(exchange)) yield { ...step, holds };
    }
  }
}
