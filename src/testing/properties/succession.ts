import { failureOf, type Fault, statusFault } from "../checks.ts";
import { idNameOf, operationOn } from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import { type Judgement, type Life, OWN, type Step } from "../search/life.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { partFault } from "./members.ts";
import {
  createdOf,
  isDone,
  isSuccess,
  operationsBelow,
  type Resource,
} from "./resource.ts";
import type { Lifecycle, Lives } from "./state.ts";

/**
 * Deletes the resource, and creates it again with the same input, several times. If each
 * has the identifier of the one before, the last two must look like the first two, which
 * had no parts, except for identifiers and times.
 */
export function succession(lives: Lives, lifecycle: Lifecycle): Step[] {
  const { kind: { read, remove }, sender: { subject } } = lives;
  const removal: Step = { does: "remove", operation: remove! };
  const removalAtLast: Step = {
    ...removal,
    ends: ({ now }) => !isDone(now.exchange),
  };
  const below = operationsBelow(subject, read.route)
    .filter((each) => !isLive(each));
  const views = [read, ...below.filter(({ method }) => method === "GET")];
  const { parts, acts } = actionsOf(lives, below, lifecycle);
  const readings = parts.flatMap(({ does, operation }): Step[] => {
    const place = placeCreatedBy(subject, operation);
    const reader = place && operationOn(subject.operations, place);
    return reader === undefined
      ? []
      : [{ does: "read part", operation: reader, of: does, holds: [partKept] }];
  });
  const looks = views.map((view) => ({
    does: `look at ${view.name}`,
    operation: view,
    holds: [hasNoParts],
  }));
  const again = creationOf(lives, lifecycle);
  // The resource may already have parts, or its existence may prevent its creation.
  return [
    removal,
    ...[again, ...looks, removalAtLast],
    ...[again, ...looks, ...parts, removalAtLast],
    ...[again, ...looks, ...readings, ...acts, removalAtLast],
    ...[again, ...looks, ...readings],
  ];
}

/** Creates the successor, which must have the identifier of the first one. */
function creationOf(
  { kind: { create, read, changes: [put] }, sender: { subject } }: Lives,
  { input }: Lifecycle,
): Step {
  const { segments } = read.route;
  const made = ({ now: { exchange } }: Life): Resource | undefined => {
    if (create) {
      return createdOf(subject, { create, segments }, exchange, input);
    }
    const id = input.params[idNameOf(read.route)];
    return isDone(exchange) ? { captures: input, id } : undefined;
  };
  const isOther = (life: Life) => {
    const [first, latest] = [life.resources.get(FIRST), made(life)];
    return latest === undefined || first?.id !== latest.id;
  };
  return {
    does: "create again",
    operation: (create ?? put)!,
    input,
    makes: [OWN, (life) => {
      const latest = made(life);
      if (latest) life.resources.getOrInsert(FIRST, latest);
      return latest;
    }],
    // The first one shows whether the input can be used again.
    holds: [
      (life) =>
        life.all("create again").length > 1 && made(life) === undefined
          ? failureOf(life.now.exchange)
          : undefined,
    ],
    ends: isOther,
  };
}

/** The name of the first resource of a succession. */
const FIRST = "first";

/** The requests that add parts to a resource, and other actions. */
function actionsOf(
  { sender: { subject } }: Lives,
  below: readonly Operation[],
  { changes }: Lifecycle,
): { parts: Step[]; acts: Step[] } {
  const actions = below.filter(({ method }) => /^P/.test(method));
  const isAdding = (operation: Operation) =>
    operation.responses.has(201) ||
    placeCreatedBy(subject, operation) !== undefined ||
    below.some(({ method, route }) =>
      method === "GET" && route === operation.route
    );
  const parts = actions.filter(isAdding).map((operation): Step => {
    const does = `add ${operation.name}`;
    return {
      does,
      operation,
      makes: [does, ({ resource, now: { exchange } }) => {
        const place = placeCreatedBy(subject, operation);
        return place && createdOf(subject, place, exchange, resource.captures);
      }],
    };
  });
  // Other operations may prevent the deletion.
  const others = actions.filter((each) => !isAdding(each))
    .map((operation) => [operation] as const);
  const acts = [...others, ...changes]
    .map(([operation, input]): Step => ({ does: "act", operation, input }));
  return { parts, acts };
}

/** Finds parts of an old resource in a new one. */
const hasNoParts: Judgement = (life) => {
  const { step: { does }, exchange } = life.now;
  const [first, second, ...later] = life.all(does);
  const { id } = life.resource;
  return later.length === 0
    ? undefined
    : partFault(exchange, [first!, second!], {
      ids: id === undefined ? [] : [id],
      expected: `"${exchange.plan.target}" as after the first creation of "${
        targetIn(life)
      }", which was deleted and created again`,
    });
};

function targetIn(life: Life): string {
  return life.done.find(({ step }) => step.does.startsWith("look at"))!
    .exchange.plan.target;
}

function partKept(life: Life): Fault | undefined {
  const { step: { operation }, exchange } = life.now;
  return isSuccess(exchange)
    ? statusFault(404, {
      expected: `a 404, since "${
        targetIn(life)
      }" was deleted and created again`,
      seen: `a ${exchange.status}, from ${operation.name}`,
    })
    : undefined;
}
