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
import { type Input, inputAt, unwrapBody } from "../generate/input.ts";
import { type CapturePlace, operationOn } from "../generate/pool.ts";
import {
  declaredTypes,
  hasBody,
  type Operation,
  schemasFor,
} from "../operation.ts";
import {
  type AsyncPart,
  type Life,
  type Part,
  type Step,
  tell,
} from "../search/life.ts";
import { type Search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import { Acceptance } from "./acceptance.ts";
import { type Members, sourceOf } from "./members.ts";
import {
  by,
  type Create,
  creationsOf,
  creatorOf,
  placesOf,
  type User,
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
  // Only the responses to members that no schema declares count.
  const acceptance = new Acceptance();
  const found = await withInputs(sender, operation, async (inputs) => {
    const places = placesOf(sender, route.segments);
    const creations = await creationsOf(sender, places);
    if (creations === undefined) return { runs: 0 };
    const given = { operation, read, place, user: creatorOf(places) };
    return await tell(sender, {
      values: fc.tuple(inputs, inputs, creations),
      ...{ runs: RUNS, acceptance },
      steps: (values, life) => assign({ ...given, life }, values),
    });
  });
  return acceptance.expect(read).size === 0 ? undefined : found;
}

/** The operation that gets members, and the one that reads them. */
interface Assignment {
  readonly life: Life;
  readonly operation: Operation;
  readonly read: Operation;
  /** The place of the resource that the operation creates, if it creates one. */
  readonly place: CapturePlace | undefined;
  readonly user: User;
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
  const outer = unwrapBody(jsonOf(first)).envelope.filter((name) =>
    isObject(input.body) && isObject(input.body[name])
  );
  const extra = undeclared(assignment, { input, outer, reading: first })
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
        input: { ...input, body: withMembers(body, outer, own) },
        isMeant: true,
        holds: [() => notSet(life.now.exchange, own)],
      });
      if (after !== undefined && added === extra) return;
    }
  }
}

/** Sends an input, and reads the resource, unless the input is rejected. */
function* sent(
  { life, operation, read, place, user }: Assignment,
  { input, ...judged }: Pick<Step, "isMeant" | "holds"> & {
    readonly input: Input;
  },
): Part<Exchange | undefined> {
  const sends = by(user ?? operation.as?.name);
  const exchange = yield { does: "send", operation, input, sends };
  if (exchange === undefined || !isSuccess(exchange)) return undefined;
  const of = place
    ? createdOf(life.sender.subject, place, exchange, input)
    : { captures: input };
  return of &&
    (yield { ...judged, does: "read", operation: read, of, sends });
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

/** Other values of the members that a response shows, and that the body does not declare. */
function undeclared(
  { operation, read }: Assignment,
  { input, outer, reading }: {
    readonly input: Input;
    readonly outer: readonly string[];
    readonly reading: Exchange;
  },
): (readonly [name: string, other: unknown, value: unknown])[] {
  const { members, envelope } = unwrapBody(jsonOf(reading));
  const [body] = schemasFor(operation, "body", input);
  const named = formsOf(body!.value, outer);
  const shown = read.responses.get(200)?.bodies[0]?.schema;
  const forms = shown && formsOf(shown, envelope);
  return Object.entries(members)
    .filter(([name]) => named?.has(name) === false)
    .map(([name, value]) =>
      [name, otherValue(value, forms?.get(name)), value] as const
    ).filter(([, other]) => other !== undefined);
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
