import { getOrCompute, isPlain } from "../common/values.ts";
import type { StandardSchemaIssue, StandardSchemaV1 } from "../types/schema.ts";
import { compilePlace } from "./declared_members.ts";
import {
  declaredAt,
  leftOut,
  type Member,
  type Place,
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
 * Finds the members of a JSON value that its schema does not name, such as the hash of
 * a password. A schema may drop these members from its output, but the server sends
 * them nevertheless.
 *
 * @param value The sent value, which the schema accepts.
 * @param output The schema's output for the value.
 */
export async function unnamedMembers(
  schema: StandardSchemaV1,
  value: unknown,
  output: unknown,
): Promise<readonly StandardSchemaIssue[] | undefined> {
  const place = getOrCompute(
    places,
    schema,
    () => compilePlace(schema, { isCheck: true }),
  );
  // Without a JSON Schema, the output shows which members may be unnamed.
  const named = place === undefined ? output : declaredAt(place, value).value;
  const drops = DROPPING.has(schema["~standard"].vendor);
  // The items of an array share one entry.
  const found = new Map<string, Member>();
  for (const member of leftOut(value, named)) {
    if (place !== undefined && drops && !isLost(output, member)) continue;
    const steps = member.path
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
    issues.push({ message, path: member.path });
  }
  return issues.length === 0 ? undefined : issues;
}

/** Whether an output lacks a member of its object. */
function isLost(output: unknown, { path, key }: Member): boolean {
  const made: unknown = path.slice(0, -1)
    .reduce((holder, step) => Object(holder)[step], output);
  return isPlain(made) && !Object.hasOwn(made, key);
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
