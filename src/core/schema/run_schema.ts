import { getOrCompute, isThenable, shorten } from "../common/values.ts";
import { InvalidRequest, type ValidationIssue } from "../errors.ts";
import { describeType } from "../common/response.ts";
import { lenientForm, pointerStep, type ZodPart } from "./json_schema.ts";
import { describedShape, type Shape } from "./shape.ts";
import type {
  SchemaPart,
  StandardSchemaIssue,
  StandardSchemaResult,
  StandardSchemaV1,
} from "../types/schema.ts";

/** The result of a schema: a value, or issues. */
export type SchemaResult = StandardSchemaResult<unknown>;

/**
 * Checks a value with a schema. Returns a promise only if the schema returns one, which
 * few schemas do.
 *
 * @param name The part that the schema checks, such as `"body"`, for the message.
 * @throws {TypeError} If the schema returns neither a value nor issues.
 */
export function runSchema(
  schema: StandardSchemaV1,
  value: unknown,
  name: string,
): SchemaResult | Promise<SchemaResult> {
  try {
    const result = getOrCompute(validators, schema, validatorOf)(value);
    return isThenable(result)
      ? runLater(result, value, name)
      : assertResult(result, name);
  } catch (error) {
    return refuseOverflow(error, value);
  }
}

/** The function with which a schema checks a value, as Standard Schema defines it. */
type Validator = StandardSchemaV1["~standard"]["validate"];

const validators = new WeakMap<StandardSchemaV1, Validator>();

/**
 * A schema of zod that may wait validates with `safeParseAsync()`. Its `validate()` tries
 * without waiting first, so it calls each function of the user again, and loses the
 * first promise, so that its rejection ends the process (colinhacks/zod#6610).
 */
function validatorOf(schema: StandardSchemaV1): Validator {
  const standard = schema["~standard"];
  const { safeParseAsync } = schema as {
    safeParseAsync?: (value: unknown) => Promise<
      { data?: unknown; error?: { issues: readonly StandardSchemaIssue[] } }
    >;
  };
  if (safeParseAsync === undefined || !mayWait(schema)) {
    return (value) => standard.validate(value);
  }
  return async (value) => {
    const { error, data } = await safeParseAsync.call(schema, value);
    return error === undefined ? { value: data } : { issues: error.issues };
  };
}

/** The types of zod that may wait, or whose parts JSON Schema cannot describe. */
const WAITING = ["custom", "function", "map", "promise", "set", "transform"];

/** Whether a schema of zod may contain a function of the user, or a promise. */
function mayWait(schema: StandardSchemaV1): boolean {
  let waits = false;
  const read = ({ zodSchema: { _zod: { def } } }: ZodPart) => {
    const parts = [def.in, ...def.checks ?? []].map((each) => each?._zod.def);
    waits ||= [def, ...parts].some((each) =>
      each?.transform || each?.check === "custom" ||
      WAITING.includes(each?.type ?? "")
    );
  };
  const isDescribed = (["input", "output"] as const).every((direction) =>
    lenientForm(schema, direction, read) !== undefined
  );
  return waits || !isDescribed;
}

/**
 * Checks a value without waiting, even if the schema has functions of the user. The result
 * is `undefined` if one of them is asynchronous, or throws.
 */
export function resultAtOnce(
  schema: StandardSchemaV1,
  value: unknown,
): SchemaResult | undefined {
  try {
    const result = schema["~standard"].validate(value);
    if (!isThenable(result)) return assertResult(result, "value");
    result.then(undefined, () => {});
  } catch { /* The schema cannot check the value. */ }
  return undefined;
}

async function runLater(
  result: PromiseLike<SchemaResult>,
  value: unknown,
  name: string,
): Promise<SchemaResult> {
  try {
    return assertResult(await result, name);
  } catch (error) {
    return refuseOverflow(error, value);
  }
}

function assertResult(result: SchemaResult, name: string): SchemaResult {
  if (typeof result === "object" && result !== null) {
    const { issues } = result;
    if (issues === undefined ? "value" in result : Array.isArray(issues)) {
      // Copy the checked issues, since a getter may return another value later.
      return issues === undefined ? result : { issues };
    }
  }
  const found = `The schema of "${name}" returned ${describeType(result)}`;
  throw new TypeError(
    `${found}; it must return { value } or { issues: [...] }, as Standard Schema defines`,
  );
}

/**
 * The depth up to which a body is legitimate, since a valid schema can check these
 * levels without a stack overflow.
 */
const LEGITIMATE_DEPTH = 500;

/**
 * The length up to which JSON is legitimate. If checking such JSON overflows the stack,
 * the schema is faulty.
 */
const LEGITIMATE_LENGTH = 1_000;

/**
 * Turns a stack overflow that the value caused into an issue.
 *
 * The cause can be the depth of the value, such as 100,000 times `[` with a recursive
 * schema. The cause can also be the length of the value: for 250,000 invalid items, zod
 * calls `push(...issues)` with too many arguments. A faulty schema, such as one with
 * endless recursion, overflows the stack even if the value is small.
 */
function refuseOverflow(error: unknown, value: unknown): SchemaResult {
  if (!(error instanceof RangeError) || !error.message.includes("call stack")) {
    throw error;
  }
  if (isDeep(value)) {
    return { issues: [{ message: "The body is nested too deeply" }] };
  }
  // An empty body is `undefined`, for which `JSON.stringify` returns `undefined`, too.
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined || json.length <= LEGITIMATE_LENGTH) throw error;
  return { issues: [{ message: "Too large to be checked" }] };
}

/**
 * Whether a value is too deep to be legitimate. Descends level by level, since
 * recursion could also overflow the stack.
 */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let rest = LEGITIMATE_DEPTH; rest > 0 && level.length > 0; rest--) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : []
    );
  }
  return level.length > 0;
}

/** The maximum number of issues that a problem lists. */
const MAX_LISTED = 100;
/**
 * The maximum size of the listed issues as JSON, in bytes. The limit keeps the whole
 * problem below 64 KiB.
 */
const MAX_BYTES = 63 * 1024;
const MAX_POINTER = 1_000;
const MAX_DETAIL = 2_000;

const UTF8 = new TextEncoder();

/** How a value or a response differs from its schema. */
export interface Mismatch {
  /** A description; `""` without a difference. */
  readonly text: string;
  /** The members and headers that the text names, such as `body#/items/[]/name`. */
  readonly at: readonly string[];
}

/**
 * Collects the issues of a request: lists the first issues, and counts all.
 *
 * The client controls the number and length of the issues. A body of 300 KB, with
 * 100,000 invalid items below one key of 100,000 characters, would result in 10 GB of
 * pointers.
 */
export class IssueReport {
  readonly listed: ValidationIssue[] = [];
  /** The total number of issues. */
  count = 0;
  #bytes = 0;

  /** Adds the issues that a schema found in a part. */
  add(part: SchemaPart, issues: readonly StandardSchemaIssue[]): void {
    // A schema may fail without an issue.
    const found = issues.length > 0 ? issues : [{ message: "Invalid" }];
    const complete = this.listed.length === this.count;
    this.count += found.length;
    if (!complete) return;
    for (const issue of found) {
      if (this.listed.length === MAX_LISTED) return;
      const { message } = issue;
      const listed: ValidationIssue = {
        in: part,
        pointer: pointerOf(issue),
        detail: shorten(String(message), MAX_DETAIL),
      };
      this.#bytes += UTF8.encode(JSON.stringify(listed)).length + 1;
      if (this.#bytes > MAX_BYTES) return;
      this.listed.push(listed);
    }
  }

  /**
   * The issues as sentences, for a developer: `at "#/id" must be a number`.
   *
   * @param other A further difference.
   */
  mismatch(other?: Mismatch): Mismatch {
    const words = this.listed.map(({ in: part, pointer, detail }) =>
      part === "headers"
        ? `header "${pointer.replace(/^#\/?/, "")}" ${detail}`
        : `at "${pointer}" ${detail}`
    );
    const rest = this.count - words.length;
    if (rest > 0) words.push(`and ${rest} more`);
    if (other !== undefined) words.push(other.text);
    const places = this.listed.map(({ in: part, pointer }) => part + pointer);
    const at = [...membersIn(places), ...other?.at ?? []];
    return { text: words.join("; "), at };
  }

  /** The error for the client, with the issues. */
  error(): InvalidRequest {
    const { listed, count } = this;
    return new InvalidRequest(
      "The request does not fit its schema",
      count > listed.length ? { issueCount: count } : {},
      listed,
    );
  }
}

/** The name of the member that an issue concerns; `undefined` for the whole value. */
export function memberOf(
  { path: [step] = [] }: StandardSchemaIssue,
): string | undefined {
  return step === undefined ? undefined : String(Object(step).key ?? step);
}

/**
 * The pointer of an issue: `["items", 0, "a/b"]` becomes `#/items/0/a~1b`. If the
 * pointer would be too long, it ends early, at a value that contains the invalid value.
 */
export function pointerOf({ path = [] }: StandardSchemaIssue): string {
  let pointer = "#";
  for (const step of path) {
    const key = String(typeof step === "object" ? step.key : step);
    if (pointer.length + key.length >= MAX_POINTER) break;
    const escaped = pointerStep(key);
    const longer = `${pointer}/${encodeURIComponent(escaped.toWellFormed())}`;
    if (longer.length > MAX_POINTER) break;
    pointer = longer;
  }
  return pointer;
}

/** The members in places, such as `body#/items/[]/name` in `body#` and `body#/items/0/name`. */
export function membersIn(places: readonly string[]): string[] {
  const members = places.filter((place) => place.includes("#/"))
    .map((place) => place.replaceAll(/\/\d+(?=\/|$)/g, "/[]"));
  return [...new Set(members)];
}

/** The values of a query or a form, by name; a repeated name has an array. */
type Values = Record<string, unknown>;

/** The members of a query or a form that are lists, even if a name occurs once. */
export interface Lists {
  /** Whether a member is always a list, or only if the schema rejects its value. */
  readonly kindOf: (name: string) => "list" | "either" | undefined;
  /** Whether any member is always a list. */
  readonly hasLists: boolean;
  /** The required names that may be absent: the schema then gets `[]`. */
  readonly needed: readonly string[];
  /** Whether an issue of the whole object may concern any member. */
  readonly isUnion: boolean;
}

/** Without a JSON Schema, only the schema itself knows its lists. */
const UNKNOWN: Lists = {
  kindOf: () => "either",
  hasLists: false,
  needed: [],
  isUnion: false,
};

/** A cache, since one contract may cover many routes. */
const known = new WeakMap<StandardSchemaV1, Lists>();

/** The lists of a query or a form, compiled once from the JSON Schema of its schema. */
export function listsOf(schema: StandardSchemaV1): Lists {
  return getOrCompute(known, schema, () => {
    const shape = describedShape(schema, "strings");
    return shape === undefined ? UNKNOWN : describedLists(shape);
  });
}

function describedLists({ objects }: Shape): Lists {
  const kindIn = (shapes: readonly Shape[]): ReturnType<Lists["kindOf"]> => {
    if (!shapes.some((shape) => shape.allows("array"))) return undefined;
    return shapes.some((shape) => shape.allows("string")) ? "either" : "list";
  };
  const kinds = new Map(
    objects.flatMap(({ names }) => names).map((name) => [
      name,
      kindIn(objects.flatMap((each) => each.member(name) ?? [])),
    ]),
  );
  const others = kindIn(
    objects.flatMap(({ more }) => more.map(({ shape }) => shape)),
  );
  // In zod, a list with `.catch()` is required, but has a default.
  const needed = [...kinds.keys()].filter((name) =>
    kinds.get(name) === "list" &&
    objects.every((each) =>
      each.required.includes(name) &&
      each.formsOf(name).every((form) => form.default === undefined) &&
      each.member(name)!.arrays.some(({ minItems }) => minItems === 0)
    )
  );
  const kindOf = (name: string) => kinds.has(name) ? kinds.get(name) : others;
  const hasLists = others === "list" || [...kinds.values()].includes("list");
  return { kindOf, hasLists, needed, isUnion: objects.length > 1 };
}

/** Makes the sent values of all members that are always lists into lists. */
export function withLists(schema: StandardSchemaV1, values: Values): Values {
  const { kindOf, hasLists, needed } = listsOf(schema);
  if (!hasLists) return values;
  for (const name in values) {
    if (!Array.isArray(values[name]) && kindOf(name) === "list") {
      values[name] = [values[name]];
    }
  }
  for (const name of needed) values[name] ??= [];
  return values;
}

/**
 * Checks the values of a query or a form, in which one value may be a list. If the
 * schema rejects a single value, asks the schema once more, with a list of this value.
 *
 * @param read Reads the sent values. Called again, since a schema may modify its input.
 */
export function runWithLists(
  schema: StandardSchemaV1,
  read: () => Values,
  part: SchemaPart,
): SchemaResult | Promise<SchemaResult> {
  const result = runSchema(schema, withLists(schema, read()), part);
  return result instanceof Promise || result.issues !== undefined
    ? askAgain(schema, result, { read, part })
    : result;
}

async function askAgain(
  schema: StandardSchemaV1,
  result: SchemaResult | Promise<SchemaResult>,
  { read, part }: { readonly read: () => Values; readonly part: SchemaPart },
): Promise<SchemaResult> {
  const first = result instanceof Promise ? await result : result;
  if (first.issues === undefined) return first;
  const { kindOf, isUnion } = listsOf(schema);
  const rejectedBy = ({ issues = [] }: SchemaResult) => {
    const steps = new Set(issues.map(memberOf));
    return (name: string) => steps.has(name) || isUnion && steps.has(undefined);
  };
  const values = withLists(schema, read());
  const names = Object.keys(values).filter((name) =>
    !Array.isArray(values[name]) && kindOf(name) === "either"
  ).filter(rejectedBy(first));
  if (names.length === 0) return first;
  for (const name of names) values[name] = [values[name]];
  try {
    const second = await runSchema(schema, values, part);
    return names.some(rejectedBy(second)) ? first : second;
  } catch {
    // A function in the schema expects no list here.
    return first;
  }
}
