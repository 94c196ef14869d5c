import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { shorten } from "../../core/common/values.ts";
import { failureOf, type Fault, seenOf } from "../checks.ts";
import {
  type Input,
  inputAt,
  KEY,
  pathInput,
  validatedBody,
} from "../generate/input.ts";
import type { Planned } from "../generate/planned.ts";
import { operationOn } from "../generate/pool.ts";
import { isLive, type Operation } from "../operation.ts";
import {
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
  resourcePath,
  RUNS,
  tellVersions,
  withHeader,
} from "./versions.ts";

/** Tests that conditional requests, and requests with a key, can be repeated. */
export async function repeatsProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const isTagged = operation.isSafe && !isLive(operation);
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
  const { operations } = sender.subject;
  const read = operationOn(operations, resourcePath(operation.route));
  return tell(sender, {
    values: existing(sender, operation, inputs),
    runs: RUNS,
    acceptance,
    *steps(input) {
      const put = { does: "put", operation, input, isNeeded: true };
      const first = (yield { ...put, isMeant: true })!;
      if (!isSuccess(first) || read === undefined) return;
      const again = (yield put)!;
      onRepeat();
      if (!isGone(again)) return;
      const own = pathInput(input);
      const found = yield { does: "read", operation: read, input: own };
      const expected = `a success again, since ${read.name} finds the resource`;
      if (found && isSuccess(found)) return { expected, ...seenOf(again) };
    },
  });
}

/** Requests with one key have one effect and one response. */
async function tellKeys(
  { sender, operation, acceptance, onRepeat }: Repetition,
  inputs: Planned<Input>,
): Promise<Search> {
  const samples = await sender.samplesOf(operation);
  const some = fc.constantFrom(...samples, inputs.planned[0]!);
  const valid = fc.oneof(some, inputs);
  return await tell(sender, {
    values: fc.tuple(existing(sender, operation, valid), inputs),
    runs: RUNS,
    acceptance,
    *steps([input, second], life) {
      const other = keyed(inputAt(second, input));
      const step = { operation, input: keyed(input), isNeeded: true };
      const first = (yield { ...step, does: "first", isMeant: true })!;
      if (!isSuccess(first)) return;
      const key = first.plan.headers[KEY]!;
      const repeated = { ...step, sends: withHeader(KEY, key) };
      const counts = yield* counted(life, { ...repeated, does: "again" });
      const found = repeatedFault(life, counts);
      if (found !== undefined) return found;
      onRepeat();
      if (refusalsOf(operation).length > 0) {
        const holds = [isOtherRefused];
        yield { ...repeated, does: "other", input: other, holds };
      }
      // The application may refuse another input.
      for (const input of [other, step.input]) {
        if (input.headers[KEY] === key) return;
        const both = { ...step, does: "both", input, times: 2 };
        const fault = effectFault(life, yield* counted(life, both));
        if (fault !== undefined) return fault;
      }
    },
  });
}

/** Adds a key, which each request replaces by a new one if its schema accepts that. */
function keyed(input: Input): Input {
  const headers = { [KEY]: crypto.randomUUID(), ...input.headers };
  return { ...input, headers };
}

const USED = "since the key was used before";

/** The numbers of items in the list before and after a request. */
type Counts = readonly [before: number, after: number];

/** Sends a request, and counts the items of the list around it. */
function* counted(life: Life, step: Step): Part<Counts> {
  const { operations } = life.sender.subject;
  const list = operationOn(operations, step.operation.route);
  // After 202, the server creates the item later.
  if (list === undefined || life.last("first")!.status === 202) {
    yield step;
    return [0, 0];
  }
  const reading = {
    ...{ does: "list", operation: list, input: pathInput(step.input!) },
  };
  const countIn = (exchange: Exchange | undefined) =>
    exchange === undefined ? 0 : pageItems(exchange)?.length ?? 0;
  const before = countIn(yield reading);
  yield step;
  return [before, countIn(yield reading)];
}

function repeatedFault(
  life: Life,
  [before, after]: Counts,
): Fault | undefined {
  const [first, again] = [life.last("first")!, life.last("again")!];
  const { operation } = life.done[0]!.step;
  if (!isSameResponse(first, again) && !isBusy(operation, again)) {
    return { expected: `${shown(first)} again, ${USED}`, seen: shown(again) };
  }
  return after <= before
    ? undefined
    : { expected: `${before} items, ${USED}`, seen: `${after} items` };
}

function refusalsOf({ responses }: Operation): number[] {
  return [409, 422].filter((status) => responses.has(status));
}

const isOtherRefused: Judgement = async ({ done: [first], now }) => {
  const { operation } = now.step;
  // A schema may make two bodies equal, such as by removing outer spaces.
  const isEqual = isDeepStrictEqual(
    await validatedBody(operation, first!.input),
    await validatedBody(operation, now.input),
  );
  const refusals = refusalsOf(operation).join(" or ");
  const expected = `a ${refusals} to another body, ${USED}`;
  return isEqual || !isSuccess(now.exchange)
    ? undefined
    : { expected, ...seenOf(now.exchange) };
};

function effectFault(life: Life, [before, after]: Counts): Fault | undefined {
  const both = life.all("both").slice(-2);
  const [one, other] = both as [Exchange, Exchange];
  const { operation } = life.done[0]!.step;
  const areBusy = both.map((each) => isBusy(operation, each));
  // The property `failure` reports a request that fails with any key.
  const bothFail = both.every(({ status }, at) =>
    status === 500 || areBusy[at]
  );
  const isOnce = !both.some(failureOf) && after - before <= 1 &&
    (areBusy.includes(true) || isSameResponse(one, other));
  const more = `${after - before} more items`;
  return isOnce || bothFail ? undefined : {
    expected: "one effect of two requests at once that have the same key",
    seen: `${shown(one)} and ${shown(other)}, and ${more}`,
  };
}

/** Whether the response says that the first request with the key still runs. */
function isBusy({ responses }: Operation, { status }: Exchange): boolean {
  return (status === 409 || status === 425) && responses.has(status);
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
