import { overflowFault } from "./overflow.ts";
import { describeType } from "../response.ts";
import type { StandardSchemaResult, StandardSchemaV1 } from "./schema.ts";

/** The result of a schema: a value, or issues. */
export type SchemaResult = StandardSchemaResult<unknown>;

/**
 * Checks a value by a schema. It returns a promise only if the schema does: most
 * schemas do not.
 *
 * @param name The part that the schema is for, such as `"body"`, for the message.
 * @throws {TypeError} If the schema returns neither a value nor issues: then nothing
 * has checked the value.
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

/** Turns a stack overflow that the value caused into an issue. */
function refuseOverflow(error: unknown, value: unknown): SchemaResult {
  const message = overflowFault(error, value);
  if (message === undefined) throw error;
  return { issues: [{ message }] };
}

/** Whether a result is a promise, be it of another realm or library. */
function isThenable<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as PromiseLike<T> | undefined)?.then === "function";
}

function assertResult(result: SchemaResult, name: string): SchemaResult {
  if (typeof result === "object" && result !== null) {
    const { issues } = result;
    if (issues === undefined ? "value" in result : Array.isArray(issues)) {
      // What was checked is what counts: a getter may return something else later.
      return issues === undefined ? result : { issues };
    }
  }
  throw new TypeError(
    `The schema of "${name}" returned ${
      describeType(result)
    }; it must return { value } or { issues: [...] }, as Standard Schema has it`,
  );
}
