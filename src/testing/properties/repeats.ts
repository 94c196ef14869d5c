import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { shorten } from "../../core/common/values.ts";
import { endIfAsked, failureOf, type Fault, seenOf } from "../checks.ts";
import {
  type Input,
  inputAt,
  isValid,
  KEY,
  pathInput,
  planOf,
  validatedBody,
  VERSION,
} from "../generate/input.ts";
import { parameterNames } from "../generate/inputs.ts";
import { isWithin, operationOn } from "../generate/pool.ts";
import type { Captures } from "../../shared/wire.ts";
import { isLive, type Operation } from "../operation.ts";
import type { RequestPlan, Strings } from "../plan.ts";
import {
  existing,
  inputsOr,
  type Search,
  search,
  validPlan,
  withInputs,
} from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import { pageItems } from "./pages.ts";
import { createdOf, isGone, isSuccess, send } from "./resource.ts";

/** The number of inputs to repeat, and of tries to send two requests at once. */
const RUNS = 5;

interface Attempt {
  readonly input: Input;
  /** The input of a request with the same key. */
  readonly other: Input;
  readonly keys: readonly string[];
  /** Makes an `If-Match` that an ETag fits. */
  readonly condition: (tag: string) => string;
  /** Operations that change the resource at the path or below it, each with several inputs. */
  readonly changes: readonly (readonly [
    Operation,
    readonly (Input | undefined)[],
  ])[];
  /** Called after a request was repeated. */
  readonly onRepeat: () => void;
  /** The requests that must be accepted, so that their repetition shows anything. */
  readonly acceptance: Acceptance;
}

/** Tests that conditional requests, and requests with a key, can be repeated. */
export async function repeatsProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { method, route } = operation;
  const isKeyed = declaresHeader(operation, KEY);
  const isTagged = method === "GET" && !isLive(operation);
  if (!isKeyed && !isTagged && method !== "PUT") return undefined;
  const check = isKeyed ? keyFault : isTagged ? tagFault : putFault;
  let repeated = 0;
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    const key = fc.noShrink(fc.uuid());
    const isCreate = (each: Operation) =>
      placeCreatedBy(sender.subject, each) !== undefined;
    const changes = sender.subject.operations
      .filter((each) => !/^(?:GET|HEAD)$/.test(each.method))
      .filter((each) => isWithin(each.route, route))
      // Items must exist before their changes, and before the end of a draft. An action
      // below a resource, such as `POST /notes/7/close`, may end its changes.
      .sort((a, b) =>
        Number(isCreate(b)) - Number(isCreate(a)) ||
        a.route.segments.length - b.route.segments.length
      )
      .map(async (each) => {
        const inputs = await inputsOr(sender, each);
        const some = fc.array(inputs, { minLength: RUNS, maxLength: RUNS });
        return fc.tuple(fc.constant(each), some);
      });
    const samples = await sender.samplesOf(operation);
    const valid = isKeyed && samples.length > 0
      ? fc.oneof(fc.constantFrom(...samples), inputs)
      : inputs;
    const values = fc.record({
      input: existing(sender, operation, valid),
      other: inputs,
      condition: fc.constantFrom<Attempt["condition"]>(
        (tag) => tag,
        (tag) => `"x", ${tag}`,
        () => "*",
      ),
      keys: fc.tuple(key, key, key),
      changes: fc.tuple(...await Promise.all(changes)),
      onRepeat: fc.constant(() => void repeated++),
      acceptance: fc.constant(acceptance),
    });
    return await search(sender, values, {
      runs: Math.min(sender.subject.options.runs, RUNS),
      attempt: (values) => check(sender, operation, values),
    });
  });
  if (found.counterexample !== undefined) return { ...found, runs: 1 };
  return acceptance.resultOf(sender, operation, {
    ...found,
    runs: repeated,
  });
}

function declaresHeader(operation: Operation, name: string): boolean {
  return parameterNames(operation, "headers")
    .some((each) => each.toLowerCase() === name);
}

function withHeaders(plan: RequestPlan, headers: Strings): RequestPlan {
  const { hasVersion = false } = plan;
  return {
    ...plan,
    headers: { ...plan.headers, ...headers },
    hasVersion: hasVersion && headers[VERSION] === undefined,
  };
}

/** Checks that a repeated `PUT` still finds a resource that `GET` finds. */
async function putFault(
  sender: Sender,
  operation: Operation,
  { input, onRepeat, acceptance }: Attempt,
): Promise<Fault | undefined> {
  const { segments } = operation.route;
  const last = segments.findLastIndex(({ kind }) => kind !== "static");
  const path = { segments: segments.slice(0, last + 1) };
  const read = operationOn(sender.subject.operations, path);
  const plan = await validPlan(operation, input);
  const first = await send(sender, plan);
  acceptance.add(operation, first.status);
  if (!isSuccess(first) || !read) return undefined;
  const second = await send(sender, plan);
  onRepeat();
  if (!isGone(second)) return undefined;
  const found = await sender.send(planOf(read, pathInput(input)));
  const expected = `a success again, since ${read.name} finds the resource`;
  return isSuccess(found) ? { expected, ...seenOf(second) } : undefined;
}

/** Checks the ETags of a resource before and after its changes. */
async function tagFault(
  sender: Sender,
  operation: Operation,
  { input, changes, condition, onRepeat, acceptance }: Attempt,
): Promise<Fault | undefined> {
  const { route } = operation;
  const plan = await validPlan(operation, input);
  const read = async (condition: Strings = {}) => {
    const exchange = await send(sender, withHeaders(plan, condition));
    const { status, body } = exchange;
    const tag = exchange.headers.get("etag") ?? "";
    const text = new TextDecoder().decode(body);
    const isTagged = isSuccess(exchange) && tag !== "";
    const seen = `a ${status} with ETag ${tag}`;
    return { status, tag, text, isTagged, seen };
  };
  const own: Captures[] = [input];
  const change = async (
    operation: Operation,
    given: Input | undefined,
    condition: Strings,
  ) => {
    const { segments } = operation.route;
    const known = operation.route === route
      ? input
      : [...own, ...sender.pool.capturesOf(segments)].find(({ params }) =>
        Object.entries(input.params).every(([name, text]) =>
          params[name] === text
        ) && segments.every((each) =>
          each.kind !== "dynamic" || each.name in params
        )
      );
    const each = given && known && inputAt(given, known);
    if (!each || !await isValid(operation, each)) return undefined;
    const plan = withHeaders(planOf(operation, each), condition);
    const exchange = await send(sender, plan);
    const place = placeCreatedBy(sender.subject, operation);
    const made = place && createdOf(sender.subject, place, exchange, each);
    if (made?.id !== undefined) own.push(made.captures);
    return exchange;
  };
  let current = await read();
  const again = await read();
  const { tag, text } = current;
  // A representation may contain the time of its response.
  if (!current.isTagged || again.text !== text) return undefined;
  onRepeat();
  if (again.tag !== tag) {
    const expected = `the ETag ${tag} again, since nothing changed`;
    return { expected, seen: again.seen };
  }
  const known = await read({ "if-none-match": tag });
  const isKnown = known.status === 304
    ? known.tag.replace(/^W\//, "") === tag.replace(/^W\//, "")
    : !operation.responses.has(304);
  if (!isKnown) {
    const expected = `a 304 with ETag ${tag}, which the client has`;
    return { expected, seen: known.seen };
  }
  // A weak ETag need not change with each byte.
  if (tag.startsWith("W/")) return undefined;
  let outdated = "";
  for (const [operation, [first, ...others]] of changes) {
    const { method, name, responses } = operation;
    const { tag, text } = current;
    const isOwn = operation.route === route;
    const isGuarded = isOwn &&
      (responses.has(412) || declaresHeader(operation, "if-match"));
    const given = isGuarded ? condition(tag) : tag;
    const made = isOwn && method === "DELETE"
      ? undefined
      : await change(operation, first, isOwn ? { "if-match": given } : {});
    if (isGuarded) acceptance.expect(operation);
    if (isGuarded && made) acceptance.add(operation, made.status);
    if (isGuarded && made?.status === 412 && (await read()).tag === tag) {
      const expected =
        `a status other than 412 to ${name} with If-Match: ${given}`;
      return { expected, seen: `a 412 at ETag ${tag}` };
    }
    if (made && isSuccess(made)) current = await read();
    if (!current.isTagged) return undefined;
    if (current.text !== text) {
      const expected = `since ${name} changed the representation`;
      if (current.tag === tag) {
        const { seen } = current;
        return { expected: `another ETag, ${expected}`, seen };
      }
      const { status, seen } = await read({ "if-none-match": tag });
      if (status === 304) {
        return { expected: `a 200 to the old ETag, ${expected}`, seen };
      }
      outdated = tag;
    }
    if (!isGuarded || outdated === "" || outdated === current.tag) continue;
    // Most planned inputs change other parts than the body.
    const second = others.find((each) =>
      !isDeepStrictEqual(each?.body, first?.body)
    ) ?? first;
    const rejected = await change(operation, second, { "if-match": outdated });
    if (rejected !== undefined) {
      acceptance.add(operation, rejected.status, rejected.status === 412);
    }
    if (rejected && (await read()).text !== current.text) {
      const expected = `a 412 to ${method} with an old ETag, and no change`;
      const seen = seenOf(rejected);
      return { expected, ...seen, seen: `${seen.seen}, and a change` };
    }
  }
  return undefined;
}

/** Checks that requests with one key have one effect and one response. */
async function keyFault(
  sender: Sender,
  operation: Operation,
  { input, other, keys, onRepeat, acceptance }: Attempt,
): Promise<Fault | undefined> {
  const { responses, route } = operation;
  const { params, wildcard } = input;
  const planWith = async (from: Input, key: string) => {
    const headers = { ...from.headers, [KEY]: key };
    const keyed = { ...from, headers, params, wildcard };
    // The schema may require keys of another pattern, and generate such keys.
    const isKey = await isValid(operation, keyed);
    const plan = await validPlan(operation, isKey ? keyed : from);
    return isKey ? withHeaders(plan, { [KEY]: key }) : plan;
  };
  const list = operationOn(sender.subject.operations, route);
  const count = async () => {
    // After 202, the server creates the item later.
    if (list === undefined || first.status === 202) return 0;
    const exchange = await sender.send(planOf(list, pathInput(input)));
    return pageItems(exchange)?.length ?? 0;
  };
  const plan = await planWith(input, keys[0]!);
  const key = plan.headers[KEY]!;
  const first = await send(sender, plan);
  acceptance.add(operation, first.status);
  if (key === undefined || !isSuccess(first)) return undefined;
  const before = await count();
  const second = await send(sender, plan);
  const after = await count();
  onRepeat();
  const used = "since the key was used before";
  const isBusy = ({ status }: Exchange) =>
    (status === 409 || status === 425) && responses.has(status);
  if (!isSameResponse(first, second) && !isBusy(second)) {
    return { expected: `${shown(first)} again, ${used}`, seen: shown(second) };
  }
  if (after > before) {
    return { expected: `${before} items, ${used}`, seen: `${after} items` };
  }
  const refusals = [409, 422].filter((status) => responses.has(status));
  // A schema may make two bodies equal, such as by removing outer spaces.
  const bodies = [input, other].map((each) => validatedBody(operation, each));
  const isOther = !isDeepStrictEqual(await bodies[0], await bodies[1]);
  const varied = await planWith(other, key);
  if (refusals.length > 0 && isOther && varied.headers[KEY] === key) {
    const third = await sender.send(varied);
    if (isSuccess(third)) {
      const expected = `a ${refusals.join(" or ")} to another body, ${used}`;
      return { expected, ...seenOf(third) };
    }
  }
  // The application may refuse another input.
  for (const [index, each] of [other, input].entries()) {
    const next = await planWith(each, keys[index + 1]!);
    if ((next.headers[KEY] ?? key) === key) return undefined;
    const start = await count();
    const both = await Promise.all([sender.send(next), sender.send(next)]);
    const increase = await count() - start;
    // The property `failure` reports a request that fails with any key.
    if (both.every((each) => each.status === 500 || isBusy(each))) {
      return undefined;
    }
    const hasFailed = both.some((each) => failureOf(each) !== undefined);
    if (!hasFailed) both.forEach(endIfAsked);
    const isOnce = !hasFailed && increase <= 1 &&
      (both.some(isBusy) || isSameResponse(both[0]!, both[1]!));
    if (isOnce) continue;
    return {
      expected: "one effect of two requests at once that have the same key",
      seen: `${both.map(shown).join(" and ")}, and ${increase} more items`,
    };
  }
  return undefined;
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
