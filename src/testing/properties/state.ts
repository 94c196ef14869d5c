import fc from "fast-check";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import { planOf } from "../generate/input.ts";
import { idNameOf, unwrap } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { isAccepted } from "../report/report.ts";
import { type Judgement, type Life, type Part, tell } from "../search/life.ts";
import { type Search, withInputs } from "../search/search.ts";
import { operationOfLocation } from "../search/subject.ts";
import type { Sender } from "../search/sender.ts";
import { jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import {
  type Change,
  type Chapter,
  createdNow,
  type Followed,
  Lives,
  reading,
} from "./followed.ts";
import { Keeper } from "./kept.ts";
import { sentTo, sourceOf } from "./members.ts";
import {
  isDone,
  isGone,
  isInCookie,
  isSuccess,
  type Kind,
  kindOf,
  movedBy,
} from "./resource.ts";
import { succession } from "./succession.ts";
import { lostFault, sharedFault, viewing } from "./views.ts";

/** The number of resources to create with each `POST`. */
const RUNS = 50;

/** The maximum number of changes of each resource. */
const CHANGES = 2;

/**
 * The stories of resources. A sibling must not show an item that was added below the
 * resource, and a successor with its identifier must show nothing of it.
 */
function storiesOf({ create, remove }: Kind): readonly (readonly Chapter[])[] {
  const successor = remove ? [[creation, succession]] : [];
  if (create === undefined) {
    return [...Array(3).fill([creation, changes]), ...successor];
  }
  const end = remove ? [misplacedRemoval, removal, vanishing] : [];
  return [
    ...Array(3).fill([creation, shown, changes, ...end]),
    [creation, changes, shown, addition, ...end],
    [creation, changes, shown, addition, sibling],
    ...successor,
  ];
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
  const { views } = lives;
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    if (kind.create !== undefined) await views.prepare();
    return await tell(sender, {
      ...{ runs: RUNS, acceptance },
      values: fc.record({
        input: inputs,
        changes: await changesOf(sender, kind),
        story: fc.constantFrom(...storiesOf(kind)),
      }),
      *steps({ story, ...given }) {
        const keeper = new Keeper(kind, lives.values);
        const resource = { captures: given.input };
        const all = { ...given, lives, kind, views, sender, keeper, resource };
        for (const chapter of story) {
          if ((yield* chapter(all)) === false) return;
        }
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
function* creation(it: Followed): Part<boolean> {
  const { kind: { create, read }, lives, views, keeper, input } = it;
  if (create === undefined) {
    yield reading(it, { holds: [(life) => views.faultIn(life)] });
    yield reading(it, { holds: [keeper.judge] });
    return true;
  }
  const created = yield {
    ...{ does: "create", operation: create, input },
    ...{ isNeeded: true, isMeant: true },
    holds: [(life) => namelessFault(it, life)],
  };
  const resource = created && createdNow(it, created);
  if (resource === undefined) return false;
  it.resource = resource;
  const reached = operationOfLocation(it.sender.subject, created!)?.operation;
  const found = yield reading(it, {
    isMeant: true,
    holds: [
      (life) =>
        isInCookie(created!) ? undefined : missingFault(life, "created"),
      (life) => views.faultIn(life, reached ?? read),
    ],
  });
  if (!found || !isSuccess(found)) return false;
  lives.followed++;
  yield reading(it, { holds: [keeper.judge] });
  return resource.id !== undefined;
}

/** Reports an empty identifier in a response that names no resource. */
async function namelessFault(
  it: Followed,
  { now: { input, exchange } }: Life,
): Promise<Fault | undefined> {
  const { lives, kind: { create, read } } = it;
  if (createdNow(it, exchange) !== undefined) return undefined;
  lives.isNameless ||= isAccepted(exchange.status);
  const name = idNameOf(read.route);
  const { members, envelope } = unwrap(read.route, jsonOf(exchange));
  const sent = await sentTo(create!, input, members);
  const isEmpty = members[name] === "" && sent[name] !== "";
  return !isEmpty || !isDone(exchange) || lives.followed === 0 ? undefined : {
    expected: `"${name}" that identifies the created resource`,
    seen: `"${name}": ""`,
    assertion: `assertNotEquals(${sourceOf([...envelope, name])}, "");`,
  };
}

/** Reports a created or changed resource that is missing. */
function missingFault(
  { now: { exchange } }: Life,
  how: "created" | "changed",
): Fault | undefined {
  if (!isGone(exchange)) return undefined;
  const expected = `the ${how} resource at "${exchange.plan.target}"`;
  return statusFault(200, { expected, ...seenOf(exchange) });
}

/** Reads everything that may list or show the resource. */
function shown({ views, resource }: Followed): Part {
  return views.readings(resource);
}

/** Changes the resource, and reads it twice after each change. */
function* changes(it: Followed): Part<boolean> {
  const { kind: { create, read }, changes, keeper, views, lives } = it;
  for (const [operation, input] of changes) {
    const does = "change";
    const of = it.resource;
    const changed = yield { does, operation, input, of, isMeant: true };
    if (!changed || !isDone(changed)) continue;
    // A new title may lead to a new identifier.
    const moved = movedBy(read, of, changed);
    const holds: Judgement[] = [
      (life) => missingFault(life, "changed"),
      (life) => views.faultIn(life),
    ];
    let found = yield reading(it, { holds: moved ? holds.slice(1) : holds });
    if (moved && found && isGone(found)) {
      it.resource = moved;
      found = yield reading(it, { holds });
    }
    if (!found || !isSuccess(found)) return false;
    if (create === undefined) lives.followed++;
    yield reading(it, { holds: [keeper.judge] });
  }
  return true;
}

/** Adds an item below the resource, and repeats the last change, which must keep it. */
function* addition(it: Followed): Part {
  const { views, resource, changes } = it;
  const item = yield* views.addition(resource);
  if (item !== undefined) it.item = item;
  const [operation, input] = changes.at(-1) ?? [];
  // A list in the body may replace the items.
  const isPlain = operation && !planOf(operation, input!).body?.includes("[");
  if (item === undefined || !isPlain) return;
  const step = { does: "change", operation, input, isMeant: true };
  const changed = yield { ...step, of: resource };
  if (!changed || !isDone(changed)) return;
  yield viewing(item.list, {
    of: resource,
    holds: [(life) => lostFault(life, item)],
  });
}

/** Creates a resource like the first one. */
function* sibling(it: Followed): Part {
  const { kind: { create }, input, resource, item } = it;
  if (item === undefined) return;
  const does = "create sibling";
  const created = yield { does, operation: create!, input };
  const next = created && createdNow(it, created);
  if (next?.id === undefined || next.id === resource.id) return;
  yield viewing(item.list, {
    of: next,
    holds: [(life) => sharedFault(life, item)],
  });
}

/** Sends a deletion whose path names another parent, where `GET` finds nothing. */
function* misplacedRemoval(it: Followed): Part {
  const { kind: { read, remove }, sender: { pool }, resource } = it;
  const { params, wildcard } = resource.captures;
  const other = pool.capturesOf(read.route.segments.slice(0, -1))
    .find((each) =>
      Object.entries(each.params).some(([name, id]) => params[name] !== id)
    );
  if (other === undefined) return;
  const of = { captures: { params: { ...params, ...other.params }, wildcard } };
  const found = yield { does: "look elsewhere", operation: read, of };
  if (!found || !isGone(found)) return;
  const removed = yield { does: "remove elsewhere", operation: remove!, of };
  if (!removed || !isDone(removed)) return;
  const { target } = removed.plan;
  yield reading(it, {
    holds: [({ now: { exchange } }) =>
      isGone(exchange)
        ? statusFault(200, {
          expected: `the resource at "${exchange.plan.target}", since ${
            remove!.name
          } was sent to "${target}", where GET finds nothing`,
          ...seenOf(exchange),
        })
        : undefined],
  });
}

/** Deletes the resource, which can then be read no more. */
function* removal(it: Followed): Part<boolean> {
  const { kind: { remove }, views, resource: of } = it;
  const step = { does: "remove", operation: remove!, of, isMeant: true };
  const removed = yield step;
  if (!removed || !isDone(removed)) return false;
  yield reading(it, {
    holds: [
      ({ now: { exchange: { status, plan } } }) =>
        isSuccess({ status })
          ? statusFault(404, {
            expected: `a 404, since "${plan.target}" was deleted`,
            seen: `a ${status}`,
          })
          : undefined,
      (life) => views.faultIn(life),
    ],
  });
  return true;
}

/** Finds what still shows the deleted resource. */
function vanishing({ views, resource }: Followed): Part {
  return views.vanishing(resource);
}
