/** More levels than any honest body has, and fewer than overflow the stack. */
const HONEST_DEPTH = 500;

/** As much JSON, in characters, as no sound schema overflows the stack over. */
const HONEST_LENGTH = 1_000;

/**
 * What to tell a client whose value overflowed the stack of a schema; nothing if
 * the fault is not the client's.
 *
 * A value does so by its depth, 100,000 times `[` against a recursive schema, or
 * by its length: with 250,000 wrong items, zod calls `push(...issues)` with too
 * many arguments. A schema that recurses by its own fault does so on small values,
 * too.
 */
export function overflowFault(
  error: unknown,
  value: unknown,
): string | undefined {
  if (!(error instanceof RangeError) || !error.message.includes("call stack")) {
    return undefined;
  }
  if (isDeeper(value, HONEST_DEPTH)) return "The body is nested too deeply";
  // An empty body is `undefined`, which has no JSON.
  const json: string | undefined = JSON.stringify(value);
  return json !== undefined && json.length > HONEST_LENGTH
    ? "Too large to be checked"
    : undefined;
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
