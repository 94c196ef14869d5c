import { isObject, kindOf } from "../common/values.ts";
import type { StandardSchemaIssue } from "../types/schema.ts";
import {
  constantsOf,
  isNever,
  type JsonSchema,
  listOf,
  partsOf,
} from "./json_schema.ts";
import { expressionOf, membersOf, typeBit, TYPES } from "./ways.ts";

/**
 * The depth of references, parts and members below which every value fits, so that the
 * union at each level of a deep value need not read the whole value.
 */
const MAX_DEPTH = 30;

type Issue = StandardSchemaIssue;

/** Whether a JSON value fits a JSON Schema. */
export function fitsForm(
  form: unknown,
  value: unknown,
  root: JsonSchema,
): boolean {
  return isDone(issuesOf(form, value, { root, path: [], depth: 0 }));
}

/**
 * Compares a JSON value with a JSON Schema: its types, constants, members, items and
 * limits, but no formats.
 */
export function jsonIssues(form: JsonSchema, value: unknown): Issue[] {
  return [...issuesOf(form, value, { root: form, path: [], depth: 0 })];
}

interface Place {
  /** The JSON Schema that resolves the references. */
  readonly root: JsonSchema;
  readonly path: readonly PropertyKey[];
  readonly depth: number;
}

function isDone(issues: Generator<Issue, void>): boolean {
  return issues.next().done === true;
}

function* issuesOf(
  form: unknown,
  value: unknown,
  place: Place,
): Generator<Issue, void> {
  const { root, path, depth } = place;
  const below = { ...place, depth: depth + 1 };
  if (isNever(form)) yield { message: "must be absent", path };
  if (!isObject(form) || depth > MAX_DEPTH || isNever(form)) return;
  const own = ownFault(form, value);
  if (own !== undefined) yield { message: own, path };
  if (form.not !== undefined && isDone(issuesOf(form.not, value, below))) {
    yield { message: "must not fit the negated schema", path };
  }
  const { all, unions } = partsOf(form, root);
  for (const part of all) yield* issuesOf(part, value, below);
  for (const branches of unions) yield* unionIssues(branches, value, below);
  if (Array.isArray(value)) {
    const first = listOf(form.prefixItems);
    for (const [index, item] of value.entries()) {
      const inner = index < first.length ? first[index] : form.items;
      yield* issuesOf(inner, item, { ...below, path: [...path, index] });
    }
  } else if (isObject(value)) {
    yield* memberIssues(form, value, below);
  }
}

/** The issues of the first branch whose own type fits, unless a branch fits. */
function* unionIssues(
  branches: readonly unknown[],
  value: unknown,
  place: Place,
): Generator<Issue, void> {
  const found = branches.map((branch) => [...issuesOf(branch, value, place)]);
  if (found.some(({ length }) => length === 0)) return;
  const { path } = place;
  const nearest = found.find((issues) =>
    issues.every((issue) => issue.path!.length > path.length)
  );
  yield* nearest ?? [{ message: "must fit a branch of the union", path }];
}

function* memberIssues(
  form: JsonSchema,
  value: Record<string, unknown>,
  place: Place,
): Generator<Issue, void> {
  const { path } = place;
  for (const name of listOf(form.required).map(String)) {
    if (Object.hasOwn(value, name)) continue;
    yield { message: "is missing", path: [...path, name] };
  }
  const { named, others, isStrict } = membersOf(form);
  for (const [name, member] of Object.entries(value)) {
    const inner = named.get(name) ??
      others.find(({ allows }) => allows?.(name) ?? true)?.form ?? !isStrict;
    yield* issuesOf(inner, member, { ...place, path: [...path, name] });
  }
}

/** Describes how a value differs from the keywords of a JSON Schema itself. */
function ownFault(form: JsonSchema, value: unknown): string | undefined {
  const types = form.type === undefined ? [] : [form.type].flat().map(String);
  const isType = (type: string) => ((TYPES[type] ?? 0) & typeBit(value)) !== 0;
  if (types.length > 0 && !types.some(isType)) {
    const expected = types.map((type) =>
      type === "null" ? type : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`
    );
    return `must be ${expected.join(" or ")}, not ${kindOf(value)}`;
  }
  const constants = constantsOf(form)?.map((each) => JSON.stringify(each));
  if (constants?.includes(JSON.stringify(value)) === false) {
    return `must be ${constants.join(" or ")}`;
  }
  const sizes = typeof value === "string"
    ? [[...value].length, "Length", "characters"] as const
    : Array.isArray(value)
    ? [value.length, "Items", "items"] as const
    : undefined;
  if (sizes !== undefined) {
    const [size, keyword, what] = sizes;
    const { [`min${keyword}`]: min = 0, [`max${keyword}`]: max = size } = form;
    if (size < Number(min)) return `must have at least ${min} ${what}`;
    if (size > Number(max)) return `must have at most ${max} ${what}`;
  }
  const { pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum } =
    form;
  if (typeof value === "string") {
    return typeof pattern !== "string" || expressionOf(pattern).test(value)
      ? undefined
      : `must match the pattern ${pattern}`;
  }
  if (typeof value !== "number") return undefined;
  if (value < Number(minimum ?? value)) return `must be at least ${minimum}`;
  if (value > Number(maximum ?? value)) return `must be at most ${maximum}`;
  if (value <= Number(exclusiveMinimum ?? -Infinity)) {
    return `must be above ${exclusiveMinimum}`;
  }
  return value >= Number(exclusiveMaximum ?? Infinity)
    ? `must be below ${exclusiveMaximum}`
    : undefined;
}
