import { assert } from "@std/assert";
import type { Report } from "../../../src/core/common/faults.ts";
import { checkModule } from "../../../src/core/start/modules.ts";

export const GET = () => new Response();

/** The faults of the exports of a route file. */
export function faultsOf(exports: Record<string, unknown>): string[] {
  return faultsFrom((report) => checkModule(exports, report));
}

/** The faults that a check reports. */
export function faultsFrom(check: (report: Report) => unknown): string[] {
  const faults: string[] = [];
  check((reason) => faults.push(reason));
  return faults;
}

/** The exports of a route file without faults. */
export function moduleOf(exports: Record<string, unknown>) {
  const module = checkModule(exports, (reason) => assert(false, reason));
  assert(module !== undefined);
  return module;
}
