import fc from "fast-check";
import { seenOf } from "../checks.ts";
import { type Input, VERSION } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import type { Planned } from "../generate/planned.ts";
import { isWithin, keyOf } from "../generate/pool.ts";
import { hasBody, type Operation } from "../operation.ts";
import { distinct } from "../search/borrow.ts";
import {
  type Done,
  type Judgement,
  type Life,
  type Part,
  type Step,
  tell,
} from "../search/life.ts";
import { existing, inputsOr, type Search } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import type { Exchange } from "../send/exchange.ts";
import type { Acceptance } from "./acceptance.ts";
import { createdOf, isSuccess, type Resource } from "./resource.ts";

/** The number of inputs to repeat, and of tries to send two requests at once. */
export const RUNS = 5;

/** An operation whose requests are repeated. */
export interface Repetition {
  readonly sender: Sender;
  readonly operation: Operation;
  readonly acceptance: Acceptance;
  /** Called after a request was repeated. */
  readonly onRepeat: () => void;
}

export function declaresHeader(operation: Operation, name: string): boolean {
  return parameterNames(operation, "headers")
    .some((each) => each.toLowerCase() === name);
}

export function withHeader(
  name: string,
  value: string,
): Step["sends"] & object {
  return ({ hasVersion = false, headers, ...plan }) => ({
    ...plan,
    headers: { ...headers, [name]: value },
    hasVersion: hasVersion && name !== VERSION,
  });
}

/** The changes of a resource and below it, in the order in which they are sent. */
function changesOf({ subject }: Sender, { route }: Operation): Operation[] {
  // An action below a resource, such as `POST /notes/7/close`, may end its changes. Items
  // must exist before their changes, and before the end of a draft.
  const rankOf = (each: Operation) =>
    [
      each.route === route && /^P(?:UT|ATCH)$/.test(each.method),
      placeCreatedBy(subject, each) !== undefined,
      each.method !== "POST",
    ].concat(true).indexOf(true);
  return subject.operations
    .filter((each) => !/^(?:GET|HEAD)$/.test(each.method))
    .filter((each) => isWithin(each.route, route))
    .sort((a, b) =>
      rankOf(a) - rankOf(b) ||
      a.route.segments.length - b.route.segments.length
    );
}

/** Whether a change checks the version of what is read. */
function isGuarded({ route }: Operation, change: Operation): boolean {
  return change.route === route &&
    (change.responses.has(412) || declaresHeader(change, VERSION));
}

/** Inputs of a change with different bodies: a generated one, accepted ones, and others. */
async function inputsOfChange(
  sender: Sender,
  read: Operation,
  change: Operation,
): Promise<fc.Arbitrary<Input[]>> {
  const isChecked = isGuarded(read, change);
  const accepted = isChecked && hasBody(change)
    ? await sender.acceptedOf(change)
    : [];
  const length = isChecked ? RUNS : 1;
  const inputs = await inputsOr(sender, change);
  return fc.tuple(
    fc.array(inputs, { minLength: length, maxLength: length }),
    fc.shuffledSubarray(accepted, { minLength: accepted.length }),
  ).map(([[first, ...others], accepted]) =>
    distinct(
      [first, ...accepted, ...others].filter((each) => each !== undefined),
    )
  );
}

/** Makes an `If-Match` that an ETag fits. */
type Condition = (tag: string) => string;

const CONDITIONS: readonly Condition[] = [
  (tag) => tag,
  (tag) => `"x", ${tag}`,
  () => "*",
];

/** Reads a resource before and after its changes, and with conditions. */
export async function tellVersions(
  { sender, operation, acceptance, onRepeat }: Repetition,
  inputs: Planned<Input>,
): Promise<Search> {
  const create = creatorOf(sender, operation);
  const changes = changesOf(sender, operation);
  const inputsOfAll: fc.Arbitrary<Input[]>[] = [];
  for (const each of changes) {
    inputsOfAll.push(await inputsOfChange(sender, operation, each));
  }
  return await tell(sender, {
    values: fc.record({
      // Without a creation, an existing resource is read.
      created: fc.option(await inputsOr(sender, create), {
        ...{ freq: 2, nil: undefined },
      }),
      input: existing(sender, operation, inputs),
      condition: fc.constantFrom(...CONDITIONS),
      all: fc.tuple(...inputsOfAll),
    }),
    runs: RUNS,
    acceptance,
    *steps({ created, input, condition, all }, life) {
      const step = { does: "create", operation: create!, input: created };
      const exchange = created && (yield step);
      const of = exchange && createdNow(life);
      const read: Step = { does: "read", operation, input, of };
      if (!(yield* reading(life, read, onRepeat))) return;
      // Changes find their resources here: the one that is read, and items below it.
      const resources: Resource[] = [{ captures: life.now.input }];
      for (const [index, change] of changes.entries()) {
        const inputs = all[index]!;
        const changed = { life, read, change, inputs, resources };
        const isChecked = isGuarded(operation, change);
        const given = isChecked ? { ...changed, condition } : changed;
        if (isChecked) acceptance.expect(change);
        if (!(yield* changing(given))) return;
        if (isChecked) yield* outdating(changed, acceptance);
      }
    },
  });
}

/** The operation that creates the resources of a path. */
function creatorOf(
  { subject: { places } }: Sender,
  { route: { segments } }: Operation,
): Operation | undefined {
  const last = segments.findLastIndex(({ kind }) => kind !== "static");
  const path = keyOf(segments.slice(0, last + 1));
  return places.find((each) => keyOf(each.segments) === path)?.create;
}

/** The resource that the latest request created. */
function createdNow(
  { sender: { subject }, now: { step, exchange, input } }: Life,
): Resource | undefined {
  const place = placeCreatedBy(subject, step.operation);
  const made = place && createdOf(subject, place, exchange, input);
  return made?.id === undefined ? undefined : made;
}

/** Reads twice without a change; returns whether changes must change the ETag. */
function* reading(
  life: Life,
  read: Step,
  onRepeat: () => void,
): Part<boolean> {
  yield { ...read, isNeeded: true };
  const { tag, isTagged } = readingOf(life.now.exchange);
  if (!isTagged) return false;
  yield { ...read, holds: [hasSameTag] };
  // A representation may contain the time of its response.
  if (latest(life).hasChanged) return false;
  onRepeat();
  const sends = withHeader("if-none-match", tag);
  yield { ...read, does: "known", sends, holds: [isNotModified] };
  // A weak ETag need not change with each byte.
  return !tag.startsWith("W/");
}

/** A change in a life, and the inputs to try. */
interface Change {
  readonly life: Life;
  readonly read: Step;
  readonly change: Operation;
  readonly inputs: readonly Input[];
  readonly resources: Resource[];
  readonly condition?: Condition;
}

/**
 * Changes and reads a resource, until another representation is read. Returns whether the
 * latest one has an ETag.
 */
function* changing(given: Change): Part<boolean> {
  const { life, read, change, inputs, resources, condition } = given;
  const isOwn = change.route === read.operation.route;
  // The other changes need the resource.
  if (isOwn && change.method === "DELETE") return true;
  for (const input of inputs) {
    const { tag } = latest(life).now;
    const of = resourceOf(given);
    const exchange = of && (yield {
      ...{ does: "change", operation: change, input, of },
      ...(isOwn && { sends: withHeader(VERSION, condition?.(tag) ?? tag) }),
      isMeant: condition !== undefined,
    });
    if (exchange === undefined) continue;
    resources.push(...[createdNow(life)].filter((each) => each !== undefined));
    if (!isSuccess(exchange) && !(condition && exchange.status === 412)) {
      continue;
    }
    yield { ...read, holds: [isMatched, hasNewTag] };
    if (!latest(life).now.isTagged) return false;
    const sends = withHeader("if-none-match", tag);
    const { hasChanged, outdated } = latest(life);
    if (hasChanged) {
      yield { ...read, does: "old", sends, holds: [isSentAgain] };
    }
    if (outdated !== undefined) break;
  }
  return true;
}

/** Changes with an outdated version, until one is rejected for its version. */
function* outdating(
  given: Change,
  acceptance: Acceptance,
): Part {
  const { life, read, change, inputs } = given;
  // The first input may equal the present state.
  for (const input of [...inputs.slice(1), ...inputs.slice(0, 1)]) {
    const { outdated } = latest(life);
    if (outdated === undefined) return;
    const of = resourceOf(given);
    const sends = withHeader(VERSION, outdated);
    const step = { does: "outdated", operation: change, input, of, sends };
    const exchange = of && (yield step);
    if (exchange === undefined) continue;
    const { status } = exchange;
    acceptance.add(change, status, status === 412);
    yield { ...read, holds: [isUnchanged] };
    if (status === 412) return;
  }
}

/** Finds the resource of a change: the one that is read, an item, or an existing one. */
function resourceOf(
  { life, change: { route: { segments } }, resources }: Change,
): Pick<Resource, "captures"> | undefined {
  const [{ captures: own }] = resources as [Resource];
  const existing = life.sender.pool.capturesOf(segments)
    .map((captures) => ({ captures }));
  return [...resources, ...existing].find(({ captures: { params } }) =>
    Object.entries(own.params).every(([name, text]) => params[name] === text) &&
    segments.every((each) => each.kind !== "dynamic" || each.name in params)
  );
}

/** The parts of a response to a reading. */
interface Reading {
  readonly status: number | undefined;
  readonly tag: string;
  readonly text: string;
  readonly isTagged: boolean;
  readonly seen: string;
}

function readingOf(exchange: Exchange): Reading {
  const { status, headers, body } = exchange;
  const tag = headers.get("etag") ?? "";
  return {
    status,
    tag,
    text: new TextDecoder().decode(body),
    isTagged: isSuccess(exchange) && tag !== "",
    seen: `a ${status} with ETag ${tag}`,
  };
}

/** The latest two readings without a condition. */
interface Latest {
  readonly before: Reading;
  readonly now: Reading;
  readonly hasChanged: boolean;
  /** The latest ETag of another representation. */
  readonly outdated: string | undefined;
}

function latest(life: Life): Latest {
  const all = life.all("read").map(readingOf);
  const now = all.at(-1)!;
  const before = all.at(-2) ?? now;
  const hasChanged = before.text !== now.text;
  const { tag: outdated } = all
    .findLast(({ tag, text }) => tag !== now.tag && text !== now.text) ?? {};
  return { before, now, hasChanged, outdated };
}

/** The latest change. */
function changeOf({ done }: Life): Done {
  return done.findLast(({ step }) => step.does === "change")!;
}

const hasSameTag: Judgement = (life) => {
  const { before: { tag }, now, hasChanged } = latest(life);
  const expected = `the ETag ${tag} again, since nothing changed`;
  return hasChanged || now.tag === tag
    ? undefined
    : { expected, seen: now.seen };
};

const isNotModified: Judgement = (life) => {
  const { tag } = latest(life).now;
  const known = readingOf(life.now.exchange);
  const isKnown = known.status === 304
    ? known.tag.replace(/^W\//, "") === tag.replace(/^W\//, "")
    : !life.now.step.operation.responses.has(304);
  const expected = `a 304 with ETag ${tag}, which the client has`;
  return isKnown ? undefined : { expected, seen: known.seen };
};

const isMatched: Judgement = (life) => {
  const { exchange: { status, plan }, step: { operation } } = changeOf(life);
  const { before, now: { tag } } = latest(life);
  const expected =
    `a status other than 412 to ${operation.name} with If-Match: ${
      plan.headers[VERSION]
    }`;
  return status === 412 && tag === before.tag
    ? { expected, seen: `a 412 at ETag ${tag}` }
    : undefined;
};

const hasNewTag: Judgement = (life) => {
  const { before, now, hasChanged } = latest(life);
  const { name } = changeOf(life).step.operation;
  const expected = `another ETag, since ${name} changed the representation`;
  return hasChanged && now.isTagged && now.tag === before.tag
    ? { expected, seen: now.seen }
    : undefined;
};

const isSentAgain: Judgement = (life) => {
  const { status, seen } = readingOf(life.now.exchange);
  const { name } = changeOf(life).step.operation;
  const expected =
    `a 200 to the old ETag, since ${name} changed the representation`;
  return status === 304 ? { expected, seen } : undefined;
};

const isUnchanged: Judgement = (life) => {
  const { exchange, step: { operation: { method } } } = life.done.at(-2)!;
  const expected = `a 412 to ${method} with an old ETag, and no change`;
  const seen = seenOf(exchange);
  return latest(life).hasChanged
    ? { expected, ...seen, seen: `${seen.seen}, and a change` }
    : undefined;
};
