import { failureOf, type Fault, statusFault } from "../checks.ts";
import { idNameOf, operationOn } from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import type { Judgement, Life, Part, Step } from "../search/life.ts";
import { placeCreatedBy } from "../search/subject.ts";
import type { Exchange } from "../send/exchange.ts";
import { partFault } from "./members.ts";
import {
  createdOf,
  isDone,
  isSuccess,
  operationsBelow,
  type Resource,
  targetOf,
} from "./resource.ts";
import { createdNow, type Followed } from "./followed.ts";

/**
 * Deletes the resource, and creates it again with the same input, several times. If each
 * has the identifier of the one before, the last two must look like the first two, which
 * had no parts, except for identifiers and times.
 */
export function* succession(it: Followed): Part {
  const { kind: { read, remove }, sender: { subject }, changes } = it;
  const below = operationsBelow(subject, read.route)
    .filter((each) => !isLive(each));
  const { adding = [], acting = [] } = Object.groupBy(
    below.filter(({ method }) => /^P/.test(method)),
    (each) => isAdding(it, below, each) ? "adding" : "acting",
  );
  const removal: Step = { does: "remove", operation: remove! };
  const acts = [...acting.map((each) => [each] as const), ...changes];
  const parts: Step[] = [];
  // The resource may already have parts, or its existence may prevent its creation.
  yield { ...removal, of: it.resource };
  let id: string | undefined;
  for (let round = 0; true; round++) {
    const of = yield* creation(it, round);
    if (of === undefined || (id ??= of.id) !== of.id) return;
    yield* looks(it, below, of);
    const holds = [(life: Life) => partKept(life, targetOf(read, of))];
    yield* parts.map((each) => ({ ...each, holds }));
    if (round === 1) parts.push(...yield* additions(it, adding, of));
    // Other operations may prevent the deletion.
    for (const [operation, input] of round === 2 ? acts : []) {
      yield { does: "act", operation, input, of };
    }
    if (round === 3) return;
    const removed = yield { ...removal, of };
    if (!removed || !isDone(removed)) return;
  }
}

/** Whether an operation adds a part that a `GET` may read. */
function isAdding(
  { sender: { subject } }: Followed,
  below: readonly Operation[],
  operation: Operation,
): boolean {
  return operation.responses.has(201) ||
    placeCreatedBy(subject, operation) !== undefined ||
    below.some(({ method, route }) =>
      method === "GET" && route === operation.route
    );
}

/** Creates the resource again. */
function* creation(
  it: Followed,
  round: number,
): Part<Resource | undefined> {
  const { kind: { create, read, changes: [put] }, input } = it;
  const made = (exchange: Exchange): Resource | undefined => {
    if (create !== undefined) return createdNow(it, exchange);
    const id = input.params[idNameOf(read.route)];
    return isDone(exchange) ? { captures: input, id } : undefined;
  };
  const created = yield {
    ...{ does: "create again", operation: (create ?? put)!, input },
    // The first creation shows whether the input can be used again.
    holds: [
      ({ now: { exchange } }) =>
        round > 0 && made(exchange) === undefined
          ? failureOf(exchange)
          : undefined,
    ],
  };
  return created && made(created);
}

/** Reads the resource and its views, which must look new. */
function looks(
  { kind: { read } }: Followed,
  below: readonly Operation[],
  of: Resource,
): Step[] {
  const looksNew: Judgement = ({ done, now: { step, exchange } }) => {
    const all = done.filter((each) =>
      each.step.does === "look" && each.step.operation === step.operation
    ).map(({ exchange }) => exchange);
    return all.length < 3 ? undefined : partFault(exchange, all.slice(0, 2), {
      ids: of.id === undefined ? [] : [of.id],
      expected: `"${exchange.plan.target}" as after the first creation of "${
        targetOf(read, of)
      }", which was deleted and created again`,
    });
  };
  const views = below.filter(({ method }) => method === "GET");
  return [read, ...views].map((operation) => ({
    ...{ does: "look", operation, of, holds: [looksNew] },
  }));
}

/** Adds parts to a resource, and returns the steps that read them. */
function* additions(
  { sender: { subject } }: Followed,
  adding: readonly Operation[],
  of: Resource,
): Part<Step[]> {
  const steps: Step[] = [];
  for (const operation of adding) {
    const added = yield { does: "add", operation, of };
    const place = placeCreatedBy(subject, operation);
    const reader = place && operationOn(subject.operations, place);
    const part = added && place &&
      createdOf(subject, place, added, of.captures);
    if (reader && part) {
      steps.push({ does: "read part", operation: reader, of: part });
    }
  }
  return steps;
}

function partKept(
  { now: { step: { operation }, exchange } }: Life,
  target: string,
): Fault | undefined {
  return isSuccess(exchange)
    ? statusFault(404, {
      expected: `a 404, since "${target}" was deleted and created again`,
      seen: `a ${exchange.status}, from ${operation.name}`,
    })
    : undefined;
}
