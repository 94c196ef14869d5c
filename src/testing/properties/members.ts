import { isObject } from "../../core/common/values.ts";
import { lenientForm } from "../../core/schema/json_schema.ts";
import { flatten, objectMembers } from "../../shared/flat_schema.ts";
import type { JsonSchema } from "../../openapi/mod.ts";
import type { Fault } from "../checks.ts";
import { type Input, unwrapBody, validatedBody } from "../generate/input.ts";
import { unwrap } from "../generate/pool.ts";
import type { Operation } from "../operation.ts";
import { type Exchange, jsonOf } from "../send/exchange.ts";

export type Members = Readonly<Record<string, unknown>>;

/** A place in JSON at which two values differ. */
interface Difference {
  readonly path: readonly (string | number)[];
  readonly values: readonly [unknown, unknown];
}

/** Compares two strings, numbers, booleans or nulls. */
type Comparison = (a: unknown, b: unknown) => boolean;

/**
 * Finds the first difference of two values. Compares only the members that both values
 * and `shape` have. The order of arrays and repeated items do not matter.
 */
export function differenceOf(
  a: unknown,
  b: unknown,
  shape: unknown,
  isSame: Comparison = isEqual,
): Difference | undefined {
  const within = (step: string | number, found: Difference | undefined) =>
    found && { ...found, path: [step, ...found.path] };
  if (isObject(a) && isObject(b)) {
    for (const name of isObject(shape) ? Object.keys(shape) : []) {
      if (!Object.hasOwn(a, name) || !Object.hasOwn(b, name)) continue;
      const inner = (shape as Members)[name];
      const found = differenceOf(a[name], b[name], inner, isSame);
      if (found !== undefined) return within(name, found);
    }
    return undefined;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    const items = Array.isArray(shape) ? shape.filter(isObject) : [];
    const item = Object.assign({}, ...items);
    const compare = (x: unknown, y: unknown) =>
      differenceOf(x, y, item, isSame);
    const missing = a.findIndex((x) => !b.some((y) => !compare(x, y)));
    const isAdded = b.some((y) => !a.some((x) => !compare(x, y)));
    if (missing === -1 && !isAdded) return undefined;
    return a.length === b.length && missing !== -1 &&
        within(missing, compare(a[missing], b[missing])) ||
      { path: [], values: [a, b] };
  }
  // A number of items instead of the items is another shape.
  const isOther = b !== null && [a, b].some((value) => value instanceof Object);
  return isOther || a === b || b !== null && isSame(a, b)
    ? undefined
    : { path: [], values: [a, b] };
}

const DATE = /^\d{4}-\d\d-\d\d/;

/** Whether two values are equal, in any format of an identifier or a date. */
function isEqual(a: unknown, b: unknown): boolean {
  // An identifier may be a number in one response, and a string in another.
  const [one, other] = [String(a), String(b)];
  return one === other && (a === null) === (b === null) ||
    DATE.test(one) && DATE.test(other) && Date.parse(one) === Date.parse(other);
}

/**
 * Whether an application may store a value as another value: trimmed, in lowercase,
 * shortened, extended, without some characters, rounded or limited.
 */
export function mayBecome(sent: unknown, read: unknown): boolean {
  if (isEqual(sent, read)) return true;
  if (typeof sent === "number" && typeof read === "number") {
    return !Number.isInteger(sent) && Math.abs(sent - read) < 1 ||
      Math.min(sent, 0) <= read && read <= Math.max(sent, 0);
  }
  if (typeof sent !== "string" || typeof read !== "string") return false;
  let rest = lettersOf(sent);
  // A number makes a name unique, as in `emma-2`.
  if (rest !== "" && lettersOf(read).startsWith(rest)) return true;
  for (const letter of lettersOf(read)) {
    const index = rest.indexOf(letter);
    if (index === -1) return false;
    rest = rest.slice(index + letter.length);
  }
  return true;
}

export function lettersOf(text: string): string {
  return text.toUpperCase().toLowerCase().normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The members of a resource that are equal in two readings. */
export interface Reading {
  readonly members: Members;
  /** The names of the members that differ between the readings. */
  readonly volatile: readonly string[];
  readonly envelope: readonly string[];
}

export function readingOf(
  { route }: Operation,
  readings: readonly Exchange[],
): Reading {
  const [first, second] = readings.map((each) => unwrap(route, jsonOf(each)));
  const { members, envelope } = first!;
  const volatile = Object.keys({ ...members, ...second!.members })
    .filter((name) => !isSame(members[name], second!.members[name]));
  const stable = pick(members, (name) => !volatile.includes(name));
  return { members: stable, volatile, envelope };
}

export function pick<Value>(
  members: Readonly<Record<string, Value>>,
  isPicked: (name: string, value: Value) => boolean,
): Readonly<Record<string, Value>> {
  const entries = Object.entries(members).filter((each) => isPicked(...each));
  return Object.fromEntries(entries);
}

/** The members of a body as its schemas return them, without its envelope. */
export async function sentTo(
  operation: Operation,
  input: Input,
  shown: Members,
): Promise<Members> {
  const body = await validatedBody(operation, input);
  const { members, envelope: [name] } = unwrapBody(body);
  return name !== undefined && name in shown ? body as Members : members;
}

/** The ways in which a value may match a JSON Schema, without references and unions. */
function waysOf(
  form: unknown,
  root: JsonSchema,
  followed?: ReadonlySet<string>,
): JsonSchema[] {
  const flat = flatten(form, root, followed);
  if (flat === undefined) return [];
  return flat.branches === undefined
    ? [flat.schema]
    : flat.branches.flatMap((each) => waysOf(each, root, flat.followed));
}

/**
 * A value without the strings, numbers and booleans that its JSON Schemas declare with
 * `readOnly`, so that the server may replace them. For objects and arrays, zod writes
 * the keyword for `readonly()`.
 */
function withoutReadOnly(
  value: unknown,
  forms: readonly unknown[],
  root: JsonSchema,
): unknown {
  const ways = forms.flatMap((form) => waysOf(form, root));
  if (Array.isArray(value)) {
    const kept = value.map((item, index) => {
      const inner = ways.map(({ prefixItems, items }) =>
        (prefixItems as unknown[])?.[index] ?? items
      );
      return withoutReadOnly(item, inner, root);
    }).filter((item) => item !== undefined);
    return kept.length < value.length ? undefined : kept;
  }
  if (!isObject(value)) {
    return ways.some(({ readOnly }) => readOnly) ? undefined : value;
  }
  const entries = Object.entries(value).map(([name, each]) => {
    const inner = ways.map((way) =>
      objectMembers(way).members.get(name) ?? way.additionalProperties
    );
    return [name, withoutReadOnly(each, inner, root)];
  });
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

/** The members whose values the server must keep, as the response to a `GET` declares. */
export function ownMembers(
  { responses }: Operation,
  members: Members,
  [envelope]: readonly string[],
): Members {
  const schema = responses.get(200)?.bodies[0]?.schema;
  const root = schema && lenientForm(schema, "input");
  if (root === undefined) return members;
  const wrapped = envelope === undefined ? members : { [envelope]: members };
  const kept = withoutReadOnly(wrapped, [root], root) as Members;
  return envelope === undefined ? kept : kept[envelope] as Members;
}

/** Whether a member has the value that was sent. */
export function keeps(
  { members }: Reading,
  name: string,
  value: unknown,
): boolean {
  return name in members &&
    differenceOf(value, members[name], value) === undefined;
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The source text that reads a member of the body: `(await response.json())["id"]`. */
export function sourceOf(path: readonly (string | number)[]): string {
  const steps = path.map((step) => `[${JSON.stringify(step)}]`);
  return `(await response.json())${steps.join("")}`;
}

/** Reports the first member of a resource that differs from its expected value. */
export function memberFault(
  { members, envelope }: Omit<Reading, "volatile">,
  wanted: Members,
  { reason, shape = wanted, isSame }: {
    readonly reason: string;
    readonly shape?: Members;
    readonly isSame?: Comparison;
  },
): Fault | undefined {
  const found = differenceOf(wanted, members, shape, isSame);
  if (found === undefined) return undefined;
  const { path, values } = found;
  const [value, other] = values.map((each) => JSON.stringify(each));
  const where = path.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${step}`
  ).join("").slice(1);
  return {
    expected: `"${where}": ${value}, ${reason}`,
    seen: `"${where}": ${other}`,
    assertion: `assertEquals(${sourceOf([...envelope, ...path])}, ${value});`,
  };
}

const STATUS = "response.status";

/** The status and the body of a response, by the source text that reads them. */
function partsOf(exchange: Exchange): Members {
  const json = jsonOf(exchange);
  const body = isObject(json)
    ? Object.entries(json).map(([name, value]) => [sourceOf([name]), value])
    : [["await response.text()", new TextDecoder().decode(exchange.body)]];
  return { [STATUS]: exchange.status, ...Object.fromEntries(body) };
}

/**
 * Finds the first part that differs from two other responses, apart from identifiers and
 * times. Parts that vary are ignored.
 */
export function partFault(
  response: Exchange,
  others: readonly Exchange[],
  { ids, expected }: {
    readonly ids: readonly string[];
    readonly expected: string;
  },
): Fault | undefined {
  if (others.length === 0) return undefined;
  const any = ids.map((id) => RegExp.escape(id)).join("|") || "(?!)";
  // A number of ten digits, or of three or six more, may be a time since 1970.
  const free = new RegExp(
    `(?<!\\w)(?:${any}|1\\d{9}(?:\\d{3}){0,2}(?:\\.\\d+)?)(?!\\w)|\\d\\d:\\d\\d(?::[\\d.]+)?`,
    "g",
  );
  const hidden = (parts: Members, source: string) => {
    const text = JSON.stringify(parts[source]);
    return source === STATUS ? text : text?.replaceAll(free, "…");
  };
  const [first, second] = others.map(partsOf) as [Members, Members];
  const parts = partsOf(response);
  const source = Object.keys(parts).find((source) => {
    const wanted = hidden(first, source);
    return wanted === hidden(second, source) &&
      wanted !== hidden(parts, source);
  });
  if (source === undefined) return undefined;
  const [name] = /".*"|status|text/.exec(source)!;
  const seen = JSON.stringify(parts[source]);
  return {
    expected: `${expected}: ${name} ${hidden(first, source) ?? "nothing"}`,
    seen: `${name} ${seen}`,
    assertion: `assertNotEquals(${source}, ${seen});`,
  };
}
