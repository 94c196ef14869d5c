/** Loads servers in interleaved rounds, one right after the other. */
import { writeRoutes } from "./bough_routes.ts";
import type { Case } from "./cases.ts";
import { type Measurement, orderOfRound } from "./compare.ts";
import { load, verify, writeScript } from "./load.ts";
import { type Server, start, type StartOptions } from "./servers.ts";

/** The servers to measure, and how often to measure each. */
export interface MeasureOptions extends Omit<StartOptions, "apiDir" | "stack"> {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly processes: number;
}

/** Verifies every response of the servers, and then measures each case in all rounds. */
export async function measure(
  cases: readonly Case[],
  options: MeasureOptions,
): Promise<Measurement[]> {
  const { names, before, rounds, seconds, processes } = options;
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const apiDir = `${folder}/api`;
  await writeRoutes(apiDir);
  /** One group for each process number, with each server once. */
  const groups: Server[][] = [];
  for (let process = 0; process < processes; process++) {
    const group: Server[] = [];
    for (const name of names) {
      group.push(await start(name, { apiDir, before, stack }));
    }
    groups.push(group);
  }

  const measurements: Measurement[] = [];
  for (const each of cases) {
    const script = await writeScript(folder, each);
    for (const server of groups.flat()) {
      await verify(server, each);
      await load(server, each, { seconds: 1, script });
    }
    for (let round = 0; round < rounds; round++) {
      for (const [process, group] of groups.entries()) {
        for (const server of orderOfRound(group, round)) {
          measurements.push({
            server: server.name,
            case: each.name,
            round,
            process,
            ...await load(server, each, { seconds, script }),
          });
        }
      }
    }
  }
  return measurements;
}
