import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { unescaped } from "../../common/log.ts";
import { type Permission, permissionsOf } from "../../exports/permissions.ts";
import type { Inspection } from "../../start/inspect.ts";
import { ModuleError } from "../command.ts";
import { ModuleGraph, spelled, spelledPath } from "./modules.ts";

/** What the option is called in place of a file. */
const OPTION = "option permissions";

/** A route file or a middleware file. */
export interface SourceFile {
  /** Its path, relative to the working directory. */
  readonly path: string;
  /** Its real URL. */
  readonly url: string;
  /** The URLs that it serves; for middleware, none. */
  readonly patterns: readonly string[];
  /** What is declared for it: by the option, by folders, by itself. */
  readonly declared: readonly Permission[];
  /** What it imports from outside of `apiDir`, as a person names it. */
  readonly imports: readonly string[];
}

/** The declarations of an application, and the needs of its start. */
export interface Declarations {
  readonly declared: readonly Permission[];
  /** The declarations of the option, for the whole application. */
  readonly option: readonly Permission[];
  /** The access that the start needs to find the routes. */
  readonly start: readonly Permission[];
}

/** An application, as far as permissions are concerned. */
export interface ObservedApplication extends Declarations {
  readonly files: readonly SourceFile[];
  /** The URLs of the modules that start it, where they are known. */
  readonly entries: readonly string[];
  /** The URLs of its tests, as far as they are known. */
  readonly tests: readonly string[];
  readonly graph: ModuleGraph;
  /** The files that imports of routes read, and that nothing imported before. */
  readonly imports: readonly Permission[];
}

/** The declarations of an application. */
export function declarationsOf({ routes, source }: Inspection): Declarations {
  const all = routes.flatMap(({ permissions }) => permissions);
  const wants = (declarations: typeof all) =>
    declarations.flatMap(({ permissions }) => permissionsOf(permissions));
  return {
    declared: wants(all),
    option: wants(all.filter(({ file }) => file === OPTION)),
    start: [{ kind: "read", value: resolve(source) }],
  };
}

/**
 * Finds out what is declared and imported.
 *
 * @param inspection The application.
 * @param further The paths of the modules that start it, the URLs of its tests, and the
 *   configuration of its project, if it has one.
 * @throws {ModuleError} If its routes are of a manifest.
 */
export async function applicationOf(
  inspection: Inspection,
  { entries, tests, config }: {
    readonly entries: readonly string[];
    readonly tests: readonly string[];
    readonly config: string | undefined;
  },
): Promise<ObservedApplication> {
  const { source, files, middleware } = inspection;
  const paths = [...files.map(({ file }) => file), ...middleware];
  const urls = new Map(paths.map((path) => [path, realUrl(path, source)]));
  const entryUrls = entries.map((path) => toFileUrl(resolve(path)).href);
  const graph = await ModuleGraph.read(
    [...urls.values(), ...entryUrls, ...tests],
    config,
  );
  const apiDir = toFileUrl(Deno.realPathSync(resolve(source))).href;
  const isOutside = (url: string) => !url.startsWith(`${apiDir}/`);
  const own = paths.map((path) => {
    const url = urls.get(path)!;
    const imports = [...graph.used(url)].filter((each) =>
      each !== url && isOutside(each) && !/^(?:node|data):/.test(each)
    );
    return {
      path: spelledPath(resolve(unescaped(path))),
      url,
      patterns: files.filter(({ file }) => file === path)
        .map(({ path }) => path),
      declared: declaredFor(path, inspection),
      imports: [...new Set(imports.map(spelled))].sort(),
    };
  });
  const from = (urls: readonly string[]) =>
    new Set(urls.flatMap((url) => [...graph.from(url)]));
  const imported = from(own.map(({ url }) => url)).difference(from(entryUrls));
  return {
    ...declarationsOf(inspection),
    files: own,
    entries: entryUrls,
    tests,
    graph,
    imports: [...imported]
      .filter((url) => url.startsWith("file:") && isOutside(url))
      .map((url) => ({ kind: "read", value: fromFileUrl(url) })),
  };
}

function realUrl(path: string, source: string): string {
  try {
    return toFileUrl(Deno.realPathSync(resolve(unescaped(path)))).href;
  } catch (cause) {
    throw new ModuleError(
      source,
      `there is no file "${path}" of its routes; if they are of a manifest, name the folder that it was built from`,
      { cause },
    );
  }
}

/** What is declared for a file; for middleware, by those around it, too. */
function declaredFor(path: string, { routes }: Inspection): Permission[] {
  const route = routes.find(({ file, middleware, permissions }) =>
    file === path || middleware.includes(path) ||
    permissions.some(({ file }) => file === path)
  );
  if (route === undefined) return [];
  const { file: own, middleware, permissions } = route;
  const isAround = (file: string): boolean => {
    if (path === own || file === path || file === OPTION) return true;
    const [index, end] = [middleware.indexOf(file), middleware.indexOf(path)];
    return index !== -1 && end !== -1
      ? index < end
      // It runs nothing, and so is in no order but that of the folders.
      : path.startsWith(file.slice(0, file.lastIndexOf("/") + 1));
  };
  return permissions.filter(({ file }) => file !== own || path === own)
    .filter(({ file }) => isAround(file))
    .flatMap(({ permissions }) => permissionsOf(permissions));
}
