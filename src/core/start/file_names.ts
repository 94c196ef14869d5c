import { isNear } from "../common/forms.ts";

/** The names of route files and middleware files. */
const FILE_NAME = /^(?:route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * The name of a code file or of a file without an extension: `_middleware.mts`. Includes
 * invisible characters at the end, and excludes `middleware.test.ts` and the files of
 * editors (`.#middleware.ts`, `middleware.ts~`).
 */
const CODE_FILE = /^([^.#]+)(?:\.[cm]?[jt]sx?)*[^\w~#]*$/i;
/** The notation of other frameworks for `[id]` and `[...]`. */
const FOREIGN_FOLDER = /^[:$]|^\{.+\}$|^<.+>$|^\*+$/;

const EXTENSIONS = '".ts", ".tsx", ".js" or ".jsx"';

/** Returns the kind of a file by its name; `undefined` for other files. */
export function fileKind(name: string): "route" | "middleware" | undefined {
  if (!FILE_NAME.test(name)) return undefined;
  return name.startsWith("route") ? "route" : "middleware";
}

/**
 * Reports a file name that resembles the name of a middleware file, such as
 * `middlewares.ts`, `_middleware.ts`, `Middleware.ts`, `middleware.mts` or
 * `middleware`. Such a file would not run.
 *
 * @returns The message; `undefined` for other names.
 */
export function suspiciousGuard(name: string): string | undefined {
  if (fileKind(name) !== undefined) return undefined;
  const letters = lettersOf(name)?.replace(/s$/, "");
  if (letters === undefined || !isNear(letters, "middleware")) return undefined;
  return `the name resembles "middleware", but the file would not run; name it "middleware" with ${EXTENSIONS}, or something dissimilar`;
}

/**
 * Reports a file name that resembles the name of a route file: `routes.ts`, `Route.ts`,
 * or `index.ts` alone in its folder. Bough would not serve the file.
 *
 * @param files The names of all files in its folder.
 * @returns The message; `undefined` for other names.
 */
export function suspiciousRoute(
  name: string,
  files: readonly string[],
): string | undefined {
  const letters = lettersOf(name);
  if (!/^(?:routes?|index)$/.test(letters ?? "")) return undefined;
  const kinds = files.map(fileKind);
  if (kinds.includes("route")) return undefined;
  // Next to other files, `index.ts` may export those files to other folders.
  const isAlone = files.every((file, index) =>
    file === name || kinds[index] === "middleware" || !CODE_FILE.test(file)
  );
  if (letters === "index" && !isAlone) return undefined;
  return `this is not a route file; to make it a route file, name it "route" with ${EXTENSIONS}`;
}

/**
 * Reports a folder name in the notation of another framework: `:id`, `$id`, `{id}`,
 * `<id>`, `*`.
 *
 * @returns The message; `undefined` for other names.
 */
export function suspiciousFolder(name: string): string | undefined {
  if (!FOREIGN_FOLDER.test(name)) return undefined;
  // Unicode property escapes compile slowly, so this check applies one only to names
  // that begin with `:` or `$`.
  if (/^[:$]/.test(name) && !/^.\p{ID_Start}/u.test(name)) return undefined;
  return 'this folder is a static segment; rename it to "[name]" for a parameter, or "[...]" for a wildcard';
}

/** Returns the letters in the name of a code file, before its extensions. */
function lettersOf(name: string): string | undefined {
  return CODE_FILE.exec(name)?.[1]?.toLowerCase().replaceAll(/[^a-z]/g, "");
}
