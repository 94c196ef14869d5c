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
import {
  type Input,
  inputAt,
  pathInput,
  planOf,
  refusedPlaces,
  unwrapBody,
} from "../generate/input.ts";
import { operationOn } from "../generate/pool.ts";
import {
  declaredTypes,
  hasBody,
  type Operation,
  schemasFor,
} from "../operation.ts";
import { type Search, search, withInputs } from "../search/search.ts";
import type { Sender } from "../search/sender.ts";
import { placeCreatedBy } from "../search/subject.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";
import { type Fault, seenOf, statusFault } from "../checks.ts";
import { type Members, sourceOf } from "./members.ts";
import {
  createdOf,
  creationsOf,
  isGone,
  isSuccess,
  otherText,
  type Owned,
  placesOf,
  send,
} from "./resource.ts";

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
  /** Sends an input, and reads the resource; `undefined` if the input is rejected. */
  const readAfter = async (
    input: Input,
    { creator: as = operation.as?.name }: Owned,
  ): Promise<Exchange | undefined> => {
    const exchange = await send(sender, { ...planOf(operation, input), as });
    if (!isSuccess(exchange)) return undefined;
    const target = place
      ? createdOf(subject, place, exchange, input)
      : { captures: input };
    if (target === undefined) return undefined;
    const plan = planOf(read, pathInput(target.captures));
    return await send(sender, { ...plan, as });
  };
  let tried = 0;
  const attempt = async (
    input: Input,
    other: Input,
    owned: Owned,
  ): Promise<Fault | undefined> => {
    const reading = await readAfter(input, owned);
    if (reading === undefined || !isSuccess(reading)) return undefined;
    const { members, envelope } = unwrapBody(jsonOf(reading));
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
      String(members[name]) !== owned.id
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
        const values = { ...input, body: withMembers(body, outer, own) };
        if ((await refusedPlaces(operation, values))?.size !== 0) continue;
        const after = await readAfter(values, owned);
        if (after === undefined) continue;
        tried++;
        const fault = assignmentFault(after, own);
        if (fault !== undefined || added === extra) return fault;
      }
    }
    return undefined;
  };
  const found = await withInputs(sender, operation, async (inputs) => {
    const places = placesOf(sender, route.segments);
    const creations = await creationsOf(sender, places);
    if (creations === undefined) return { runs: 0 };
    const values = fc.tuple(inputs, inputs, creations);
    return await search(sender, values, {
      runs: RUNS,
      attempt: async ([given, other, create]) => {
        const owned = await create();
        const input = inputAt(given, owned.captures);
        // If the route reads JSON, the members are sent as JSON.
        const { type: _, ...untyped } = input;
        const sent = declaredTypes(operation) ? input : untyped;
        return await attempt(sent, other, owned);
      },
    });
  });
  return tried === 0 ? undefined : found;
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
function assignmentFault(after: Exchange, added: Members): Fault | undefined {
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
