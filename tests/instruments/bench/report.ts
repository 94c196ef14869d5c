/** The median of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The interval that contains the true median with 95 % confidence, for any distribution.
 * Its ends are two of the numbers. Each number is below the median with a probability of
 * one half, so 14 numbers give the third and the twelfth. Fewer than six numbers give
 * the whole range, with less confidence.
 */
export function medianInterval(
  numbers: readonly number[],
): readonly [low: number, high: number] {
  const sorted = numbers.toSorted((a, b) => a - b);
  const count = sorted.length;
  let chance = 0.5 ** count; // that no number is below
  let atMost = chance;
  let low = 0;
  while (low < count / 2) {
    chance *= (count - low) / (low + 1); // that one more is below
    atMost += chance;
    if (atMost > 0.025) break;
    low++;
  }
  return [sorted[low]!, sorted[count - 1 - low]!];
}

/** The median with its interval, as text: `0.95 (0.94–0.97)`. */
export function medianText(numbers: readonly number[], digits: number): string {
  const [low, high] = medianInterval(numbers)
    .map((each) => each.toFixed(digits));
  return `${median(numbers).toFixed(digits)} (${low}–${high})`;
}

export function geometricMean(ratios: readonly number[]): number {
  const sum = ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0);
  return Math.exp(sum / ratios.length);
}

/** The value of `--name=value` on the command line. */
export function option(name: string): string | undefined {
  const start = `--${name}=`;
  return Deno.args.find((arg) => arg.startsWith(start))?.slice(start.length);
}

export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join(
    "\n",
  );
}
