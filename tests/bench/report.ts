/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
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
