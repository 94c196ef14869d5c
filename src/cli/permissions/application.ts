import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { unescaped } from "../../core/common/log.ts";
import {
  type Permission,
  permissionsOf,
} from "../../core/exports/permissions.ts";
import type { Inspection } from "../../core/start/inspect.ts";
import { ModuleError } from "../command.ts";
import { displayName, displayPath, ModuleGraph } from "./modules.ts";

/** The name of the option `permissions` in place of the file of a declaration. */
const OPTION = "option permissions";

/** A route file or a middleware file. */
export interface SourceFile {
  /** Its path, relative to the working directory. */
  readonly path: string;
  /** Its URL after links are resolved. */
  readonly url: string;
  /** The URLs that the file serves; empty for middleware. */
  readonly patterns: readonly string[];
  /** The permissions declared in the option, in its folders and in the file itself. */
  readonly declared: readonly Permission[];
  /** The display names of imports from outside `apiDir`. */
  readonly imports: readonly string[];
}

/** The permissions that an application declares, and those that startup needs. */
export interface DeclaredPermissions {
  readonly declared: readonly Permission[];
  /** The declarations in the option `permissions`, for the whole application. */
  readonly option: readonly Permission[];
  /** The access that startup needs to find the routes. */
  readonly start: readonly Permission[];
}

/** The files, modules and declarations of an application. */
export interface ObservedApplication extends DeclaredPermissions {
  readonly files: readonly SourceFile[];
  /** The URLs of the modules that start the application, if known. */
  readonly entries: readonly string[];
  /** The URLs of the known tests. */
  readonly tests: readonly string[];
  readonly graph: ModuleGraph;
  /** Read access to the files outside of `apiDir` that only routes import. */
  readonly imports: readonly Permission[];
}

export function declarationsOf(
  { routes, source }: Inspection,
): DeclaredPermissions {
  const all = routes.flatMap(({ permissions }) => permissions);
  const permissionsIn = (declarations: typeof all) =>
    declarations.flatMap(({ permissions }) => permissionsOf(permissions));
  return {
    declared: permissionsIn(all),
    option: permissionsIn(all.filter(({ file }) => file === OPTION)),
    start: [{ kind: "read", value: resolve(source) }],
  };
}

/**
 * Collects the declarations and imports of an application.
 *
 * @param further The paths of the modules that start the application, the URLs of its
 * tests, and the configuration of its project, if there is one.
 * @throws {ModuleError} If a route file does not exist, as with some manifests.
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
  const apiDir = realUrl(source, source);
  const isOutside = (url: string) => !url.startsWith(`${apiDir}/`);
  const own = paths.map((path) => {
    const url = urls.get(path)!;
    const imports = [...graph.used(url)].filter((each) =>
      each !== url && isOutside(each) && !/^(?:node|data):/.test(each)
    );
    return {
      path: displayPath(resolve(unescaped(path))),
      url,
      patterns: files.filter(({ file }) => file === path)
        .map(({ path }) => path),
      declared: declaredFor(path, inspection),
      imports: [...new Set(imports.map(displayName))].sort(),
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
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new ModuleError(
      source,
      `"${path}" does not exist; if the routes come from a manifest, name the folder of the manifest's routes`,
      { cause },
    );
  }
}

/** The declarations for a file; for middleware, also those of outer middleware. */
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
      // A file that only declares permissions is not in the list, so only its folder is
      // compared.
      : path.startsWith(file.slice(0, file.lastIndexOf("/") + 1));
  };
  return permissions.filter(({ file }) => file !== own || path === own)
    .filter(({ file }) => isAround(file))
    .flatMap(({ permissions }) => permissionsOf(permissions));
}
