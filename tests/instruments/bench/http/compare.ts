/** Compares servers with a reference that runs at nearly the same time. */
import { geometricMean } from "../report.ts";
import type { Load } from "./load.ts";

export interface Measurement extends Load {
  readonly server: string;
  readonly case: string;
  readonly round: number;
  readonly process: number;
}

export interface CompareOptions {
  readonly server: string;
  readonly reference: string;
  /** The compared figure, such as the requests per second. */
  readonly figure: (load: Load) => number;
}

/**
 * The order of the servers in a round. Over all rounds, each server is equally often the
 * first, and follows each neighbor: `ab ba ba ab` for two.
 */
export function orderOfRound<T>(servers: readonly T[], round: number): T[] {
  const first = round % servers.length;
  const order = [...servers.slice(first), ...servers.slice(0, first)];
  const turn = Math.floor(round / servers.length);
  return turn % 2 === 0 ? order : order.reverse();
}

/**
 * The ratios of a server to the reference, by case, and over all cases as `all`. Each
 * ratio compares processes with the same number in one round, so a slow minute of the
 * machine affects both.
 */
export function compare(
  measurements: readonly Measurement[],
  { server, reference, figure }: CompareOptions,
): Record<string, number[]> {
  const references = new Map(
    measurements
      .filter((each) => each.server === reference)
      .map((each) => [`${each.case} ${each.round} ${each.process}`, each]),
  );
  const byCase: Record<string, number[]> = {};
  const byRound: Record<string, number[]> = {};
  for (const each of measurements) {
    if (each.server !== server) continue;
    const round = `${each.round} ${each.process}`;
    const ratio = figure(each) /
      figure(references.get(`${each.case} ${round}`)!);
    (byCase[each.case] ??= []).push(ratio);
    (byRound[round] ??= []).push(ratio);
  }
  return { all: Object.values(byRound).map(geometricMean), ...byCase };
}
