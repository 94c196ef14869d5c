import { isNear } from "../common/closest.ts";

/** The names of route files and middleware files. */
const FILE_NAME = /^(?:route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * The name of a code file without further dots: `_middleware.mts`. Excludes
 * `middleware.test.ts` and the files of editors (`.#middleware.ts`, `middleware.ts~`).
 */
const CODE_FILE = /^([^.#]+)(?:\.[cm]?[jt]sx?)+$/i;
/** The name of a code file with further dots: `middleware.server.ts`. */
const DOTTED_FILE = /^([^.#]+)((?:\.[^.]+)+?)(?:\.[cm]?[jt]sx?)+$/i;
/** The name of a file without an extension. */
const BARE_FILE = /^([^.#]+)\.?$/;
/** The suffixes of files that no application runs: `middleware.test.ts`. */
const UNUSED_SUFFIX = /\.(?:tests?|specs?|bench|mocks?|stories|d)(?=\.|$)/i;
const ASCII = /^[!-~]*$/;
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
 * `middleware`. Such a file would not run. Reports `middleware.server.ts` only if its
 * folder has no middleware file.
 *
 * @param isGuarded Whether the same folder has a middleware file.
 * @returns The message; `undefined` for other names.
 */
export function suspiciousGuard(
  name: string,
  isGuarded: boolean,
): string | undefined {
  if (fileKind(name) !== undefined) return undefined;
  const letters = guardLetters(name, isGuarded)?.replace(/s$/, "");
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
  const letters = onlyLetters(CODE_FILE.exec(visible(name))?.[1]);
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

/**
 * Returns the letters of the first word of a file name, if the name may be a misspelled
 * `middleware`.
 */
function guardLetters(name: string, isGuarded: boolean): string | undefined {
  const shown = visible(name);
  const plain = CODE_FILE.exec(shown) ?? BARE_FILE.exec(shown);
  if (plain !== null) return onlyLetters(plain[1]);
  const [, first, words = ""] = DOTTED_FILE.exec(shown) ?? [];
  // Next to a middleware file, `middleware.auth.ts` may be a module that the middleware
  // imports.
  return isGuarded || UNUSED_SUFFIX.test(words)
    ? undefined
    : onlyLetters(first);
}

/** Removes invisible characters, such as a space before the dot. */
function visible(name: string): string {
  // Startup checks every name, so names in ASCII skip the slow Unicode expression.
  return ASCII.test(name) ? name : name.replaceAll(/[\p{C}\p{Z}]/gu, "");
}

function onlyLetters(name: string | undefined): string | undefined {
  return name?.toLowerCase().replaceAll(/[^a-z]/g, "");
}
