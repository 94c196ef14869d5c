/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Where the true median lies, with 95 % confidence: between two of the numbers
 * themselves, whatever their distribution. Each lies below it as a coin shows
 * heads, so of 14 the third to the twelfth do. Of fewer than six it is the whole
 * range, which is less certain.
 */
export function medianInterval(
  numbers: readonly number[],
): readonly [low: number, high: number] {
  const sorted = numbers.toSorted((a, b) => a - b);
  const count = sorted.length;
  let chance = 0.5 ** count; // that none lies below
  let atMost = chance;
  let low = 0;
  while (low < count / 2) {
    chance *= (count - low) / (low + 1); // that one more does
    atMost += chance;
    if (atMost > 0.025) break;
    low++;
  }
  return [sorted[low]!, sorted[count - 1 - low]!];
}

/** The geometric mean of some ratios. */
export function geometricMean(ratios: readonly number[]): number {
  const sum = ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0);
  return Math.exp(sum / ratios.length);
}

/** The value of `--name=value` on the command line. */
export function option(name: string): string | undefined {
  const start = `--${name}=`;
  return Deno.args.find((arg) => arg.startsWith(start))?.slice(start.length);
}

/** A table in Markdown. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join(
    "\n",
  );
}
