import fc from "fast-check";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import { type Input, planOf } from "../generate/input.ts";
import { idNameOf, unwrap } from "../generate/pool.ts";
import { type Operation, pathOf } from "../operation.ts";
import type { RequestPlan } from "../plan.ts";
import { isAccepted } from "../report/report.ts";
import {
  type Done,
  type Judgement,
  type Life,
  NOWHERE,
  OWN,
  type Step,
  tell,
} from "../search/life.ts";
import { type Search, withInputs } from "../search/search.ts";
import { operationOfLocation } from "../search/subject.ts";
import type { Sender } from "../search/sender.ts";
import { jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import { Keeper, type KeptValues } from "./kept.ts";
import { sentTo, sourceOf } from "./members.ts";
import {
  createdOf,
  isDone,
  isGone,
  isInCookie,
  isSuccess,
  type Kind,
  kindOf,
  movedBy,
  type Resource,
} from "./resource.ts";
import { succession } from "./succession.ts";
import { ITEM, lostFault, sharedFault, SIBLING, Views } from "./views.ts";

/** The number of resources to create with each `POST`. */
const RUNS = 50;

/** The maximum number of changes of each resource. */
const CHANGES = 2;

/** An operation that changes a resource, with its input. */
export type Change = readonly [Operation, Input];

/** The values with which to create and change a resource. */
export interface Lifecycle {
  readonly input: Input;
  readonly changes: readonly Change[];
  readonly keeper: Keeper;
}

/** A part of a life, such as its changes. */
type Part = (lives: Lives, lifecycle: Lifecycle) => Step[];

/**
 * The stories of resources. A sibling must not show an item that was added below the
 * resource, and a successor with its identifier must show nothing of it.
 */
function storiesOf({ create, remove }: Kind): readonly (readonly Part[])[] {
  const successor = remove ? [[creation, succession]] : [];
  if (create === undefined) {
    return [...Array(3).fill([creation, changes]), ...successor];
  }
  const end = remove ? [misplacedRemoval, removal] : [];
  const seen = [creation, shown, changes, ...end, hidden];
  return [
    [creation, changes, ...end],
    seen,
    seen,
    [creation, changes, shown, addition, ...end, hidden],
    [creation, changes, shown, addition, sibling],
    ...successor,
  ];
}

/** What the lives of the resources of one kind have shown so far. */
export class Lives {
  readonly sender: Sender;
  readonly kind: Kind;
  readonly views: Views;
  readonly values: KeptValues = new Map();
  /** The number of resources that could be read or changed. */
  followed = 0;
  /** Whether an accepted creation names no created resource, as after 202. */
  isNameless = false;

  constructor(sender: Sender, kind: Kind) {
    this.sender = sender;
    this.kind = kind;
    this.views = new Views(sender, kind.read);
  }
}

/**
 * Tests that resources keep the values that were sent, and that created resources can be
 * read, changed and deleted, and cannot be read after deletion.
 */
export async function stateProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  // Only a response to an earlier request may show where a resource is.
  if (sender.history.length === 0) await sender.prepare();
  const kind = kindOf(sender, operation);
  if (kind === undefined) return undefined;
  const lives = new Lives(sender, kind);
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    if (kind.create !== undefined) await lives.views.prepare();
    return await tell(sender, {
      values: fc.record({
        input: inputs,
        changes: await changesOf(sender, kind),
        story: fc.constantFrom(...storiesOf(kind)),
      }),
      runs: RUNS,
      acceptance,
      start: ({ input }) => kind.create ? NOWHERE : { captures: input },
      steps({ story, ...given }) {
        const keeper = new Keeper(kind, lives.values);
        return story.flatMap((part) => part(lives, { ...given, keeper }));
      },
    });
  });
  if (found.counterexample !== undefined) return found;
  const note = lives.isNameless && lives.followed === 0
    ? `${operation.name} named no created resource by Location or identifier`
    : undefined;
  return acceptance.resultOf(sender, operation, {
    ...found,
    runs: lives.followed,
    note: found.note ?? note,
  });
}

async function changesOf(
  sender: Sender,
  kind: Kind,
): Promise<fc.Arbitrary<Change[]>> {
  const changes: fc.Arbitrary<Change>[] = [];
  for (const change of kind.changes) {
    const found = await sender.inputsOf(change);
    if ("missing" in found) continue;
    changes.push(found.arbitrary.map((input) => [change, input]));
  }
  return changes.length === 0
    ? fc.constant([])
    : fc.array(fc.oneof(...changes), { minLength: 1, maxLength: CHANGES });
}

/** Creates a resource, or finds the resource that exists, and reads it twice. */
function creation(lives: Lives, { input, keeper }: Lifecycle): Step[] {
  const { kind: { create, read }, views } = lives;
  const first = { does: "read", operation: read, sends: atLocation };
  const again: Step = {
    ...first,
    does: "again",
    after: ["read", () => true],
    holds: [keeper.judge],
    ends: ({ resource }) => create !== undefined && resource.id === undefined,
  };
  if (create === undefined) {
    return [{ ...first, holds: [(life) => views.faultIn(life)] }, again];
  }
  return [{
    does: "create",
    operation: create,
    input,
    needs: "input",
    isMeant: true,
    makes: [OWN, (life) => madeBy(lives, life)],
    holds: [(life) => namelessFault(lives, life)],
    ends: ({ resource }) => resource === NOWHERE,
  }, {
    ...first,
    isMeant: true,
    holds: [missingFault("created"), (life) => firstFault(lives, life)],
    ends: ({ now }) => !isSuccess(now.exchange),
  }, again];
}

/** Checks the first response that shows a resource. */
function firstFault(
  lives: Lives,
  life: Life,
): Promise<Fault | undefined> {
  if (isSuccess(life.now.exchange)) lives.followed++;
  const { subject } = lives.sender;
  const reached = operationOfLocation(subject, life.last("create")!);
  return lives.views.faultIn(life, reached?.operation);
}

function atLocation(plan: RequestPlan, { resource }: Life): RequestPlan {
  return { ...plan, target: resource.location ?? plan.target };
}

/** The resource that the latest request created. */
function madeBy({ sender, kind }: Lives, { now }: Life): Resource | undefined {
  const { create, read: { route: { segments } } } = kind;
  const place = { create, segments };
  return createdOf(sender.subject, place, now.exchange, now.input);
}

/** Reports a created or changed resource that is missing. */
function missingFault(how: "created" | "changed"): Judgement {
  return (life) => {
    const { exchange } = life.now;
    const isFound = !isGone(exchange) || hasMoved(life) ||
      how === "created" && isInCookie(life.last("create")!);
    if (isFound) return undefined;
    const expected = `the ${how} resource at "${exchange.plan.target}"`;
    return statusFault(200, { expected, ...seenOf(exchange) });
  };
}

/** Reports an empty identifier in a response that names no resource. */
async function namelessFault(
  lives: Lives,
  { resource, now: { step, input, exchange } }: Life,
): Promise<Fault | undefined> {
  if (resource !== NOWHERE) return undefined;
  lives.isNameless ||= isAccepted(exchange.status);
  const { route } = lives.kind.read;
  const name = idNameOf(route);
  const { members, envelope } = unwrap(route, jsonOf(exchange));
  const sent = await sentTo(step.operation, input, members);
  const isEmpty = members[name] === "" && sent[name] !== "";
  return !isEmpty || !isDone(exchange) || lives.followed === 0 ? undefined : {
    expected: `"${name}" that identifies the created resource`,
    seen: `"${name}": ""`,
    assertion: `assertNotEquals(${sourceOf([...envelope, name])}, "");`,
  };
}

/** Reads everything that may list or show the resource. */
function shown({ views }: Lives): Step[] {
  return views.steps();
}

/** Changes the resource, and reads it twice after each change. */
function changes(lives: Lives, { changes, keeper }: Lifecycle): Step[] {
  const { kind: { create, read }, views } = lives;
  const look: Step = {
    does: "read",
    operation: read,
    sends: atLocation,
    after: ["change", isDone],
    // A new title may lead to a new identifier.
    makes: [
      OWN,
      ({ resource, now, last }) =>
        isGone(now.exchange)
          ? movedBy(read, resource, last("change")!)
          : undefined,
    ],
    holds: [missingFault("changed"), (life) => views.faultIn(life)],
    ends: (life) => !isSuccess(life.now.exchange) && !hasMoved(life),
  };
  const again: Step = {
    does: "again",
    operation: read,
    sends: atLocation,
    after: ["read", isSuccess],
    holds: [(life) => {
      if (create === undefined) lives.followed++;
      return keeper.judge(life);
    }],
  };
  return changes.flatMap(([operation, input]) => [
    { does: "change", operation, input, isMeant: true },
    look,
    { ...look, after: ["read", isGone] },
    again,
  ]);
}

/** Whether the latest reading was not at the path of the resource. */
function hasMoved({ now: { input, step }, resource }: Life): boolean {
  const { route } = step.operation;
  return pathOf(route, input) !== pathOf(route, resource.captures);
}

/** Adds an item below the resource, and repeats the last change, which must keep it. */
function addition({ views }: Lives, { changes }: Lifecycle): Step[] {
  const [operation, input] = changes.at(-1) ?? [];
  // A list in the body may replace the items.
  const isPlain = operation && !planOf(operation, input!).body?.includes("[");
  if (!isPlain) return views.additions();
  return [
    ...views.additions(),
    {
      does: "change",
      operation,
      input,
      isMeant: true,
      when: ({ resources }) => resources.has(ITEM),
    },
    ...views.itemReadings({ after: ["change", isDone], holds: [lostFault] }),
  ];
}

/** Creates a resource like the first one. */
function sibling(lives: Lives, { input }: Lifecycle): Step[] {
  return [{
    does: "create sibling",
    operation: lives.kind.create!,
    input,
    when: ({ resources }) => resources.has(ITEM),
    makes: [SIBLING, (life) => {
      const next = madeBy(lives, life);
      const isOther = next?.id !== undefined && next.id !== life.resource.id;
      return isOther ? next : undefined;
    }],
  }, ...lives.views.itemReadings({ of: SIBLING, holds: [sharedFault] })];
}

/** Sends a deletion whose path names another parent, where `GET` finds nothing. */
function misplacedRemoval({ kind, sender }: Lives): Step[] {
  const { read, remove } = kind;
  const elsewhere = ({ resource: { captures } }: Life) => {
    const { params, wildcard } = captures;
    const other = sender.pool.capturesOf(read.route.segments.slice(0, -1))
      .find((each) =>
        Object.entries(each.params).some(([name, id]) => params[name] !== id)
      );
    return other &&
      { captures: { params: { ...params, ...other.params }, wildcard } };
  };
  return [{
    does: "look elsewhere",
    operation: read,
    of: elsewhere,
  }, {
    does: "remove elsewhere",
    operation: remove!,
    of: elsewhere,
    after: ["look elsewhere", isGone],
  }, {
    does: "read",
    operation: read,
    sends: atLocation,
    after: ["remove elsewhere", isDone],
    holds: [misplacedFault],
  }];
}

function misplacedFault({ done, now: { exchange } }: Life): Fault | undefined {
  const { step, exchange: { plan } } = done.at(-2)!;
  const expected =
    `the resource at "${exchange.plan.target}", since ${step.operation.name} was sent to "${plan.target}", where GET finds nothing`;
  return isGone(exchange)
    ? statusFault(200, { expected, ...seenOf(exchange) })
    : undefined;
}

/** Deletes the resource, which can then be read no more. */
function removal({ kind: { read, remove } }: Lives): Step[] {
  return [{
    does: "remove",
    operation: remove!,
    isMeant: true,
    ends: ({ now }) => !isDone(now.exchange),
  }, {
    does: "read",
    operation: read,
    sends: atLocation,
    after: ["remove", isDone],
    holds: [
      ({ now: { exchange: { status, plan } } }) =>
        isSuccess({ status })
          ? statusFault(404, {
            expected: `a 404, since "${plan.target}" was deleted`,
            seen: `a ${status}`,
          })
          : undefined,
    ],
  }];
}

/** Finds what still shows the deleted resource. */
function hidden({ views }: Lives): Step[] {
  return views.endings();
}
