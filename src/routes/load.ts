import type { RouteFile } from "./discover.ts";
import { importUrl } from "./paths.ts";

/** The exports of a route file, as `import()` gives them. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/** A route file with its exports, or with the error that importing it threw. */
export type LoadedFile =
  & { readonly file: RouteFile }
  & ({ readonly exports: ModuleExports } | { readonly error: unknown });

/**
 * Imports route files, each once.
 *
 * They come in through one generated module of static imports: `import()` of
 * file after file costs quadratic time (`tests/bench/start/main.ts` measures
 * this way). If a file is broken, that module fails as a whole, and only then
 * are they imported one by one to find the broken ones; those that ran already
 * do not run again.
 */
export async function loadAll(
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
    // What the files share, such as zod, is resolved with the first one, not
    // again for each: the rest then takes a third less time.
    if (files.length > 1) await load(files[0]!);
    const all: ModuleExports[] = (await import(url)).default;
    return files.map((file, index) => ({ file, exports: all[index]! }));
  } catch {
    const loaded: LoadedFile[] = [];
    for (const file of files) {
      loaded.push(
        await load(file).then(
          (exports) => ({ file, exports }),
          (error: unknown) => ({ file, error }),
        ),
      );
    }
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
  const plain = message.replaceAll(ANSI_COLOR, "");
  const denied = /^Requires read access to "(.*?)"/.exec(plain)?.[1];
  if (denied === undefined) return `importing it failed: ${plain}`;
  return `importing it needs read access to "${denied}"; ` +
    `run deno with --allow-read=${apiDir},${denied} or --allow-read`;
}

// deno-lint-ignore no-control-regex
const ANSI_COLOR = /\x1b\[[\d;]*m/g;
