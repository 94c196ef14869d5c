import fc from "fast-check";
import { isObject } from "../../core/common/values.ts";
import { type JsonSchema, lenientForm } from "../../core/schema/json_schema.ts";
import {
  compileForm,
  namedMembers,
  type ObjectShape,
  OPEN,
} from "../../core/schema/shape.ts";
import type { StandardSchemaV1 } from "../../core/types/schema.ts";
import { type Input, unwrapBody } from "../generate/input.ts";
import { type CapturePlace, operationOn } from "../generate/pool.ts";
import {
  declaredTypes,
  hasBody,
  type Operation,
  schemasFor,
} from "../operation.ts";
import {
  type Judgement,
  type Life,
  type Step,
  take,
  tell,
} from "../search/life.ts";
import { type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { seenOf, statusFault } from "../checks.ts";
import { Acceptance } from "./acceptance.ts";
import { type Members, sourceOf } from "./members.ts";
import {
  by,
  type CreatedPlace,
  creation,
  creationInputs,
  creatorOf,
  placesOf,
} from "./creation.ts";
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
  const isOpen = parts.body.some(({ value }) => !namedMembers(value).isStrict);
  if (!hasBody(operation) || !isOpen) return undefined;
  const place = placeCreatedBy(subject, operation);
  const read = operationOn(subject.operations, place ?? route);
  if (read === undefined || method === "POST" && !place) return undefined;
  const assignment: Assignment = {
    ...{ operation, read, place },
    places: [],
    isTried: false,
  };
  const found = await withInputs(sender, operation, async (inputs) => {
    const places = placesOf(sender, route.segments);
    const creations = await creationInputs(sender, places);
    if (creations === undefined) return { runs: 0 };
    assignment.places = places;
    return await tell(sender, {
      values: fc.tuple(inputs, inputs, creations),
      runs: RUNS,
      steps: (values, life) => assign(life, assignment, values),
      acceptance: new Acceptance(),
    });
  });
  const { isTried } = assignment;
  return isTried || found.counterexample ? found : undefined;
}

/** What sends members, and what reads them. */
interface Assignment {
  readonly operation: Operation;
  readonly read: Operation;
  /** The place of the resource that the operation creates, if it creates one. */
  readonly place: CapturePlace | undefined;
  /** The places on the path of the operation. */
  places: readonly CreatedPlace[];
  /** Whether the application accepts members that the schema does not declare. */
  isTried: boolean;
}

/** Sends an input, and again with the members that the response shows in addition. */
async function* assign(
  life: Life,
  assignment: Assignment,
  [given, other, inputs]: readonly [Input, Input, Input[]],
): AsyncGenerator<Step, void> {
  const { operation, read, place, places } = assignment;
  yield* creation(life.sender, { places, inputs, isNeeded: true });
  // If the route reads JSON, the members are sent as JSON.
  const { type: _, ...untyped } = given;
  const input = declaredTypes(operation) ? given : untyped;
  const first = yield* sent(life, assignment, { input });
  if (first === undefined || !isSuccess(first)) return;
  const { members, envelope } = unwrapBody(jsonOf(first));
  // A body may have the envelope of the response: `{ "user": { … } }`.
  const outer = envelope.filter((name) =>
    isObject(input.body) && isObject(input.body[name])
  );
  const [body] = schemasFor(operation, "body", input);
  const named = formsOf(body!.value, outer);
  const shown = read.responses.get(200)?.bodies[0]?.schema;
  const forms = shown && formsOf(shown, envelope);
  const extra = Object.entries(members).map(([name, value]) =>
    [name, otherValue(value, forms?.get(name))] as const
  ).filter(([name, value]) =>
    named?.has(name) === false && value !== undefined &&
    String(members[name]) !== life.resource.id
  );
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
      const after = yield* sent(life, assignment, {
        input: { ...input, body: withMembers(body, outer, own) },
        holds: [notSet(own)],
      });
      if (after === undefined) continue;
      assignment.isTried = true;
      if (added === extra) return;
    }
  }
}

/** Sends an input, and reads the resource, unless the input is rejected. */
function* sent(
  life: Life,
  { operation, read, place, places }: Assignment,
  { input, holds }: Pick<Step, "input" | "holds">,
): Generator<Step, Exchange | undefined> {
  const sends = by(creatorOf(places) ?? operation.as?.name);
  const step = { does: "send", operation, input, sends };
  const exchange = yield* take(life, step);
  if (exchange === undefined || !isSuccess(exchange)) return undefined;
  const { input: captures } = life.now;
  const of = place
    ? createdOf(life.sender.subject, place, exchange, captures)
    : { captures };
  return of &&
    (yield* take(life, { does: "read", operation: read, of, sends, holds }));
}
/** A body with additional members, in its envelope if it has one. */
function withMembers(
  body: unknown,
  [envelope]: readonly string[],
  added: Members,
): Members {
  const members = body as Members;
  return envelope === undefined
    ? { ...members, ...added }
    : { ...members, [envelope]: withMembers(members[envelope], [], added) };
}

/** Finds an added member that a request set, or a resource that went with the request. */
function notSet(added: Members): Judgement {
  const since = "since the schema of the body does not declare";
  return ({ now: { exchange } }) => {
    const { members, envelope } = unwrapBody(jsonOf(exchange));
    const set = Object.keys(added).find((name) =>
      members[name] === added[name]
    );
    if (set !== undefined) {
      const [name, text] = [set, added[set]].map((each) =>
        JSON.stringify(each)
      );
      return {
        expected: `${name} other than ${text}, ${since} it`,
        seen: `${name}: ${text}`,
        assertion: `assertNotEquals(${sourceOf([...envelope, set])}, ${text});`,
      };
    }
    if (!isGone(exchange)) return undefined;
    const names = Object.keys(added).map((name) => JSON.stringify(name));
    const expected = `the resource, ${since} ${names.join(", ")}`;
    return statusFault(200, { expected, ...seenOf(exchange) });
  };
}

/**
 * The members that a schema names, or that it names inside envelopes; `undefined` if it
 * describes any others.
 */
function formsOf(
  schema: StandardSchemaV1,
  envelopes: readonly string[],
): ReadonlyMap<string, JsonSchema> | undefined {
  const root = lenientForm(schema, "input");
  if (root === undefined) return undefined;
  const objects = envelopes.reduce(
    (objects: readonly ObjectShape[], name) =>
      objects.flatMap((each) => (each.member(name) ?? OPEN).objects),
    compileForm(root).objects,
  );
  const isOpen = objects.length === 0 ||
    objects.some(({ checksOthers }) => checksOthers);
  return isOpen ? undefined : new Map(
    objects.flatMap(({ names, forms }) =>
      names.map((name, index) => [name, forms[index]![0]!] as const)
    ),
  );
}

/** Another value of the same type; `undefined` if there is none. */
function otherValue(value: unknown, form: JsonSchema | undefined): unknown {
  if (Array.isArray(form?.enum)) {
    return form.enum.find((each) => each !== value);
  }
  switch (typeof value) {
    case "boolean":
      return !value;
    case "number":
      return value + 1000;
    case "string":
      return otherText(value);
  }
}
