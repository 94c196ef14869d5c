import { assertLess } from "@std/assert";
import { cpuUsage } from "node:process";

/**
 * Runs a function, and fails if it takes more CPU time than a limit in milliseconds. Other
 * processes, and a pause of this one, do not count.
 */
export async function assertCpuTime(
  most: number,
  run: () => unknown,
): Promise<void> {
  const start = cpuUsage();
  await run();
  const { user, system } = cpuUsage(start);
  assertLess((user + system) / 1_000, most);
}
