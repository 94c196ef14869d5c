import { relative } from "@std/path/relative";
import {
  escapePath,
  NATIVE as NATIVE_PATHS,
  type PathModule,
  withSlashes,
} from "../../common/paths.ts";

/** The parts of `@std/path` that lead from a module to a file. */
export interface ImportPaths
  extends Pick<PathModule, "SEPARATOR" | "isAbsolute" | "toFileUrl"> {
  /** The relative path from one path to another. */
  readonly relative: (from: string, to: string) => string;
}

const NATIVE: ImportPaths = { ...NATIVE_PATHS, relative };

/** The specifier by which a module in `folder` imports a file. */
export function importSpecifier(
  folder: string,
  location: string,
  path: ImportPaths = NATIVE,
): string {
  const relativePath = path.relative(folder, location);
  // On Windows, no relative path leads from one drive to another.
  if (path.isAbsolute(relativePath)) return path.toFileUrl(location).href;
  const specifier = escapePath(withSlashes(relativePath, path));
  return specifier.startsWith("../") ? specifier : `./${specifier}`;
}
