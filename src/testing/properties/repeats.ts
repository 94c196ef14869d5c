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
      const found = yield* repeating(life, { ...repeated, does: "again" });
      if (found !== undefined) return found;
      onRepeat();
      if (refusalsOf(operation).length > 0) {
        const holds = [isOtherRefused];
        yield { ...repeated, does: "other", input: other, holds };
      }
      // The application may refuse another input.
      for (const input of [other, step.input]) {
        if (input.headers[KEY] === key) return;
        const holds = [haveOneEffect];
        yield { ...step, does: "both", input, times: 2, holds };
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

/** Sends a request with the same key, and counts the items of the list around it. */
function* repeating(life: Life, step: Step): Part<Fault | void> {
  const first = life.now;
  const { operations } = life.sender.subject;
  const list = operationOn(operations, step.operation.route);
  const input = pathInput(first.input);
  // After 202, the server creates the item later.
  const reading = first.exchange.status !== 202 && list &&
    { does: "list", operation: list, input };
  if (reading) yield reading;
  const again = (yield step)!;
  if (reading) yield reading;
  if (
    !isSameResponse(first.exchange, again) && !isBusy(step.operation, again)
  ) {
    const expected = `${shown(first.exchange)} again, ${USED}`;
    return { expected, seen: shown(again) };
  }
  const [before = 0, after = 0] = life.all("list")
    .map((each) => pageItems(each)?.length ?? 0);
  if (after <= before) return;
  return { expected: `${before} items, ${USED}`, seen: `${after} items` };
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

const haveOneEffect: Judgement = ({ done, now: { step: { operation } } }) => {
  const both = done.slice(-2).map(({ exchange }) => exchange);
  const [one, other] = both as [Exchange, Exchange];
  const areBusy = both.map((each) => isBusy(operation, each));
  // The property `failure` reports a request that fails with any key.
  const bothFail = both.every(({ status }, at) =>
    status === 500 || areBusy[at]
  );
  const isOnce = !both.some(failureOf) &&
    (areBusy.includes(true) || isSameResponse(one, other));
  return isOnce || bothFail ? undefined : {
    expected: "one effect of two requests at once that have the same key",
    seen: `${shown(one)} and ${shown(other)}`,
  };
};

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
