import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";

/** Where a package of npm is on disk: in a `node_modules`, or in Deno's cache. */
const NPM = /.*(?:\/node_modules\/|\/npm\/[^/]+\/)((?:@[^/]+\/)?[^/]+)(?:\/|$)/;
/** A module of a package of JSR, which Deno imports from its files. */
const JSR = /^https:\/\/jsr\.io\/(@[^/]+\/[^/]+)\/([^/]+)\//;
/** The package itself, be it this copy or another. */
const PACKAGE = new URL("../../../", import.meta.url).href;

/** Whether a module is one of the framework. */
export function isFramework(url: string): boolean {
  return url.startsWith(`${PACKAGE}src/`) || url === `${PACKAGE}mod.ts` ||
    /\/@bough\/framework\//.test(url);
}

/** Whether a module is one that others publish, and the application imports. */
export function isDependency(url: string): boolean {
  return !url.startsWith("file:") || packageOf(url) !== undefined;
}

/** The package of npm that a file belongs to: `zod`. */
export function packageOf(url: string): string | undefined {
  return url.startsWith("file:") ? NPM.exec(url)?.[1] : undefined;
}

/** A module as a person names it: by its path, or by its package. */
export function spelled(url: string): string {
  if (!url.startsWith("file:")) {
    const [, name, version] = JSR.exec(url) ?? [];
    return name === undefined ? url : `jsr:${name}@${version}`;
  }
  const name = packageOf(url);
  if (name !== undefined) return `npm:${name}`;
  return spelledPath(fromFileUrl(url));
}

/** A path as a person writes it: relative to the working directory, if below it. */
export function spelledPath(path: string): string {
  const way = relative(Deno.cwd(), path).replaceAll("\\", "/");
  if (way === "") return ".";
  return /^\.\.(?:\/|$)/.test(way) ? path : way;
}
