import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { shorten } from "../../core/common/values.ts";
import { failureOf, seenOf } from "../checks.ts";
import {
  type Input,
  inputAt,
  isValid,
  KEY,
  pathInput,
  validatedBody,
} from "../generate/input.ts";
import type { Planned } from "../generate/planned.ts";
import { operationOn } from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import {
  type Done,
  type Judgement,
  type Life,
  type Part,
  type Step,
  tell,
} from "../search/life.ts";
import { existing, type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import { pageItems } from "./pages.ts";
import { isGone, isSuccess } from "./resource.ts";
import {
  declaresHeader,
  type Repetition,
  RUNS,
  tellVersions,
  withHeader,
} from "./versions.ts";

/** Tests that conditional requests, and requests with a key, can be repeated. */
export async function repeatsProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const isTagged = operation.method === "GET" && !isLive(operation);
  const story = declaresHeader(operation, KEY)
    ? tellKeys
    : isTagged
    ? tellVersions
    : operation.method === "PUT"
    ? tellPut
    : undefined;
  if (story === undefined) return undefined;
  const acceptance = new Acceptance();
  let runs = 0;
  const onRepeat = () => void runs++;
  const found = await withInputs(
    sender,
    operation,
    (inputs) => story({ sender, operation, acceptance, onRepeat }, inputs),
  );
  return found.counterexample !== undefined
    ? { ...found, runs: 1 }
    : acceptance.resultOf(sender, operation, { ...found, runs });
}

/** A repeated `PUT` still finds a resource that `GET` finds. */
function tellPut(
  { sender, operation, acceptance, onRepeat }: Repetition,
  inputs: Planned<Input>,
): Promise<Search> {
  const { segments } = operation.route;
  const last = segments.findLastIndex(({ kind }) => kind !== "static");
  const path = { segments: segments.slice(0, last + 1) };
  const read = operationOn(sender.subject.operations, path);
  return tell(sender, {
    values: existing(sender, operation, inputs),
    runs: RUNS,
    acceptance,
    *steps(input, life) {
      const put = { does: "put", operation, input, isNeeded: true };
      yield { ...put, isMeant: true };
      if (!isSuccess(life.now.exchange) || read === undefined) return;
      yield put;
      onRepeat();
      if (!isGone(life.now.exchange)) return;
      const own = pathInput(input);
      yield { does: "read", operation: read, input: own, holds: [isNotFound] };
    },
  });
}

const isNotFound: Judgement = (life) => {
  const { step, exchange } = life.now;
  const expected =
    `a success again, since ${step.operation.name} finds the resource`;
  return isSuccess(exchange)
    ? { expected, ...seenOf(life.last("put")!) }
    : undefined;
};

/** Requests with one key have one effect and one response. */
async function tellKeys(
  { sender, operation, acceptance, onRepeat }: Repetition,
  inputs: Planned<Input>,
): Promise<Search> {
  const list = operationOn(sender.subject.operations, operation.route);
  const samples = await sender.samplesOf(operation);
  const keyed = await keysOf(operation, inputs.planned[0]!);
  const some = fc.constantFrom(...samples, inputs.planned[0]!);
  const valid = fc.oneof(some, inputs);
  return await tell(sender, {
    values: fc.tuple(existing(sender, operation, valid), inputs),
    runs: RUNS,
    acceptance,
    *steps([input, other], life) {
      const step = { operation, isNeeded: true };
      const own = pathInput(input);
      const counting = list && { does: "list", operation: list, input: own };
      const second = keyed(inputAt(other, input));
      const varied = { ...step, does: "other", input: second };
      const first = { ...step, does: "first", input: keyed(input) };
      yield { ...first, isMeant: true };
      const key = keyOf(life.now.exchange);
      if (key === undefined || !isSuccess(life.now.exchange)) return;
      const sends = withHeader(KEY, key);
      const again = { ...first, does: "again", sends };
      yield* counted(again, counting, [isRepeated, isSingle]);
      onRepeat();
      const holds = [isOtherRefused];
      if (refusalsOf(operation).length > 0) yield { ...varied, sends, holds };
      // The application may refuse another input.
      for (const input of [second, keyed(first.input)]) {
        if ((input.headers[KEY] ?? key) === key) return;
        const both = { ...step, does: "both", input, times: 2 };
        yield* counted(both, counting, [haveOneEffect]);
        if (bothFail(life)) return;
      }
    },
  });
}

/** Adds a new key, unless the schema requires keys of another pattern, and generates these. */
async function keysOf(
  operation: Operation,
  sample: Input,
): Promise<(input: Input) => Input> {
  const withNewKey = (input: Input) => {
    const headers = { ...input.headers, [KEY]: crypto.randomUUID() };
    return { ...input, headers };
  };
  const isAnyKey = await isValid(operation, withNewKey(sample));
  return isAnyKey ? withNewKey : (input) => input;
}

/** A step, and the readings of the list before and after it, with what must hold then. */
function* counted(
  step: Step,
  reading: Step | undefined,
  holds: readonly Judgement[],
): Part {
  if (reading === undefined) yield { ...step, holds };
  else yield* [reading, step, { ...reading, holds }];
}

function refusalsOf({ responses }: Operation): number[] {
  return [409, 422].filter((status) => responses.has(status));
}

function keyOf({ plan }: Exchange): string | undefined {
  return plan.headers[KEY];
}

const USED = "since the key was used before";

/** The numbers of items in the list before and after a request. */
function countsOf(life: Life): readonly [number, number] {
  // After 202, the server creates the item later.
  const isLater = life.last("first")!.status === 202;
  const [before = 0, after = 0] = isLater ? [] : life.all("list").slice(-2)
    .map((each) => pageItems(each)?.length ?? 0);
  return [before, after];
}

const isRepeated: Judgement = ({ done }) => {
  const first = done.find(({ step }) => step.does === "first")!.exchange;
  const again = done.find(({ step }) => step.does === "again")!;
  return isSameResponse(first, again.exchange) || isBusy(again) ? undefined : {
    expected: `${shown(first)} again, ${USED}`,
    seen: shown(again.exchange),
  };
};

const isSingle: Judgement = (life) => {
  const [before, after] = countsOf(life);
  return after <= before
    ? undefined
    : { expected: `${before} items, ${USED}`, seen: `${after} items` };
};

const isOtherRefused: Judgement = async ({ done, now }) => {
  // A schema may make two bodies equal, such as by removing outer spaces.
  const [body, other] = await Promise.all(
    [done.find(({ step }) => step.does === "first")!, now]
      .map(({ step, input }) => validatedBody(step.operation, input)),
  );
  const refusals = refusalsOf(now.step.operation).join(" or ");
  const expected = `a ${refusals} to another body, ${USED}`;
  return isDeepStrictEqual(body, other) || !isSuccess(now.exchange)
    ? undefined
    : { expected, ...seenOf(now.exchange) };
};

/** The latest two requests that were sent at once. */
function bothOf({ done }: Life): readonly Done[] {
  return done.filter(({ step }) => step.does === "both").slice(-2);
}

/** Whether both fail: the property `failure` reports a request that fails with any key. */
function bothFail(life: Life): boolean {
  return bothOf(life)
    .every((each) => each.exchange.status === 500 || isBusy(each));
}

const haveOneEffect: Judgement = (life) => {
  const both = bothOf(life);
  const [one, other] = both.map(({ exchange }) => exchange);
  const [before, after] = countsOf(life);
  const hasFailed = both.some(({ exchange }) => failureOf(exchange));
  const isOnce = !hasFailed && after - before <= 1 &&
    (both.some(isBusy) || isSameResponse(one!, other!));
  return isOnce || bothFail(life) ? undefined : {
    expected: "one effect of two requests at once that have the same key",
    seen: `${shown(one!)} and ${shown(other!)}, and ${
      after - before
    } more items`,
  };
};

/** Whether the response says that the first request with the key still runs. */
function isBusy({ step, exchange: { status } }: Done): boolean {
  return (status === 409 || status === 425) &&
    step.operation.responses.has(status);
}

/** The parts of a response that a repeated request must return again. */
function partsOf(exchange: Exchange): unknown[] {
  const { status, headers, body } = exchange;
  return [status, headers.get("location"), jsonOf(exchange) ?? String(body)];
}

/** Whether two responses are equal; the order of the members of JSON may change. */
function isSameResponse(a: Exchange, b: Exchange): boolean {
  return isDeepStrictEqual(partsOf(a), partsOf(b));
}

function shown(exchange: Exchange): string {
  return shorten(JSON.stringify(partsOf(exchange)), 200);
}
