import type { RouteLoader, RouteManifest } from "../types/options.ts";
import { ANSI_COLOR, printableLines } from "../common/log.ts";
import { messageOf } from "../common/values.ts";
import { escapePath, importUrl, type LabelledFolder } from "../common/paths.ts";
import type { ModuleExports } from "./modules.ts";
import type { Faults } from "../common/faults.ts";
import {
  discover,
  type Discovery,
  pathBelow,
  type RouteFile,
} from "./discover.ts";

/** The source of an application's files: a folder or a manifest. */
export interface RouteSource {
  /**
   * The name of the source in messages, and in the flag that permits reading the
   * folder.
   */
  readonly label: string;
  /** Finds the files and reports their faults. */
  readonly discover: (faults: Faults) => Promise<Discovery>;
  /** Whether a file is imported at the first request that needs it. */
  readonly isLazy: (file: RouteFile) => boolean;
  /** Imports files, each once; returns their exports or errors in the same order. */
  readonly loadAll: (files: readonly RouteFile[]) => Promise<LoadedFile[]>;
  /** Imports one file; `attempt` is the number of earlier imports that failed. */
  readonly load: (file: RouteFile, attempt: number) => Promise<ModuleExports>;
}

/** A folder as the source of files. */
export function folderSource(
  folder: LabelledFolder,
  loader?: RouteLoader,
): RouteSource {
  const found = {
    label: folder.label,
    discover: (faults: Faults) => discover(folder, faults),
    isLazy: () => false,
  };
  if (loader === undefined) return { ...found, loadAll, load };
  const loadOne = async (
    file: RouteFile,
    attempt: number,
  ): Promise<ModuleExports> => {
    const path = pathBelow(file);
    // A folder named `%2e%2e` would lead the import out of `apiDir`.
    if (escapePath(path) !== path) return await load(file, attempt);
    const exports = await loader(file.folders.join("/") || ".", path);
    return exports === undefined ? await load(file, attempt) : { ...exports };
  };
  return {
    ...found,
    loadAll: (files) =>
      Promise.all(files.map((file) => settled(file, loadOne(file, 0)))),
    load: loadOne,
  };
}

/** A manifest as the source of files; no folder is read. */
export function manifestSource(manifest: RouteManifest): RouteSource {
  const isLazy = ({ entry }: RouteFile) => typeof entry === "function";
  const load = async ({ entry }: RouteFile): Promise<ModuleExports> =>
    (typeof entry === "function" ? await entry() : entry) as never;
  return {
    label: "the manifest",
    // Only applications with a manifest need this module.
    discover: async (faults) => {
      const { discoverListed } = await import("./manifest.ts");
      return discoverListed(manifest, faults);
    },
    isLazy,
    // Most entries are exports: a promise for each of thousands would delay startup.
    loadAll: (files) =>
      Promise.all(
        files.map((file) =>
          isLazy(file)
            ? settled(file, load(file))
            : { file, exports: file.entry as ModuleExports }
        ),
      ),
    load,
  };
}

/** A file with its exports, or with the error of its import. */
export type LoadedFile =
  & { readonly file: RouteFile }
  & ({ readonly exports: ModuleExports } | { readonly error: unknown });

/**
 * The largest number of files for which importing one by one is faster than a generated
 * module.
 */
const FEW = 4;

/** The locations of files that were imported through generated modules. */
const imported = new Set<string>();

/**
 * Imports files, each once, through a generated module with static imports, since an
 * `import()` for each file would take quadratic time (see `tests/instruments/bench/start/main.ts`).
 */
export async function loadAll(
  files: readonly RouteFile[],
): Promise<LoadedFile[]> {
  // Tests create many applications of one folder: each further generated module would
  // take milliseconds, but each repeated import only microseconds.
  const isKnown = files.every(({ location }) => imported.has(location));
  if (files.length <= FEW || isKnown) return await loadOneByOne(files);
  // Deno then resolves the modules that files share, such as zod, for one file alone.
  await loadOneByOne(files.slice(0, 1));
  return await loadTogether(files);
}

async function loadOneByOne(
  files: readonly RouteFile[],
): Promise<LoadedFile[]> {
  const loaded: LoadedFile[] = [];
  for (const file of files) loaded.push(await settled(file, load(file)));
  return loaded;
}

/** Awaits the import of a file; never rejects. */
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
 * Imports files through one generated module. If one file is broken, the whole module
 * fails. The function then imports the files one by one to find the broken files. Files
 * that already ran do not run again.
 */
async function loadTogether(
  files: readonly RouteFile[],
): Promise<LoadedFile[]> {
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
    return files.map((file, index) => {
      imported.add(file.location);
      return { file, exports: all[index]! };
    });
  } catch {
    return await loadOneByOne(files);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Imports one file through a generated module. Deno resolves a second `import()` of a
 * module before its top-level `await` has ended.
 */
export async function loadAlone(file: RouteFile): Promise<LoadedFile> {
  const [loaded] = await loadTogether([file]);
  return loaded!;
}

/**
 * Imports one route file.
 *
 * @param attempt The number of failed imports of this file. Deno keeps the failure for
 * the URL of the module, so each attempt uses another URL.
 */
export async function load(
  file: RouteFile,
  attempt = 0,
): Promise<ModuleExports> {
  const url = importUrl(file.location);
  if (attempt > 0) url.searchParams.set("attempt", String(attempt));
  return await import(url.href);
}

/** Explains in one sentence why importing a file failed. */
export function importFailure(error: unknown): string {
  const plain = messageOf(error).replaceAll(ANSI_COLOR, "");
  return `the import failed: ${printableLines(plain)}`;
}
