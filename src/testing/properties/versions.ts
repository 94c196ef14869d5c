import fc from "fast-check";
import { seenOf } from "../checks.ts";
import { type Input, VERSION } from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import type { Planned } from "../generate/planned.ts";
import { isWithin, keyOf, type Path } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { distinct } from "../search/borrow.ts";
import {
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
import { pick } from "./members.ts";
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

/** The path of the resource to which a path belongs, such as `/notes/[id]`. */
export function resourcePath({ segments }: Path): Path {
  const last = segments.findLastIndex(({ kind }) => kind !== "static");
  return { segments: segments.slice(0, last + 1) };
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
    .filter((each) => !each.isSafe)
    .filter((each) => isWithin(each.route, route))
    .sort((a, b) =>
      rankOf(a) - rankOf(b) ||
      a.route.segments.length - b.route.segments.length
    );
}

/** Whether a change checks the version of what is read. */
function isGuarded({ route, method }: Operation, change: Operation): boolean {
  // The tag of a `QUERY` is that of its result.
  return method !== "QUERY" && change.route === route &&
    (change.responses.has(412) || declaresHeader(change, VERSION));
}

/** Inputs of a change with different bodies: a generated one, accepted ones, and others. */
async function inputsOfChange(
  sender: Sender,
  read: Operation,
  change: Operation,
): Promise<fc.Arbitrary<Pick<Change, "change" | "inputs">>> {
  const isChecked = isGuarded(read, change);
  const accepted = isChecked && change.hasBody
    ? await sender.acceptedOf(change)
    : [];
  const length = isChecked ? RUNS : 1;
  const inputs = await inputsOr(sender, change);
  return fc.tuple(
    fc.array(inputs, { minLength: length, maxLength: length }),
    fc.shuffledSubarray(accepted, { minLength: accepted.length }),
  ).map(([[first, ...others], accepted]) => {
    const all = [first, ...accepted, ...others];
    const inputs = distinct(all.filter((each) => each !== undefined));
    return { change, inputs };
  });
}

/** Make an `If-Match` that an ETag fits. */
const CONDITIONS: readonly ((tag: string) => string)[] = [
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
  const creations = await inputsOr(sender, create);
  const changes = await Array.fromAsync(
    changesOf(sender, operation),
    (each) => inputsOfChange(sender, operation, each),
  );
  return await tell(sender, {
    values: fc.record({
      // Without a creation, an existing resource is read.
      created: fc.option(creations, { freq: 2, nil: undefined }),
      input: existing(sender, operation, inputs),
      condition: fc.constantFrom(...CONDITIONS),
      all: fc.tuple(...changes),
    }),
    ...{ runs: RUNS, acceptance },
    *steps({ created, input, condition, all }, life) {
      if (created) yield { does: "create", operation: create!, input: created };
      const [of] = createdIn(life);
      const read = { does: "read", operation, input, of, isNeeded: true };
      const first = (yield read)!;
      if (!isTagged(first)) return;
      const again = (yield { ...read, holds: [hasSameTag] })!;
      // A representation may contain the time of its response.
      if (textOf(again) !== textOf(first)) return;
      onRepeat();
      const sends = withHeader("if-none-match", tagOf(first));
      yield { ...read, does: "known", sends, holds: [isNotModified] };
      // A weak ETag need not change with each byte.
      if (tagOf(first).startsWith("W/")) return;
      for (const each of all) {
        yield* changing({ ...each, life, read, condition, acceptance });
        if (!isTagged(life.last("read")!)) return;
      }
    },
  });
}

/** The operation that creates what an operation reads. */
function creatorOf(
  { subject: { places } }: Sender,
  { route }: Operation,
): Operation | undefined {
  const path = keyOf(resourcePath(route).segments);
  return places.find(({ segments }) => keyOf(segments) === path)?.create;
}

/** The resources that the requests of a life created, in order. */
function createdIn({ sender: { subject }, done }: Life): Resource[] {
  return done.flatMap(({ step, exchange, input }) => {
    const place = placeCreatedBy(subject, step.operation);
    const made = place && createdOf(subject, place, exchange, input);
    return made?.id === undefined ? [] : [made];
  });
}

/** A change in a life, and the inputs to try. */
interface Change {
  readonly life: Life;
  readonly read: Step;
  readonly change: Operation;
  readonly inputs: readonly Input[];
  readonly condition: (tag: string) => string;
  readonly acceptance: Acceptance;
}

/** Changes and reads a resource, until another representation is read. */
function* changing(given: Change): Part {
  const { life, read, change, inputs, condition, acceptance } = given;
  const isChecked = isGuarded(read.operation, change);
  if (isChecked) acceptance.expect(change);
  const of = resourceOf(given);
  const isOwn = change.route === read.operation.route;
  // The other changes need the resource.
  const isTried = of && !(isOwn && change.method === "DELETE");
  for (const input of isTried ? inputs : []) {
    const tag = tagOf(life.last("read")!);
    const version = isChecked ? condition(tag) : tag;
    const exchange = yield {
      ...{ does: "change", operation: change, of },
      input: asClient(read, input),
      ...(isOwn && { sends: withHeader(VERSION, version) }),
      isMeant: isChecked,
    };
    const isRejected = isChecked && exchange?.status === 412;
    if (!exchange || !isSuccess(exchange) && !isRejected) continue;
    const now = (yield { ...read, holds: [hasNewTag] })!;
    if (!isTagged(now)) return;
    if (tagOf(now) !== tag) {
      const sends = withHeader("if-none-match", tag);
      yield { ...read, does: "old", sends, holds: [isSentAgain] };
    }
    if (outdatedIn(life) !== undefined) break;
  }
  if (isChecked) yield* outdating(given, of);
}

/**
 * The input of a change by the client of a reading. Other cookies, such as another
 * language, would select a representation with another tag.
 */
function asClient({ operation, input: read }: Step, input: Input): Input {
  const names = parameterNames(operation, "cookies");
  const others = pick(input.cookies, (name) => !names.includes(name));
  return { ...input, cookies: { ...others, ...read!.cookies } };
}

/** Changes with an outdated version, until one is rejected for its version. */
function* outdating(
  { life, read, change, inputs, acceptance }: Change,
  of: Step["of"],
): Part {
  // The first input may equal the present state.
  for (const input of [...inputs.slice(1), ...inputs.slice(0, 1)]) {
    const outdated = outdatedIn(life);
    if (outdated === undefined) return;
    const sends = withHeader(VERSION, outdated);
    const own = asClient(read, input);
    const step = { does: "outdated", operation: change, input: own, of, sends };
    const exchange = yield step;
    if (exchange === undefined) continue;
    const { status } = exchange;
    acceptance.add(change, status, status === 412);
    yield { ...read, holds: [isUnchanged] };
    if (status === 412) return;
  }
}

/** Finds the resource of a change: the one that is read, an item, or an existing one. */
function resourceOf({ life, change: { route } }: Change): Step["of"] {
  const own = life.done.find(({ step }) => step.does === "read")!.input;
  const existing = life.sender.pool.capturesOf(route.segments)
    .map((captures) => ({ captures }));
  const all = [{ captures: own }, ...createdIn(life), ...existing];
  return all.find(({ captures: { params } }) =>
    Object.entries(own.params).every(([name, text]) => params[name] === text) &&
    route.segments.every((each) =>
      each.kind !== "dynamic" || each.name in params
    )
  );
}

function tagOf({ headers }: Exchange): string {
  return headers.get("etag") ?? "";
}

function isTagged(exchange: Exchange): boolean {
  return isSuccess(exchange) && tagOf(exchange) !== "";
}

function textOf({ body }: Exchange): string {
  return new TextDecoder().decode(body);
}

function seenTag(exchange: Exchange): string {
  return `a ${exchange.status} with ETag ${tagOf(exchange)}`;
}

/** The latest ETag of another representation than the present one. */
function outdatedIn(life: Life): string | undefined {
  const now = life.last("read")!;
  const old = life.all("read").findLast((each) =>
    tagOf(each) !== tagOf(now) && textOf(each) !== textOf(now)
  );
  return old && tagOf(old);
}

const hasSameTag: Judgement = (life) => {
  const [before, now] = life.all("read").slice(-2) as [Exchange, Exchange];
  const expected = `the ETag ${tagOf(before)} again, since nothing changed`;
  return tagOf(before) === tagOf(now) || textOf(before) !== textOf(now)
    ? undefined
    : { expected, seen: seenTag(now) };
};

const isSentAgain: Judgement = ({ now: { exchange } }) =>
  exchange.status !== 304 ? undefined : {
    expected: "a 200 to the old ETag, since the representation has changed",
    seen: seenTag(exchange),
  };

const isNotModified: Judgement = (life) => {
  const { exchange: known, step: { operation } } = life.now;
  const tag = tagOf(life.last("read")!);
  const isKnown = known.status === 304
    ? tagOf(known).replace(/^W\//, "") === tag.replace(/^W\//, "")
    : !operation.responses.has(304);
  const expected = `a 304 with ETag ${tag}, which the client has`;
  return isKnown ? undefined : { expected, seen: seenTag(known) };
};

const hasNewTag: Judgement = (life) => {
  const [before, now] = life.all("read").slice(-2) as [Exchange, Exchange];
  const { step: { operation: { name } }, exchange } = life.done.at(-2)!;
  const tag = tagOf(now);
  if (tag !== tagOf(before)) return undefined;
  if (exchange.status === 412) {
    const version = exchange.plan.headers[VERSION];
    const expected =
      `a status other than 412 to ${name} with If-Match: ${version}`;
    return { expected, seen: `a 412 at ETag ${tag}` };
  }
  const expected = `another ETag, since ${name} changed the representation`;
  return isTagged(now) && textOf(before) !== textOf(now)
    ? { expected, seen: seenTag(now) }
    : undefined;
};

const isUnchanged: Judgement = (life) => {
  const [before, now] = life.all("read").slice(-2) as [Exchange, Exchange];
  const { step: { operation: { method } }, exchange } = life.done.at(-2)!;
  const expected = `a 412 to ${method} with an old ETag, and no change`;
  const seen = seenOf(exchange);
  return textOf(before) === textOf(now)
    ? undefined
    : { expected, ...seen, seen: `${seen.seen}, and a change` };
};
