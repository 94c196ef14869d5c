import {
  checkContracts,
  type ContractReport,
  type TestedApplication,
} from "@bough/framework/testing";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative, toFileUrl } from "@std/path";
import { TestFolder } from "../../support/application.ts";
import type { PlantedFault } from "./property_faults.ts";

const BOOKSHOP = fromFileUrl(
  new URL("../../../examples/bookshop/", import.meta.url),
);

/** The credentials of the bookshop. */
export const AS = { authorization: "Bearer only-an-example" };

/** The files of the bookshop, by path. */
export async function bookshopFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { path } of walk(BOOKSHOP, { includeDirs: false })) {
    files[relative(BOOKSHOP, path)] = await Deno.readTextFile(path);
  }
  return files;
}

/** The files with a fault in them. */
export function plant(
  files: Readonly<Record<string, string>>,
  { file, find, replace }: PlantedFault,
): Record<string, string> {
  const text = find === ""
    ? replace
    : files[file]!.replace(find, () => replace);
  return { ...files, [file]: text };
}

/** A loaded copy of the bookshop. */
export interface Bookshop {
  readonly app: TestedApplication;
  readonly reset: () => void;
}

/** Loads a copy of the bookshop for the duration of a call. */
export async function withBookshop<Result>(
  files: Readonly<Record<string, string>>,
  use: (bookshop: Bookshop) => Promise<Result>,
): Promise<Result> {
  await using folder = await TestFolder.create({});
  const root = toFileUrl(`${folder.path}/`).href;
  for (const [path, text] of Object.entries(files)) {
    // The import map of the bookshop does not apply to a copy in this process.
    await folder.write(path, text.replaceAll('"@/', `"${root}`));
  }
  const load = (file: string) => import(root + file);
  const { app } = await load("main.ts");
  const { resetDatabase } = await load("store/database.ts");
  return await use({ app, reset: resetDatabase });
}

type Run = Pick<
  Parameters<typeof checkContracts>[1] & object,
  "seed" | "runs" | "properties"
>;

/** Loads and tests a copy of the bookshop. */
export function checkBookshop(
  files: Readonly<Record<string, string>>,
  run: Run,
): Promise<ContractReport> {
  return withBookshop(files, (bookshop) => checkLoaded(bookshop, run));
}

/** Tests a loaded copy of the bookshop. */
export function checkLoaded(
  { app, reset }: Bookshop,
  { seed, runs, properties }: Run,
): Promise<ContractReport> {
  return checkContracts(app, {
    as: AS,
    reset,
    seed: seed!,
    runs: runs!,
    ...(properties && { properties }),
  });
}
