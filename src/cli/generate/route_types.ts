import { type Discovery, pathBelow } from "../../start/discover.ts";
import { importSpecifier } from "./import_specifier.ts";
import { literal } from "./manifest.ts";

/**
 * The text of a module of types that maps the files of an application to their
 * exports. Nothing of it exists at run time. The same tree gives the same text.
 *
 * @param folder The absolute path of the folder that the module will be in.
 */
export function routeTypesText(
  { files, middleware }: Pick<Discovery, "files" | "middleware">,
  folder: string,
): string {
  const entries = [...files, ...middleware]
    .map((file) => ({
      path: literal(pathBelow(file)),
      specifier: literal(importSpecifier(folder, file.location)),
    }))
    .sort((a, b) => a.path < b.path ? -1 : 1);
  const told = files.map((file) => ({
    path: literal(pathBelow(file)),
    url: spellingsOf(file.folders).map(literal).join(" | "),
  })).sort((a, b) => a.path < b.path ? -1 : 1);
  return `// Written by "bough types" from the files of the application; do not edit.
// deno-fmt-ignore-file
import type { Method } from "@bough/framework";
import type {
  RoutePath,
  RouteRequest,
  TellsPath,
  ToldPaths,
} from "@bough/framework/types";

/** The files of the application: \`createClient<Routes>()\` calls them. */
export interface Routes {
${
    entries.map(({ path, specifier }) =>
      `  ${path}: typeof import(${specifier});\n`
    ).join("")
  }}

/** The request of a handler: \`RequestOf<"/users/[id]", "GET">\`. */
export type RequestOf<
  Path extends RoutePath<Routes>,
  Name extends Method,
> = RouteRequest<Routes, Path, Name>;

/** Every handler that tells a path tells that of its folder. */
export type ToldPathsAreTrue = [
${
    told.map(({ path, url }) =>
      `  TellsPath<${url}, ToldPaths<Routes[${path}]>>,\n`
    ).join("")
  }];
`;
}

/** A path as its URL has it, and, where they differ, as its folders spell it. */
function spellingsOf(folders: readonly string[]): string[] {
  const url = folders.filter((name) => !/^\(.*\)$/.test(name));
  return [...new Set([`/${url.join("/")}`, `/${folders.join("/")}`])];
}
