import {
  checkContracts,
  type CheckOptions,
  type ContractReport,
  type contractTests,
} from "@bough/framework/testing";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative, toFileUrl } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import { BOOKSHOP_FAULTS } from "./bookshop.ts";
import { EXPENSES_FAULTS } from "./expenses.ts";
import type { FaultsByKind, PlantedFault } from "./fault.ts";
import { REALWORLD_FAULTS } from "./realworld.ts";

/** An application whose folder contains its contract tests. */
export interface PlantedApplication {
  /** The folder, from this file. */
  readonly folder: string;
  /** The faults to plant in copies of the folder. */
  readonly faults: FaultsByKind;
}

/** The applications by name. */
export const APPLICATIONS = {
  bookshop: { folder: "../../../examples/bookshop/", faults: BOOKSHOP_FAULTS },
  realworld: {
    folder: "../../../examples/realworld/",
    faults: REALWORLD_FAULTS,
  },
  expenses: { folder: "../expenses/", faults: EXPENSES_FAULTS },
} satisfies Record<string, PlantedApplication>;

/** The arguments of a call of `contractTests()`. */
export type ContractTestCall = Parameters<typeof contractTests>;

/** A module that records the calls of `contractTests()` instead of running them. */
const RECORDER = `export * from "@bough/framework/testing";
export const calls = [];
export const contractTests = (...call) => void calls.push(call);
`;

/** The files of an application, by path. */
export async function filesOf(
  { folder }: Pick<PlantedApplication, "folder">,
): Promise<Record<string, string>> {
  const root = fromFileUrl(new URL(folder, import.meta.url));
  const files: Record<string, string> = {};
  for await (const { path } of walk(root, { includeDirs: false })) {
    files[relative(root, path)] = await Deno.readTextFile(path);
  }
  return files;
}

/** The files with a fault in them. */
export function plant(
  files: Readonly<Record<string, string>>,
  { file, find, replace }: Omit<PlantedFault, "name">,
): Record<string, string> {
  const text = files[file]?.replace(find, () => replace) ?? replace;
  return { ...files, [file]: text };
}

/**
 * Loads a copy of an application for the duration of a call. `use` gets the arguments of
 * the first call of `contractTests()` in its contract tests.
 */
export async function withCopy<Result>(
  files: Readonly<Record<string, string>>,
  use: (...call: ContractTestCall) => Promise<Result>,
): Promise<Result> {
  await using folder = await TestFolder.create({ "recorder.js": RECORDER });
  const root = toFileUrl(`${folder.path}/`).href;
  for (const [path, text] of Object.entries(files)) {
    // The import map of the application does not apply to a copy in this process.
    await folder.write(path, text.replaceAll('"@/', `"${root}`));
  }
  const test = Object.keys(files)
    .find((path) => /^contract_(?:test|slow)\.ts$/.test(path))!;
  await folder.write(
    test,
    files[test]!.replace("@bough/framework/testing", `${root}recorder.js`),
  );
  await import(root + test);
  const { calls } = await import(`${root}recorder.js`);
  return await use(...calls[0] as ContractTestCall);
}

/** Tests a copy of an application with the options of its contract tests, and others. */
export function checkCopy(
  files: Readonly<Record<string, string>>,
  options: CheckOptions,
): Promise<ContractReport> {
  return withCopy(
    files,
    (app, given) => checkContracts(app, { ...given, ...options }),
  );
}
