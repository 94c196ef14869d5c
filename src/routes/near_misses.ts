/** The names of files that count, and what they are. */
const FILE_NAME = /^(route|middleware)\.(?:ts|tsx|js|jsx)$/;

/**
 * A name without a dot of its own and an extension of code: `_middleware.mts`, and
 * neither `middleware.test.ts` nor what editors leave (`.#middleware.ts`,
 * `middleware.ts~`).
 */
const CODE_FILE = /^([^.#]+)(?:\.[cm]?[jt]sx?)+$/i;
/** What is hard to see in a name, such as a space before its dot. */
const UNSEEN = /[\p{C}\p{Z}]/gu;
/** How other frameworks spell `[id]` and `[...]`. */
const FOREIGN_FOLDER = /^[:$](?=\p{ID_Start})|^\{.+\}$|^<.+>$|^\*+$/u;

/** How the files that count end, for messages. */
const EXTENSIONS = '".ts", ".tsx", ".js" or ".jsx"';

/** What a file is by its name, if it counts. */
export function fileKind(name: string): "route" | "middleware" | undefined {
  return FILE_NAME.exec(name)?.[1] as ReturnType<typeof fileKind>;
}

/**
 * Says what is wrong with the name of a file that may be a guard which is off:
 * `middlewares.ts`, `_middleware.ts`, `Middleware.ts`, `middleware.mts`.
 */
export function guardMiss(name: string): string | undefined {
  if (fileKind(name) !== undefined) return undefined;
  const letters = lettersOf(name)?.replace(/s$/, "");
  if (letters === undefined || !isNear(letters, "middleware")) return undefined;
  return `it may be meant as a guard, and would guard nothing by this name; name it "middleware" with ${EXTENSIONS}, or, if it is none, something else`;
}

/**
 * Says what is wrong with the name of a file that may be a route which is not
 * served: `routes.ts`, `Route.ts`, or `index.ts` alone in its folder.
 *
 * @param files The names of all files in its folder.
 */
export function routeMiss(
  name: string,
  files: readonly string[],
): string | undefined {
  const letters = lettersOf(name);
  if (!/^(?:routes?|index)$/.test(letters ?? "")) return undefined;
  const kinds = files.map(fileKind);
  if (kinds.includes("route")) return undefined;
  // Beside other files, it may well be what other folders import of this one.
  const isAlone = files.every((file, index) =>
    file === name || kinds[index] === "middleware" || !CODE_FILE.test(file)
  );
  if (letters === "index" && !isAlone) return undefined;
  return `it is served by no route, if it is meant as one; name it "route" with ${EXTENSIONS}`;
}

/** Says what is unwise about a folder in another framework's notation: `:id`. */
export function folderMiss(name: string): string | undefined {
  if (!FOREIGN_FOLDER.test(name)) return undefined;
  return 'its URL has this very name; a parameter is a folder "[name]", a wildcard "[...]"';
}

/** The letters in the name of a file of code, without those of its extension. */
function lettersOf(name: string): string | undefined {
  const stem = CODE_FILE.exec(name.replaceAll(UNSEEN, ""))?.[1];
  return stem?.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Whether at most one letter is missing, added, wrong, or swapped with the next. */
function isNear(text: string, word: string): boolean {
  let start = 0;
  while (start < word.length && text[start] === word[start]) start++;
  const found = text.slice(start);
  const wanted = word.slice(start);
  return found.slice(1) === wanted || found === wanted.slice(1) ||
    found.slice(1) === wanted.slice(1) ||
    found === wanted.replace(/^(.)(.)/, "$2$1");
}
