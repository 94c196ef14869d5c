import { fromFileUrl } from "@std/path/windows/from-file-url";
import { isAbsolute } from "@std/path/windows/is-absolute";
import { resolve } from "@std/path/windows/resolve";
import { toFileUrl } from "@std/path/windows/to-file-url";

/** The path functions of Windows; other systems do not load them. */
export const WINDOWS = {
  SEPARATOR: "\\",
  fromFileUrl,
  isAbsolute,
  resolve,
  toFileUrl,
} as const;
