/** Whether there is a file, a folder or a link, as far as that can be seen. */
export function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** What is at a path, links followed; `undefined` if nothing is. */
export function fileInfo(path: string): Deno.FileInfo | undefined {
  return ifFound(() => Deno.statSync(path));
}

/** The text of a file; `undefined` if there is none. */
export function readIfExists(path: string): string | undefined {
  return ifFound(() => Deno.readTextFileSync(path));
}

function ifFound<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    const { NotADirectory, NotFound } = Deno.errors;
    if (error instanceof NotFound || error instanceof NotADirectory) {
      return undefined;
    }
    throw error;
  }
}
