import { runSchema } from "./run_schema.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "./schema.ts";
import { unnamedMembers } from "./unnamed_members.ts";

type Issue = StandardSchemaIssue;

/** The issues that turned texts into dates, by the object that holds each. */
type Revived = Map<object, Map<PropertyKey, Issue>>;

/**
 * Checks the JSON of a response by a schema, and returns what is wrong.
 *
 * A response schema describes what is sent, and JSON sends a `Date` as a text. So
 * where the schema refuses a text that `Date.prototype.toJSON` writes, it is asked
 * again with the date: `z.date()` accepts `"2026-01-31T12:00:00.000Z"`. Members that
 * it does not name are wrong, too, even if it drops them.
 *
 * @param value Belongs to this check, which may change it.
 */
export async function checkJson(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<readonly Issue[] | undefined> {
  const root = { value };
  const revived: Revived = new Map();
  let result = await runSchema(schema, value, "response");
  // A union reports itself, not the date in one of its members: hence the second time.
  for (const deep of [false, true]) {
    if (result.issues === undefined) break;
    let found = false;
    for (const issue of result.issues) {
      if (revive(placeOf(root, issue), { issue, revived, deep })) found = true;
    }
    if (found) {
      result = await runSchema(schema, root.value, "response");
    }
  }
  const { issues } = result;
  if (issues === undefined) {
    return unnamedMembers(schema, root.value, result.value);
  }
  if (revived.size === 0) return issues;
  // Where a date was no better, what is wrong is the text that was sent.
  return [
    ...new Set(issues.map((issue) => {
      const place = placeOf(root, issue);
      return place && revived.get(place.holder)?.get(place.key) || issue;
    })),
  ];
}

/** Where a value stands. */
interface Place {
  readonly holder: object;
  readonly key: PropertyKey;
}

/**
 * Turns the text at a place into a date, with `deep` also those anywhere below.
 * Returns whether there was any.
 */
function revive(
  place: Place | undefined,
  options: {
    readonly issue: Issue;
    readonly revived: Revived;
    readonly deep: boolean;
  },
): boolean {
  if (place === undefined) return false;
  const { holder, key } = place;
  const value: unknown = Reflect.get(holder, key);
  if (isDateText(value)) {
    const { issue, revived } = options;
    Reflect.set(holder, key, new Date(value));
    const keys = revived.get(holder) ?? new Map();
    revived.set(holder, keys.set(key, issue));
    return true;
  }
  let found = false;
  if (options.deep && isContainer(value)) {
    for (const key of Object.keys(value)) {
      if (revive({ holder: value, key }, options)) found = true;
    }
  }
  return found;
}

/** The place of an issue; `undefined` if nothing is there. */
function placeOf(root: object, { path = [] }: Issue): Place | undefined {
  let place: Place = { holder: root, key: "value" };
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    const holder: unknown = Reflect.get(place.holder, place.key);
    if (!isContainer(holder) || !Object.hasOwn(holder, key)) return undefined;
    place = { holder, key };
  }
  return place;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date);
}

/** Whether a value is what JSON makes of a `Date`: up to 27 characters. */
function isDateText(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 27) return false;
  return value.endsWith("Z") && new Date(value).toJSON() === value;
}
