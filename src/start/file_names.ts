import { isNear } from "../common/option_table.ts";

/** The names of route files and middleware files. */
const FILE_NAME = /^(?:route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * The name of a code file without further dots: `_middleware.mts`, but neither
 * `middleware.test.ts` nor the files of editors (`.#middleware.ts`,
 * `middleware.ts~`).
 */
const CODE_FILE = /^([^.#]+)(?:\.[cm]?[jt]sx?)+$/i;
/** Its name with words between: `middleware.server.ts`. */
const WORDED_FILE = /^([^.#]+)((?:\.[^.]+)+?)(?:\.[cm]?[jt]sx?)+$/i;
/** A name without an extension. */
const BARE_FILE = /^([^.#]+)\.?$/;
/** The words of files that no application runs: `middleware.test.ts`. */
const BESIDE = /\.(?:tests?|specs?|bench|mocks?|stories|d)(?=\.|$)/i;
const ASCII = /^[!-~]*$/;
/** How other frameworks spell `[id]` and `[...]`. */
const FOREIGN_FOLDER = /^[:$]|^\{.+\}$|^<.+>$|^\*+$/;

const EXTENSIONS = '".ts", ".tsx", ".js" or ".jsx"';

/** The kind of a file by its name; `undefined` for other files. */
export function fileKind(name: string): "route" | "middleware" | undefined {
  if (!FILE_NAME.test(name)) return undefined;
  return name.startsWith("route") ? "route" : "middleware";
}

/**
 * Says what is wrong with the name of a file that may be meant as middleware, but
 * does not run: `middlewares.ts`, `_middleware.ts`, `Middleware.ts`, `middleware.mts`,
 * `middleware`, and, unless a middleware file stands beside, `middleware.server.ts`.
 *
 * @param isGuarded Whether a middleware file stands in the same folder.
 */
export function suspiciousGuard(
  name: string,
  isGuarded: boolean,
): string | undefined {
  if (fileKind(name) !== undefined) return undefined;
  const letters = guardLetters(name, isGuarded)?.replace(/s$/, "");
  if (letters === undefined || !isNear(letters, "middleware")) return undefined;
  return `it may be meant as a guard, and would guard nothing by this name; name it "middleware" with ${EXTENSIONS}, or, if it is none, something else`;
}

/**
 * Says what is wrong with the name of a file that may be meant as a route, but is not
 * served: `routes.ts`, `Route.ts`, or `index.ts` alone in its folder.
 *
 * @param files The names of all files in its folder.
 */
export function suspiciousRoute(
  name: string,
  files: readonly string[],
): string | undefined {
  const letters = onlyLetters(CODE_FILE.exec(visible(name))?.[1]);
  if (!/^(?:routes?|index)$/.test(letters ?? "")) return undefined;
  const kinds = files.map(fileKind);
  if (kinds.includes("route")) return undefined;
  // Beside other files, `index.ts` may export them to other folders.
  const isAlone = files.every((file, index) =>
    file === name || kinds[index] === "middleware" || !CODE_FILE.test(file)
  );
  if (letters === "index" && !isAlone) return undefined;
  return `it is served by no route, if it is meant as one; name it "route" with ${EXTENSIONS}`;
}

/**
 * Says what is wrong with a folder that spells `[id]` or `[...]` as other frameworks
 * do: `:id`, `$id`, `{id}`, `<id>`, `*`.
 */
export function suspiciousFolder(name: string): string | undefined {
  if (!FOREIGN_FOLDER.test(name)) return undefined;
  // A class of Unicode is slow to create, so only such names pay for it.
  if (/^[:$]/.test(name) && !/^.\p{ID_Start}/u.test(name)) return undefined;
  return 'its URL has this very name; a parameter is a folder "[name]", a wildcard "[...]"';
}

/** The letters in the first word of a name that a guard may have by mistake. */
function guardLetters(name: string, isGuarded: boolean): string | undefined {
  const text = visible(name);
  const plain = CODE_FILE.exec(text) ?? BARE_FILE.exec(text);
  if (plain !== null) return onlyLetters(plain[1]);
  const [, first, words = ""] = WORDED_FILE.exec(text) ?? [];
  // Beside a middleware file, `middleware.auth.ts` may be a part of it.
  return isGuarded || BESIDE.test(words) ? undefined : onlyLetters(first);
}

/** A name without what one does not see in it, such as a space before the dot. */
function visible(name: string): string {
  // The start looks at every name, and a search for all of Unicode is slow.
  return ASCII.test(name) ? name : name.replaceAll(/[\p{C}\p{Z}]/gu, "");
}

function onlyLetters(text: string | undefined): string | undefined {
  return text?.toLowerCase().replaceAll(/[^a-z]/g, "");
}
