import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { isStrict, objectsIn } from "../../shared/schemas.ts";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import { type Input, inputAt, unwrapBody } from "../generate/input.ts";
import { type CapturePlace, operationOn } from "../generate/pool.ts";
import { declaredTypes, type Operation, schemasFor } from "../operation.ts";
import {
  type AsyncPart,
  type Done,
  type Life,
  type Part,
  type Step,
  tell,
} from "../search/life.ts";
import { type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { Acceptance } from "./acceptance.ts";
import {
  by,
  type Create,
  creationsOf,
  creatorOf,
  placesOf,
} from "./creation.ts";
import { type Members, sourceOf } from "./members.ts";
import { createdOf, isGone, isSuccess, otherText } from "./resource.ts";

/** The number of inputs to which undeclared members are added. */
const RUNS = 3;

/** The maximum number of members to add one by one. */
const MAX_SINGLE = 8;

/**
 * Tests that a request sets only members that the schema of its body declares: `name`,
 * for example, but not `role`.
 *
 * @returns The result; `undefined` if no reading shows what a request sets.
 */
export async function assignmentProperty(
  sender: Sender,
  operation: Operation,
): Promise<Search | undefined> {
  const { subject } = sender;
  const { method, route, schema: { parts } } = operation;
  const isOpen = parts.body.some(({ value }) => !isStrict(value));
  if (!operation.hasBody || !isOpen) return undefined;
  const place = placeCreatedBy(subject, operation);
  const read = operationOn(subject.operations, place ?? route);
  if (read === undefined || method === "POST" && !place) return undefined;
  // Only the responses to members that no schema declares count.
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    const places = placesOf(sender, route.segments);
    const creations = await creationsOf(sender, places);
    if (creations === undefined) return { runs: 0 };
    const sends = by(creatorOf(places) ?? operation.as?.name);
    return await tell(sender, {
      values: fc.tuple(inputs, inputs, creations),
      ...{ runs: RUNS, acceptance },
      steps: (values, life) =>
        assign({ life, operation, read, place, sends }, values),
    });
  });
  return acceptance.expect(read).size === 0 ? undefined : found;
}

/** The operation that gets members, and the one that reads them. */
interface Assignment extends Pick<Step, "operation" | "sends"> {
  readonly life: Life;
  readonly read: Operation;
  /** The place of the resource that the operation creates, if it creates one. */
  readonly place: CapturePlace | undefined;
}

/** Sends an input, and again with members that its schema does not declare. */
async function* assign(
  assignment: Assignment,
  [given, other, create]: readonly [Input, Input, Create],
): AsyncPart {
  const { life, operation, place } = assignment;
  const made = yield* create(life);
  fc.pre(made !== undefined);
  // If the route reads JSON, the members are sent as JSON.
  const at = inputAt(given, made.captures);
  const { type: _, ...untyped } = at;
  const input = declaredTypes(operation) ? at : untyped;
  const first = yield* sent(assignment, { input });
  if (first === undefined || !isSuccess(first)) return;
  // A body may have the envelope of the response: `{ "user": { … } }`.
  const [envelope] = unwrapBody(jsonOf(first)).envelope.filter((name) =>
    isObject(input.body) && isObject(input.body[name])
  );
  const extra = undeclared(life, envelope)
    .filter(([, , value]) => String(value) !== made.id);
  const singles = extra.slice(0, MAX_SINGLE).map((each) => [each]);
  // The same input may conflict with what it created.
  const bodies = place ? [input.body, other.body] : [input.body];
  for (const added of extra.length > 0 ? [extra, ...singles] : []) {
    for (const body of bodies) {
      // Another input may change a flag for a good reason.
      const own: Members = Object.fromEntries(
        added.filter(([, value]) =>
          body === input.body || typeof value !== "boolean"
        ),
      );
      const after = yield* sent(assignment, {
        input: { ...input, body: withMembers(body, envelope, own) },
        isMeant: true,
        holds: [() => notSet(life.now.exchange, own)],
      });
      if (after !== undefined && added === extra) return;
    }
  }
}

/** A body with additional members, in its envelope if it has one. */
function withMembers(
  body: unknown,
  envelope: string | undefined,
  added: Members,
): Members {
  const members = body as Members;
  return envelope === undefined ? { ...members, ...added } : {
    ...members,
    [envelope]: withMembers(members[envelope], undefined, added),
  };
}

/** Sends an input, and reads the resource, unless the input is rejected. */
function* sent(
  { life, operation, read, place, sends }: Assignment,
  { input, ...judged }: Partial<Step> & Pick<Done, "input">,
): Part<Exchange | undefined> {
  const exchange = yield { does: "send", operation, input, sends };
  if (exchange === undefined || !isSuccess(exchange)) return undefined;
  const of = place
    ? createdOf(life.sender.subject, place, exchange, input)
    : { captures: input };
  return of &&
    (yield { ...judged, does: "read", operation: read, of, sends });
}

/** Finds an added member that a request set, or a resource that went with the request. */
function notSet(after: Exchange, added: Members): Fault | undefined {
  const { members, envelope } = unwrapBody(jsonOf(after));
  const since = "since the schema of the body does not declare";
  const set = Object.keys(added).find((name) => members[name] === added[name]);
  if (set !== undefined) {
    const [name, text] = [set, added[set]].map((each) => JSON.stringify(each));
    return {
      expected: `${name} other than ${text}, ${since} it`,
      seen: `${name}: ${text}`,
      assertion: `assertNotEquals(${sourceOf([...envelope, set])}, ${text});`,
    };
  }
  if (!isGone(after)) return undefined;
  const names = Object.keys(added).map((name) => JSON.stringify(name));
  const expected = `the resource, ${since} ${names.join(", ")}`;
  return statusFault(200, { expected, ...seenOf(after) });
}

/** Other values of the members that the latest response shows, and no body declares. */
function undeclared(
  { done, now: { step, exchange } }: Life,
  outer: string | undefined,
): (readonly [name: string, other: unknown, value: unknown])[] {
  const { step: { operation }, input } = done.at(-2)!;
  const { members, envelope: [envelope] } = unwrapBody(jsonOf(exchange));
  const [body] = schemasFor(operation, "body", input);
  const declared = objectsIn(body!.value, outer);
  const shown = step.operation.responses.get(200)?.bodies[0]?.schema;
  const forms = shown === undefined ? [] : objectsIn(shown, envelope);
  return Object.entries(declared.length === 0 ? {} : members)
    .filter(([name]) => !declared.some(({ names }) => names.includes(name)))
    .map(([name, value]) => {
      const [form] = forms.flatMap((each) => each.formsOf(name));
      return [name, otherValue(value, form?.enum), value] as const;
    }).filter(([, other]) => other !== undefined);
}

/** Another value of the same type; `undefined` if there is none. */
function otherValue(value: unknown, choices: unknown): unknown {
  if (Array.isArray(choices)) return choices.find((each) => each !== value);
  switch (typeof value) {
    case "boolean":
      return !value;
    case "number":
      return value + 1000;
    case "string":
      return otherText(value);
  }
}
