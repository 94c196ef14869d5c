import { overflowFault } from "./overflow.ts";
import { kindOf } from "../response.ts";
import type { StandardSchemaResult, StandardSchemaV1 } from "./schema.ts";

/** What a schema says of a value. */
export type SchemaResult = StandardSchemaResult<unknown>;

/**
 * Checks a value by a schema. It gives a promise only where the schema does, since
 * most schemas say at once what they found.
 *
 * @param name What the schema is for, such as `"body"`, for the message.
 * @throws {TypeError} If the schema gives neither a value nor issues. To take that
 * for a value would let through what nothing has checked.
 */
export function runSchema(
  schema: StandardSchemaV1,
  value: unknown,
  name: string,
): SchemaResult | Promise<SchemaResult> {
  try {
    const result = schema["~standard"].validate(value);
    return isThenable(result)
      ? runLater(result, value, name)
      : assertResult(result, name);
  } catch (error) {
    return refuseOverflow(error, value);
  }
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

/** A value that is too much for a schema has an issue, as any other unfit value. */
function refuseOverflow(error: unknown, value: unknown): SchemaResult {
  const message = overflowFault(error, value);
  if (message === undefined) throw error;
  return { issues: [{ message }] };
}

/** Whether a result is a promise, also one of another realm or library. */
function isThenable<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as PromiseLike<T> | undefined)?.then === "function";
}

function assertResult(result: SchemaResult, name: string): SchemaResult {
  if (typeof result === "object" && result !== null) {
    const { issues } = result;
    if (issues === undefined ? "value" in result : Array.isArray(issues)) {
      return result;
    }
  }
  throw new TypeError(
    `The schema of "${name}" returned ${
      kindOf(result)
    }; it must return { value } or { issues: […] }, as Standard Schema has it`,
  );
}
