import type { RouteFile } from "./discover.ts";
import { printableLines } from "../common/printable.ts";
import { importUrl } from "./paths.ts";

/** The exports of a route file, as `import()` gives them. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** A route file with its exports, or with the error that importing it threw. */
export type LoadedFile =
  & { readonly file: RouteFile }
  & ({ readonly exports: ModuleExports } | { readonly error: unknown });

/**
 * How many files one generated module imports at most: one of 10,000 imports takes
 * half as long again as several of these (`tests/bench/start/main.ts`).
 */
const BATCH = 2_000;
/** How many files are imported by themselves before several batches. */
const SAMPLES = 32;

/**
 * Imports route files, each once.
 *
 * They come in through generated modules of static imports: `import()` of file
 * after file costs quadratic time (`tests/bench/start/main.ts` measures this way).
 */
export async function loadAll(
  files: readonly RouteFile[],
): Promise<LoadedFile[]> {
  // One that is broken is told with its batch.
  for (const file of samples(files)) await settled(file, load(file));
  const loaded: LoadedFile[] = [];
  for (let start = 0; start < files.length; start += BATCH) {
    loaded.push(...await loadBatch(files.slice(start, start + BATCH)));
  }
  return loaded;
}

/** Waits for the import of a file, and tells how it went. */
export async function settled(
  file: RouteFile,
  importing: Promise<ModuleExports>,
): Promise<LoadedFile> {
  try {
    return { file, exports: await importing };
  } catch (error) {
    return { file, error };
  }
}

/**
 * The files to be imported before the others. What files share, such as zod, Deno
 * then resolves for one of them; if it has to for hundreds at once, each file of a
 * later batch takes milliseconds. With one batch, the first file tells enough.
 */
function samples(files: readonly RouteFile[]): readonly RouteFile[] {
  if (files.length <= BATCH) return files.slice(0, 1);
  const distance = Math.floor(files.length / SAMPLES);
  return files.filter((_, index) => index % distance === 0);
}

/**
 * Imports files through one generated module. If one of them is broken, it fails as
 * a whole, and only then are they imported one by one to find the broken ones;
 * those that ran already do not run again.
 */
async function loadBatch(files: readonly RouteFile[]): Promise<LoadedFile[]> {
  const imports = files.map(({ location }, index) =>
    `import * as m${index} from ${JSON.stringify(importUrl(location).href)};`
  );
  const names = files.map((_, index) => `m${index}`).join(",");
  const source = `${imports.join("\n")}\nexport default [${names}];`;
  const url = URL.createObjectURL(
    new Blob([source], { type: "text/javascript" }),
  );
  try {
    const all: ModuleExports[] = (await import(url)).default;
    return files.map((file, index) => ({ file, exports: all[index]! }));
  } catch {
    const loaded: LoadedFile[] = [];
    for (const file of files) loaded.push(await settled(file, load(file)));
    return loaded;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Imports one route file.
 *
 * @param attempt How many imports of this file failed before. A module that
 * failed stays failed under its URL, so each new attempt needs one of its own.
 */
export async function load(
  file: RouteFile,
  attempt = 0,
): Promise<ModuleExports> {
  const url = importUrl(file.location);
  if (attempt > 0) url.searchParams.set("attempt", String(attempt));
  return await import(url.href);
}

/**
 * Says in one sentence why importing a route file failed.
 *
 * @param apiDir How the application spells its folder, for the flag to pass.
 */
export function importFailure(error: unknown, apiDir: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const plain = printableLines(message.replaceAll(ANSI_COLOR, ""));
  const denied = /^Requires read access to "(.*?)"/.exec(plain)?.[1];
  if (denied === undefined) return `importing it failed: ${plain}`;
  return `importing it needs read access to "${denied}"; ` +
    `run deno with --allow-read=${apiDir},${denied} or --allow-read`;
}

// deno-lint-ignore no-control-regex
const ANSI_COLOR = /\x1b\[[\d;]*m/g;
