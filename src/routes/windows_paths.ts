import { fromFileUrl } from "@std/path/windows/from-file-url";
import { isAbsolute } from "@std/path/windows/is-absolute";
import { resolve } from "@std/path/windows/resolve";
import { toFileUrl } from "@std/path/windows/to-file-url";
import type { PathModule } from "./path_module.ts";

/** The paths of Windows. Other systems do not load them. */
export const WINDOWS: PathModule = {
  SEPARATOR: "\\",
  fromFileUrl,
  isAbsolute,
  resolve,
  toFileUrl,
};
