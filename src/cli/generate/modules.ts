import { relative } from "@std/path/relative";
import { printable } from "../../core/common/log.ts";
import {
  escapePath,
  NATIVE as NATIVE_PATHS,
  withSlashes,
} from "../../core/common/paths.ts";
import {
  type Discovery,
  pathBelow,
  type RouteFile,
} from "../../core/start/discover.ts";
import type { RoutePermissions } from "../../core/types/permissions.ts";
import { PERMISSIONS } from "../../core/start/manifest.ts";

/** The files that a generated module imports. */
type Files = Pick<Discovery, "files" | "middleware">;

/**
 * Generates a module that imports the files of an application with literal specifiers,
 * for `new Framework({ manifest })`. Equal folder trees result in equal code, which can
 * be committed and compared.
 *
 * @param options The absolute path of the manifest's folder, whether each file is
 * imported at its first request, and the permissions that files declare.
 */
export function manifestText(all: Files, { folder, lazy, declared }: {
  readonly folder: string;
  readonly lazy: boolean;
  readonly declared?: ReadonlyMap<RouteFile, RoutePermissions>;
}): string {
  const entries = entriesOf(all, folder);
  const imports = entries.map(({ specifier }, index) =>
    `import * as file${index} from ${specifier};\n`
  );
  const members = entries.map(({ path, specifier }, index) => {
    const value = lazy ? `() => import(${specifier})` : `file${index}`;
    return `  ${path}: ${value},\n`;
  });
  const permissions = entries.flatMap(({ path, file }) => {
    const value = declared?.get(file);
    return value === undefined ? [] : [`    ${path}: ${literal(value)},\n`];
  });
  if (permissions.length > 0) {
    members.push(`  ${PERMISSIONS}: {\n${permissions.join("")}  },\n`);
  }
  return [
    '// Written by "bough build" from the files of the application; do not edit.\n',
    "// deno-fmt-ignore-file\n",
    ...(lazy ? [] : imports),
    "\n",
    `export default {\n${members.join("")}};\n`,
  ].join("");
}

/**
 * Generates a module of types that maps the files of an application to their exports.
 * The generated module contains no run-time code. Equal folder trees result in equal
 * code.
 *
 * @param folder The absolute path of the module's folder.
 */
export function routeTypesText(all: Files, folder: string): string {
  const entries = entriesOf(all, folder);
  const members = entries.map(({ path, specifier }) =>
    `  ${path}: typeof import(${specifier});\n`
  );
  const checks = entries.filter(({ file }) => all.files.includes(file))
    .map(({ path, file: { folders } }) =>
      `  CheckPath<${pathTypeOf(folders)}, NamedPaths<Routes[${path}]>>,\n`
    );
  return `// Written by "bough types" from the files of the application; do not edit.
// deno-fmt-ignore-file
import type {
  RouteMethod,
  RoutePath,
  RouteRequest,
  CheckPath,
  NamedPaths,
} from "@bough/framework/types";

/** The files of the application: \`createClient<Routes>()\` calls them. */
export interface Routes {
${members.join("")}}

/** The request of a handler: \`RequestOf<"/users/[id]", "GET">\`. */
export type RequestOf<
  Path extends RoutePath<Routes, "if the path is new, run bough types">,
  Name extends RouteMethod<Routes, Path>,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that names a path names the path of its folder. */
export type NamedPathsAreTrue = [
${checks.join("")}];
`;
}

/** The files in path order, with literals for their paths and specifiers. */
function entriesOf(
  { files, middleware }: Files,
  folder: string,
): { file: RouteFile; path: string; specifier: string }[] {
  const named = [...files, ...middleware]
    .map((file) => ({ file, path: pathBelow(file) }));
  return named.sort((a, b) => a.path < b.path ? -1 : 1)
    .map(({ file, path }) => ({
      file,
      path: literal(path),
      specifier: literal(importSpecifier(folder, file.location)),
    }));
}

/** The type of a handler's path: the path of the URL, with or without group folders. */
function pathTypeOf(folders: readonly string[]): string {
  const url = folders.filter((name) => !/^\(.*\)$/.test(name));
  const paths = new Set([`/${url.join("/")}`, `/${folders.join("/")}`]);
  return [...paths].map(literal).join(" | ");
}

/** Formats a value as a literal, and escapes characters that could mislead a reader. */
export function literal(value: unknown): string {
  return printable(JSON.stringify(value));
}

const NATIVE = { ...NATIVE_PATHS, relative };

/**
 * The specifier with which a module in `folder` imports a file.
 *
 * @param path The functions of `@std/path`, by default for this operating system.
 */
export function importSpecifier(
  folder: string,
  location: string,
  path: typeof NATIVE = NATIVE,
): string {
  const relativePath = path.relative(folder, location);
  // On Windows, no relative path leads from one drive to another.
  if (path.isAbsolute(relativePath)) return path.toFileUrl(location).href;
  const specifier = escapePath(withSlashes(relativePath, path));
  return specifier.startsWith("../") ? specifier : `./${specifier}`;
}
