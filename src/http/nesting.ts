/** More levels than any honest body has, and fewer than overflow the stack. */
const HONEST_DEPTH = 500;

/**
 * Whether a schema failed because the value that a client sent is nested so deep
 * that checking it overflowed the stack: 100,000 times `[` against a recursive
 * schema. A schema that recurses by its own fault does so on shallow values, too.
 */
export function isNestedTooDeeply(error: unknown, value: unknown): boolean {
  return error instanceof RangeError &&
    error.message.includes("call stack") && isDeeper(value, HONEST_DEPTH);
}

/** Goes down level by level, without recursion. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let rest = depth; rest > 0 && level.length > 0; rest--) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : []
    );
  }
  return level.length > 0;
}
