import fc from "fast-check";
import { seenOf } from "../checks.ts";
import { type Input, VERSION } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import type { Planned } from "../generate/planned.ts";
import { isWithin, keyOf } from "../generate/pool.ts";
import { hasBody, type Operation } from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import {
  type Done,
  type Judgement,
  type Life,
  OWN,
  type PlanChange,
  type Step,
  tell,
} from "../search/life.ts";
import { existing, inputsOr, type Search } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import type { Acceptance } from "./acceptance.ts";
import { createdOf, isSuccess, type Resource } from "./resource.ts";

/** The number of inputs to repeat, and of tries to send two requests at once. */
export const RUNS = 5;

/** What is repeated. */
export interface Repetition {
  readonly sender: Sender;
  readonly operation: Operation;
  readonly acceptance: Acceptance;
  /** Counts a life in which a request was repeated. */
  readonly counts: Judgement;
}

export function declaresHeader(operation: Operation, name: string): boolean {
  return parameterNames(operation, "headers")
    .some((each) => each.toLowerCase() === name);
}

export function withHeaders(plan: RequestPlan, headers: Strings): RequestPlan {
  const { hasVersion = false } = plan;
  return {
    ...plan,
    headers: { ...plan.headers, ...headers },
    hasVersion: hasVersion && headers[VERSION] === undefined,
  };
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
  change: Operation,
): Promise<fc.Arbitrary<Input[]>> {
  const inputs = await inputsOr(sender, change);
  const accepted = [...sender.acceptedOf(change)];
  return fc.tuple(
    fc.array(inputs, { minLength: RUNS, maxLength: RUNS }),
    fc.shuffledSubarray(accepted, { minLength: accepted.length }),
  ).map(([[first, ...others], accepted]) => {
    const all = [first, ...accepted, ...others]
      .filter((each) => each !== undefined);
    // Most planned inputs change other parts than the body.
    const byBody = Map.groupBy(all, ({ body }) => JSON.stringify(body));
    return byBody.values().map(([first]) => first!).toArray();
  });
}

/** Makes an `If-Match` that an ETag fits. */
type Condition = (tag: string) => string;

/** Reads a resource before and after its changes, and with conditions. */
export async function tellVersions(
  { sender, operation, acceptance, counts }: Repetition,
  inputs: Planned<Input>,
): Promise<Search> {
  const changes = changesOf(sender, operation);
  for (const each of changes) {
    if (isGuarded(operation, each) && hasBody(each)) await sender.learn(each);
  }
  const inputsOfAll = changes.map((each) => inputsOfChange(sender, each));
  const values = fc.record({
    created: await creationsOf(sender, operation),
    input: existing(sender, operation, inputs),
    condition: fc.constantFrom<Condition>(
      (tag) => tag,
      (tag) => `"x", ${tag}`,
      () => "*",
    ),
    all: fc.tuple(...await Promise.all(inputsOfAll)),
  });
  return await tell(sender, {
    values,
    runs: RUNS,
    acceptance,
    *steps({ created, input, condition, all }) {
      const read: Step = { does: "read", operation, input };
      yield* [...created, ...reading(read, counts)];
      for (const [index, change] of changes.entries()) {
        const inputs = all[index]!;
        const isChecked = isGuarded(operation, change);
        if (isChecked) acceptance.expect(change);
        yield* isChecked
          ? changing(read, change, inputs, condition)
          : changing(read, change, inputs.slice(0, 1));
        if (isChecked) yield* outdating(read, change, inputs, acceptance);
      }
    },
  });
}

/** The creation of a resource, or none, so that an existing resource is read. */
async function creationsOf(
  sender: Sender,
  { route: { segments } }: Operation,
): Promise<fc.Arbitrary<Step[]>> {
  const last = segments.findLastIndex(({ kind }) => kind !== "static");
  const path = keyOf(segments.slice(0, last + 1));
  const place = sender.subject.places
    .find((each) => keyOf(each.segments) === path);
  const create = place?.create;
  if (create === undefined) return fc.constant([]);
  const found = await sender.inputsOf(create);
  if ("missing" in found) return fc.constant([]);
  const inputs = existing(sender, create, found.arbitrary);
  return fc.option(inputs, { nil: undefined, freq: 3 }).map((input) =>
    input === undefined ? [] : [{
      ...{ does: "create", operation: create, input },
      makes: [OWN, createdNow],
    }]
  );
}

/** The resource that the latest request created. */
function createdNow(
  { sender: { subject }, now: { step, exchange, input } }: Life,
): Resource | undefined {
  const place = placeCreatedBy(subject, step.operation);
  const made = place && createdOf(subject, place, exchange, input);
  return made?.id === undefined ? undefined : made;
}

/** Readings without a change between them. */
function reading(read: Step, counts: Judgement): Step[] {
  return [
    { ...read, isNeeded: true, ends: (life) => !latest(life).isTagged },
    {
      ...read,
      // Later steps find the path of the resource here.
      makes: [OWN, ({ now }) => ({ captures: now.input })],
      holds: [hasSameTag],
      // A representation may contain the time of its response.
      ends: hasChanged,
    },
    {
      ...{ ...read, does: "known", sends: ifNoneMatch(latest) },
      holds: [counts, isNotModified],
      // A weak ETag need not change with each byte.
      ends: (life) => latest(life).tag.startsWith("W/"),
    },
  ];
}

/** Changes and readings; with a condition, until the representation changes. */
function changing(
  read: Step,
  change: Operation,
  inputs: readonly Input[],
  condition?: Condition,
): Step[] {
  const isOwn = change.route === read.operation.route;
  // The other changes need the resource.
  if (isOwn && change.method === "DELETE") return [];
  const isShown = ({ now: { step, exchange } }: Life) =>
    step.does === "change" && (isSuccess(exchange) ||
      exchange.status === 412 && condition !== undefined);
  return inputs.flatMap((input, index): Step[] => [
    {
      ...{ does: "change", operation: change, input, of: resourceOf(change) },
      when: (life) => index === 0 || outdated(life) === undefined,
      sends: (plan, life) => {
        const { tag } = latest(life);
        return isOwn
          ? withHeaders(plan, { [VERSION]: condition?.(tag) ?? tag })
          : plan;
      },
      isMeant: condition !== undefined,
      makes: [change.name, createdNow],
    },
    {
      ...{ ...read, when: isShown, holds: [isMatched, hasNewTag] },
      ends: (life) => !latest(life).isTagged,
    },
    {
      ...{ ...read, does: "old", sends: ifNoneMatch(previous) },
      when: (life) => life.now.step.does === "read" && hasChanged(life),
      holds: [isSentAgain],
    },
  ]);
}

/** Changes with an outdated version, until one is rejected for its version. */
function outdating(
  read: Step,
  change: Operation,
  inputs: readonly Input[],
  acceptance: Acceptance,
): Step[] {
  const countsRejected: Judgement = ({ now: { exchange: { status } } }) => {
    acceptance.add(change, status, status === 412);
    return undefined;
  };
  // The first input may equal the present state.
  return [...inputs.slice(1), ...inputs.slice(0, 1)].flatMap((
    input,
  ): Step[] => [
    {
      ...{ does: "outdated", operation: change, input, of: resourceOf(change) },
      when: ({ done }) =>
        !done.some(({ step, exchange: { status } }) =>
          step.does === "outdated" && step.operation === change &&
          status === 412
        ),
      sends: (plan, life) => {
        const tag = outdated(life);
        return tag === undefined
          ? undefined
          : withHeaders(plan, { [VERSION]: tag });
      },
      holds: [countsRejected],
    },
    {
      ...{ ...read, when: ({ now }) => now.step.does === "outdated" },
      holds: [isUnchanged],
    },
  ]);
}

/** Finds the resource of a change: the one that is read, an item, or an existing one. */
function resourceOf(
  { route: { segments } }: Operation,
): (life: Life) => Resource | undefined {
  return ({ resources, sender, resource }: Life): Resource | undefined =>
    [
      ...resources.values(),
      ...sender.pool.capturesOf(segments).map((captures) => ({ captures })),
    ].find(({ captures: { params } }) =>
      Object.entries(resource.captures.params)
        .every(([name, text]) => params[name] === text) &&
      segments.every((each) => each.kind !== "dynamic" || each.name in params)
    );
}

/** What a reading shows. */
interface Reading {
  readonly status: number | undefined;
  readonly tag: string;
  readonly text: string;
  readonly isTagged: boolean;
  readonly seen: string;
}

function readingsOf(life: Life, does: string = "read"): Reading[] {
  return life.all(does).map((exchange) => {
    const { status, headers, body } = exchange;
    const tag = headers.get("etag") ?? "";
    return {
      status,
      tag,
      text: new TextDecoder().decode(body),
      isTagged: isSuccess(exchange) && tag !== "",
      seen: `a ${status} with ETag ${tag}`,
    };
  });
}

function latest(life: Life): Reading {
  return readingsOf(life).at(-1)!;
}

function previous(life: Life): Reading {
  return readingsOf(life).at(-2)!;
}

function hasChanged(life: Life): boolean {
  return previous(life).text !== latest(life).text;
}

/** The latest ETag of another representation. */
function outdated(life: Life): string | undefined {
  const { tag, text } = latest(life);
  return readingsOf(life)
    .findLast((each) => each.tag !== tag && each.text !== text)?.tag;
}

function ifNoneMatch(find: (life: Life) => Reading): PlanChange {
  return (plan, life) => withHeaders(plan, { "if-none-match": find(life).tag });
}

const hasSameTag: Judgement = (life) => {
  const { tag } = previous(life);
  const { tag: again, seen } = latest(life);
  return hasChanged(life) || again === tag
    ? undefined
    : { expected: `the ETag ${tag} again, since nothing changed`, seen };
};

const isNotModified: Judgement = (life) => {
  const { tag } = latest(life);
  const known = readingsOf(life, "known").at(-1)!;
  const { responses } = life.now.step.operation;
  const isKnown = known.status === 304
    ? known.tag.replace(/^W\//, "") === tag.replace(/^W\//, "")
    : !responses.has(304);
  const expected = `a 304 with ETag ${tag}, which the client has`;
  return isKnown ? undefined : { expected, seen: known.seen };
};

/** The latest change. */
function changeOf({ done }: Life): Done {
  return done.findLast(({ step }) => step.does === "change")!;
}

const isMatched: Judgement = (life) => {
  const { exchange: { status, plan }, step } = changeOf(life);
  const { tag } = latest(life);
  if (status !== 412 || tag !== previous(life).tag) return undefined;
  const given = plan.headers[VERSION];
  return {
    expected:
      `a status other than 412 to ${step.operation.name} with If-Match: ${given}`,
    seen: `a 412 at ETag ${tag}`,
  };
};

const hasNewTag: Judgement = (life) => {
  const { name } = changeOf(life).step.operation;
  const { tag, isTagged, seen } = latest(life);
  const isNew = !hasChanged(life) || tag !== previous(life).tag;
  const expected = `another ETag, since ${name} changed the representation`;
  return isNew || !isTagged ? undefined : { expected, seen };
};

const isSentAgain: Judgement = (life) => {
  const { name } = changeOf(life).step.operation;
  const { status, seen } = readingsOf(life, "old").at(-1)!;
  const expected =
    `a 200 to the old ETag, since ${name} changed the representation`;
  return status === 304 ? { expected, seen } : undefined;
};

const isUnchanged: Judgement = (life) => {
  const { exchange, step } = life.done.at(-2)!;
  const expected =
    `a 412 to ${step.operation.method} with an old ETag, and no change`;
  const seen = seenOf(exchange);
  return hasChanged(life)
    ? { expected, ...seen, seen: `${seen.seen}, and a change` }
    : undefined;
};
