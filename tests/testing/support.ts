import { Framework } from "@bough/framework";
import {
  checkContracts,
  type CheckOptions,
  type ContractReport,
} from "@bough/framework/testing";
import type { Exchange } from "../../src/testing/send/exchange.ts";
import { TestFolder } from "../support/application.ts";
import { passes } from "./run_test_text.ts";

/** Tests an application of some files, which is made anew each time. */
export async function check(
  files: Readonly<Record<string, string>>,
  options: CheckOptions = {},
): Promise<ContractReport> {
  await using folder = await TestFolder.create(files);
  return await checkContracts(
    () => new Framework({ apiDir: folder.path }),
    { seed: 11, runs: 60, ...options },
  );
}

/** Whether the test of a report passes with an application of some files. */
export async function passesWith(
  files: Readonly<Record<string, string>>,
  test: string,
): Promise<boolean> {
  await using folder = await TestFolder.create(files);
  return await passes(test, new Framework({ apiDir: folder.path }));
}

/** What was found, as `property operation`. */
export function found({ failures }: ContractReport): string[] {
  return failures.flatMap(({ property, operations }) =>
    operations.map((operation) => `${property} ${operation}`)
  );
}

/** An exchange whose response has a status and JSON. */
export function exchange(
  status: number | undefined,
  json?: unknown,
  further: Partial<Exchange> = {},
): Exchange {
  return {
    plan: { method: "GET", target: "/api/a", headers: {} },
    status,
    headers: new Headers({ "content-type": "application/json" }),
    body: json === undefined
      ? undefined
      : new TextEncoder().encode(JSON.stringify(json)),
    isCut: false,
    stream: "",
    errors: [],
    ...further,
  };
}
