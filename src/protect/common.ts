import { withDeadline } from "../core/common/deadline.ts";
import type { Form } from "../core/common/forms.ts";
import { formatValue, isObject, isThenable } from "../core/common/values.ts";
import {
  describedSchema,
  type JsonSchema,
} from "../core/schema/json_schema.ts";
import type { StandardSchemaV1 } from "../core/types/schema.ts";

/** The requirement for an option that is a number, a size or a time in milliseconds. */
export const COUNT: Form = {
  accepts: (value) => Number.isSafeInteger(value) && value as number > 0,
  expected: "must be a whole number of at least 1",
};

export function storeWith(method: string): Form {
  return {
    accepts: (value) =>
      typeof value === "function" ||
      isObject(value) && typeof value[method] === "function",
    expected:
      "must be a store, such as memoryStore(), or a function that returns one",
    isRequired: true,
  };
}

/** @throws {TypeError} If an option's function returned a value that is not a string. */
export function assertString(
  value: unknown,
  doing: string,
): asserts value is string {
  if (typeof value === "string") return;
  throw new TypeError(
    `Cannot ${doing} must return a string, got ${formatValue(value)}`,
  );
}

const ENCODER = new TextEncoder();

/** The SHA-256 digest of a string or of bytes, in hexadecimal digits. */
export async function digestOf(
  data: string | Uint8Array<ArrayBuffer>,
): Promise<string> {
  const bytes = typeof data === "string" ? ENCODER.encode(data) : data;
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}

/** The time after which a call of a store has failed, in milliseconds. */
const TIMEOUT = 1000;

/**
 * Waits for the result of a store. A database may return a thenable of its own class.
 *
 * @throws {Error} If the result takes longer than a second.
 */
export async function resultOf<Result>(
  work: Result | PromiseLike<Result>,
): Promise<Result> {
  if (!isThenable(work)) return work;
  return await withDeadline(
    Promise.resolve(work),
    TIMEOUT,
    () => new Error(`Cannot use the store: no result within ${TIMEOUT} ms`),
  );
}

/** A schema of headers from its JSON Schema and a check. */
export function schemaOf<Headers>(
  form: JsonSchema,
  validate: StandardSchemaV1<Headers>["~standard"]["validate"],
): StandardSchemaV1<Headers> {
  return {
    "~standard": describedSchema("bough-protect", validate, () => form),
  };
}

/** A schema of response headers, with descriptions in Markdown. */
export function headerSchema<Name extends string>(
  descriptions: Readonly<Record<Name, string>>,
  required: readonly NoInfer<Name>[],
): StandardSchemaV1<{ readonly [Header in Name]?: string }> {
  const headers = Object.entries<string>(descriptions);
  const properties = Object.fromEntries(
    headers.map(([name, description]) =>
      [name, { type: "string", description }] as const
    ),
  );
  type Sent = { readonly [Header in Name]?: string };
  return schemaOf<Sent>({ type: "object", properties, required }, (value) => {
    const missing = required.find((name) =>
      !isObject(value) || typeof value[name] !== "string"
    );
    return missing === undefined
      ? { value: value as Sent }
      : { issues: [{ message: `"${missing}" is missing` }] };
  });
}

/** The header of a response that asks the client to repeat its request. */
export const RETRY_HEADER: ReturnType<typeof headerSchema<"retry-after">> =
  headerSchema({
    "retry-after": "The seconds after which the same request may succeed",
  }, []);
