import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";

/** A command of Deno that runs a program, with its arguments. */
const RUNNING = /\bdeno (run|test|serve|bench)\b([^;&|\n]*)/g;
/** A flag that gives permissions. */
const PERMISSION =
  /(?:^|\s)(?:-A|-P|-[RWNESI]+|--permission-set|--allow-[a-z]+)(?:[=\s]|$)|\s-P\S/;
const SCRIPT = /\.[cm]?[jt]sx?$/;

/**
 * Adds all permissions to commands that give none. The broker decides in their place,
 * but not on what a program only queries, as the start of an application does.
 */
export function withPermissions(text: string): string {
  return text.replaceAll(
    RUNNING,
    (all, name, rest) => PERMISSION.test(rest) ? all : `deno ${name} -A${rest}`,
  );
}

/** The modules that `deno run` and `deno serve` start, which are of the application. */
export function entriesOf(text: string): string[] {
  return scriptsOf(text, /run|serve/).slice(0, 1);
}

/** The URLs of modules that are tests: by their name, or since they are run as such. */
export function testsOf(text: string, urls: readonly string[]): string[] {
  const named = scriptsOf(text, /test|bench/)
    .map((path) => toFileUrl(resolve(path)).href);
  const found = urls.filter((url) =>
    /(?:[_.\/](?:test|bench)\.[cm]?[jt]sx?|\/__tests__\/[^]*)$/.test(url)
  );
  return [...new Set([...named, ...found])];
}

function scriptsOf(text: string, command: RegExp): string[] {
  return [...text.matchAll(RUNNING)].flatMap(([, name = "", rest = ""]) =>
    command.test(name)
      ? rest.split(/\s+/).filter((word) =>
        !word.startsWith("-") && SCRIPT.test(word)
      )
      : []
  );
}
