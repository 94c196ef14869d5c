/**
 * Tests an application with its own schemas: sends requests that are generated from the
 * schemas, and compares the responses with the schemas.
 *
 * @example Usage
 * ```ts ignore
 * import { Framework } from "@bough/framework";
 * import { contractTests } from "@bough/framework/testing";
 *
 * // contract_test.ts: registers tests, which `deno test` runs.
 * contractTests(() => new Framework({ apiDir: "examples/minimal/api" }));
 * ```
 *
 * @module
 */
export { workOf } from "../core/request/record.ts";
export { assertDeclared, assertResponds } from "./assertions.ts";
export type {
  Credentials,
  IdentifiedHeaders,
  LogIn,
  LogInApplication,
} from "./identity.ts";
export { checkContracts, contractTests } from "./run.ts";
export type { CheckOptions, ContractReport } from "./run.ts";
export { ContractError } from "./checks.ts";
export type { PropertyName } from "./properties/properties.ts";
export type {
  ContractTestOptions,
  PartGenerators,
  TestedApplication,
  ValueArbitrary,
} from "./options.ts";
export type { RequestPlan, Strings } from "./plan.ts";
export { failureText, summaryTable } from "./report/failure.ts";
export type { ContractFailure, OperationResult } from "./report/failure.ts";
export type { Coverage, UntestedOperation } from "./report/report.ts";
export type { OperationCoverage } from "./report/coverage.ts";
export type { MakeApplication } from "./send/exchange.ts";
export { storeTests, type TestedStore } from "../protect/store_tests.ts";
