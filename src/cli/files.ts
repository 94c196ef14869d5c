/** Whether a file, folder or link exists; `false` if Deno cannot read its information. */
export function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** The information on a file, a folder or the target of a link, if it exists. */
export function fileInfo(path: string): Deno.FileInfo | undefined {
  return ifFound(() => Deno.statSync(path));
}

/** The content of a file; `undefined` if it does not exist. */
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
