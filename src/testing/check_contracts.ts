import {
  type ContractTestOptions,
  resolveTestOptions,
  type TestedApplication,
} from "./options.ts";
import {
  type ContractFailure,
  PROPERTIES,
  type PropertyName,
} from "./checks.ts";
import type { Coverage, OperationResult } from "./report/report.ts";
import { ContractRun } from "./run.ts";
import type { MakeApplication } from "./send/target.ts";

/** How {@linkcode checkContracts} tests an application. */
export interface CheckOptions extends ContractTestOptions {
  /**
   * The properties to test.
   *
   * @default {all of them}
   */
  readonly properties?: readonly PropertyName[];
  /** Is called after each property of each operation, to show how far it is. */
  readonly onResult?: (result: OperationResult) => void;
}

/** The properties that send what fits, which tells what is tested. */
const FITTING: readonly PropertyName[] = ["failure", "accepted", "declared"];

/** What {@linkcode checkContracts} found. */
export interface ContractReport extends Coverage {
  /** The seed of all random choices. */
  readonly seed: number;
  /** What came of each property with each operation that it concerns. */
  readonly results: readonly OperationResult[];
  /** The properties that do not hold. */
  readonly failures: readonly ContractFailure[];
}

/**
 * Tests an application by its schemas, for programs and tools: in `deno test`, use
 * {@linkcode contractTests}.
 *
 * @param app The application, or a function that makes it.
 * @param options How to test it.
 * @returns What was found.
 * @throws {RouteError} If the application cannot start.
 * @throws {TypeError} If an option is unknown, or its value invalid.
 *
 * @example Usage
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { checkContracts } from "@bough/framework/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const app = new Framework({ apiDir: "examples/minimal/api" });
 * const { failures } = await checkContracts(app, { seed: 7, runs: 10 });
 * assertEquals(failures, []);
 * ```
 */
export async function checkContracts(
  app: TestedApplication | MakeApplication,
  { properties = PROPERTIES, onResult, ...options }: CheckOptions = {},
): Promise<ContractReport> {
  const resolved = resolveTestOptions(options);
  const run = await ContractRun.create(makerOf(app), resolved);
  const results: OperationResult[] = [];
  for (const property of PROPERTIES) {
    if (!properties.includes(property)) continue;
    for (const operation of run.operations) {
      const result = await run.test(property, operation);
      if (result === undefined) continue;
      results.push(result);
      onResult?.(result);
    }
  }
  const last = await run.settle();
  if (last !== undefined) results.push(last);
  return {
    seed: resolved.seed,
    ...(properties.some((each) => FITTING.includes(each))
      ? run.coverage
      : { untested: [], problem: undefined }),
    results,
    failures: results.flatMap(({ failure }) => failure ?? []),
  };
}

/** A function that makes an application; or that returns the one that there is. */
export function makerOf(
  app: TestedApplication | MakeApplication,
): MakeApplication {
  return typeof app === "function" ? app : () => app;
}
