import { printable } from "../../common/log.ts";
import type { RoutePermissions } from "../../exports/permissions.ts";
import {
  type Discovery,
  pathBelow,
  type RouteFile,
} from "../../start/discover.ts";
import { LINKS, PERMISSIONS } from "../../start/manifest.ts";
import { importSpecifier } from "./import_specifier.ts";

/** How a manifest is written. */
export interface ManifestTextOptions {
  /** The absolute path of the folder that the manifest will be in. */
  readonly folder: string;
  /** Whether each file is imported at its first request. */
  readonly lazy: boolean;
  /** What the files declare that they need, by file. */
  readonly permissions?: ReadonlyMap<RouteFile, RoutePermissions>;
}

/**
 * The text of a module that imports the files of an application by literal
 * specifiers, for `new Framework({ manifest })`. The same tree gives the same
 * text, so that it can be committed and compared.
 */
export function manifestText(
  { files, middleware }: Pick<Discovery, "files" | "middleware">,
  { folder, lazy, permissions = new Map() }: ManifestTextOptions,
): string {
  const entries = [...files, ...middleware]
    .map((file) => ({
      path: pathBelow(file),
      specifier: literal(importSpecifier(folder, file.location)),
      links: file.otherPaths,
      declared: permissions.get(file),
    }))
    .sort((a, b) => a.path < b.path ? -1 : 1);
  const imports = entries.map(({ specifier }, index) =>
    `import * as file${index} from ${specifier};\n`
  );
  const members = entries.map(({ path, specifier }, index) => {
    const value = lazy ? `() => import(${specifier})` : `file${index}`;
    return `  ${literal(path)}: ${value},\n`;
  });
  const links = entries.flatMap(({ path, links }) =>
    links === undefined ? [] : [`    ${literal(path)}: ${literal(links)},\n`]
  );
  if (links.length > 0) members.push(`  ${LINKS}: {\n${links.join("")}  },\n`);
  const declarations = entries.flatMap(({ path, declared }) =>
    declared === undefined
      ? []
      : [`    ${literal(path)}: ${literal(declared)},\n`]
  );
  if (declarations.length > 0) {
    members.push(`  ${PERMISSIONS}: {\n${declarations.join("")}  },\n`);
  }
  return [
    '// Written by "bough build" from the files of the application; do not edit.\n',
    "// deno-fmt-ignore-file\n",
    ...(lazy ? [] : imports),
    "\n",
    `export default {\n${members.join("")}};\n`,
  ].join("");
}

/** A value as a literal, with escapes for characters that would mislead a reader. */
export function literal(value: unknown): string {
  return printable(JSON.stringify(value));
}
