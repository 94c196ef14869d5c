import { getOrCompute, isPlain } from "../common/values.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import { compilePlace } from "./declared_members.ts";
import {
  type Member,
  pathOf,
  type Place,
  undeclaredIn,
} from "./declared_places.ts";
import { runSchema } from "./run_schema.ts";

/** The maximum number of members to find. */
const MAX_MEMBERS = 100;

/**
 * The libraries whose schemas drop unnamed members by default. If a schema of these
 * libraries keeps such members, its author allows them.
 */
const DROPPING: ReadonlySet<string> = new Set(["valibot", "zod"]);

/** The compiled schemas, since an event stream checks many values with one schema. */
const places = new WeakMap<StandardSchemaV1, Place | undefined>();

/**
 * Finds the members of a JSON value that its schema converts, such as a string for
 * `z.coerce.number()`, or does not name, such as the hash of a password. A schema may
 * drop such members from its output, but the server sends them nevertheless.
 *
 * @param value The sent value, which the schema accepts.
 * @param output The schema's output for the value.
 */
export async function unnamedMembers(
  schema: StandardSchemaV1,
  value: unknown,
  output: unknown,
): Promise<readonly StandardSchemaIssue[] | undefined> {
  const changes = [...changesOf(value, output)];
  const converted = changes.flatMap(({ member, made }) => {
    if (made === undefined) return [];
    const [sent, type] = [typeof member.holder[member.key], typeof made];
    const message =
      `is a ${sent}, but the schema makes it a ${type}; send a ${type}`;
    return [{ message, path: pathOf(member) }];
  });
  if (converted.length > 0) {
    // Such a schema accepts what it makes, too, unlike `z.stringbool()`.
    const { issues } = await runSchema(schema, output, "response");
    if (issues === undefined) return converted;
  }
  const place = getOrCompute(
    places,
    schema,
    () => compilePlace(schema, { isCheck: true }),
  );
  // Without a JSON Schema, the output shows which members may be unnamed.
  const unnamed = place === undefined
    ? changes.flatMap(({ member, made }) => made === undefined ? member : [])
    : undeclaredIn(value, place);
  const drops = DROPPING.has(schema["~standard"].vendor);
  // The items of an array share one entry.
  const found = new Map<string, Member>();
  for (const member of unnamed) {
    if (place !== undefined && drops && !isLost(output, member)) continue;
    const steps = pathOf(member)
      .map((step) => typeof step === "number" ? 0 : step);
    const kind = JSON.stringify(steps);
    if (!found.has(kind)) found.set(kind, member);
    if (found.size === MAX_MEMBERS) break;
  }
  const issues: StandardSchemaIssue[] = [];
  for (const member of found.values()) {
    if (place === undefined && !await isIgnored(schema, value, member)) {
      continue;
    }
    const message = "is undeclared; declare it, or do not send it";
    issues.push({ message, path: pathOf(member) });
  }
  return issues.length === 0 ? undefined : issues;
}

/** A member that an output lacks, or has as a value of another type. */
interface Change {
  readonly member: Member;
  readonly made: unknown;
}

function* changesOf(value: unknown, output: unknown): Generator<Change, void> {
  const root: Member = { holder: { "": value }, key: "" };
  // A list instead of recursion, so that no value overflows the stack.
  const rest: Change[] = [{ member: root, made: output }];
  for (let next; (next = rest.pop()) !== undefined;) {
    const { member: above, made } = next;
    const value = above.holder[above.key];
    if (isContainer(value) && isContainer(made)) {
      for (const key of value === made ? [] : Object.keys(value).reverse()) {
        const inner = Object.hasOwn(made, key) ? made[key] : undefined;
        rest.push({ member: { holder: value, key, above }, made: inner });
      }
    } else if (made === undefined ? above !== root : isConverted(value, made)) {
      yield next;
    }
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return isPlain(value) || Array.isArray(value);
}

function isConverted(value: unknown, made: unknown): boolean {
  const types = ["string", "number", "boolean"];
  return typeof value !== typeof made && types.includes(typeof value) &&
    types.includes(typeof made);
}

/** Whether an output lacks a member of its object. */
function isLost(output: unknown, member: Member): boolean {
  const made: unknown = pathOf(member).slice(0, -1)
    .reduce((holder, step) => Object(holder)[step], output);
  return isPlain(made) && !Object.hasOwn(made, member.key);
}

/**
 * Whether a schema ignores a member. If so, the schema accepts even a value that JSON
 * cannot represent.
 */
async function isIgnored(
  schema: StandardSchemaV1,
  value: unknown,
  { holder, key }: Member,
): Promise<boolean> {
  const sent = holder[key];
  try {
    holder[key] = Symbol("a value that no schema accepts");
    return (await runSchema(schema, value, "response")).issues === undefined;
  } catch {
    return false;
  } finally {
    holder[key] = sent;
  }
}
