/** More levels than an honest body has, and too few to overflow the stack. */
const HONEST_DEPTH = 500;

/** So few characters of JSON that only a faulty schema overflows the stack. */
const HONEST_LENGTH = 1_000;

/**
 * The issue for a value that overflowed the stack of a schema; `undefined` if the
 * client is not at fault.
 *
 * A value can do so by its depth, with 100,000 times `[` and a recursive schema, or
 * by its length: with 250,000 wrong items, zod calls `push(...issues)` with too
 * many arguments. A schema with a fault of its own, such as an endless recursion,
 * does so with small values, too.
 */
export function overflowFault(
  error: unknown,
  value: unknown,
): string | undefined {
  if (!(error instanceof RangeError) || !error.message.includes("call stack")) {
    return undefined;
  }
  if (isDeeper(value, HONEST_DEPTH)) return "The body is nested too deeply";
  // An empty body is `undefined`; `JSON.stringify` then returns that, too.
  const json: string | undefined = JSON.stringify(value);
  return json !== undefined && json.length > HONEST_LENGTH
    ? "Too large to be checked"
    : undefined;
}

/** Looks level by level, since recursion could overflow the stack itself. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let rest = depth; rest > 0 && level.length > 0; rest--) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : []
    );
  }
  return level.length > 0;
}
