import { printable } from "../common/log.ts";
import { makerOf } from "./check_contracts.ts";
import {
  type ContractTestOptions,
  resolveTestOptions,
  type TestedApplication,
} from "./options.ts";
import { ContractError, PROPERTIES, TITLES } from "./checks.ts";
import { failureText } from "./report/report.ts";
import { ContractRun } from "./run.ts";
import type { MakeApplication } from "./send/target.ts";

/**
 * Registers tests that an application keeps to its own schemas: one test for each
 * property, with a step for each operation, and one that fails if too little was
 * tested; see the option `strict`. `deno test` runs them.
 *
 * @param app A function that makes the application, or the application itself. If it
 * is made anew each time, a failure is made smaller from the beginning of the
 * application; so it is with the option `reset`.
 * @param options How to test it.
 * @throws {TypeError} If an option is unknown, or its value invalid.
 *
 * @example Usage
 * ```ts ignore
 * import { Framework } from "@bough/framework";
 * import { contractTests } from "@bough/framework/testing";
 *
 * contractTests(() => new Framework({ apiDir: "examples/minimal/api" }), {
 *   as: { authorization: "Bearer test" },
 *   runs: 20,
 * });
 * ```
 */
export function contractTests(
  app: TestedApplication | MakeApplication,
  options: ContractTestOptions = {},
): void {
  const resolved = resolveTestOptions(options);
  let running: Promise<ContractRun> | undefined;
  const runOnce = () => running ??= ContractRun.create(makerOf(app), resolved);
  for (const property of PROPERTIES) {
    Deno.test(`contract: ${TITLES[property]}`, async (test) => {
      const run = await runOnce();
      for (const operation of run.operations) {
        if (!run.concerns(property, operation)) continue;
        await test.step(operation.name, async () => {
          const result = await run.test(property, operation);
          if (result?.note !== undefined) {
            console.warn(printable(`${operation.name}: ${result.note}`));
          }
          if (result?.failure === undefined) return;
          throw errorOf(failureText(result.failure));
        });
      }
    });
  }
  Deno.test("contract: the operations are tested", async () => {
    const { coverage: { problem, untested } } = await runOnce();
    if (problem === undefined) return;
    const lines = untested.map(({ operation, reason }) =>
      `  ${operation}: ${reason}`
    );
    throw errorOf([`${problem}:`, ...lines].map(printable).join("\n"));
  });
}

/** An error without a stack, since where it was thrown says nothing. */
function errorOf(text: string): ContractError {
  const error = new ContractError(`\n${text}\n`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
