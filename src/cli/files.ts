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

/** Replaces a file in one step, so that readers never see an incomplete file. */
export function replaceFile(path: string, text: string): void {
  const next = `${path}.${crypto.randomUUID()}.tmp`;
  Deno.writeTextFileSync(next, text);
  try {
    const mode = fileInfo(path)?.mode;
    if (mode) Deno.chmodSync(next, mode & 0o777);
    Deno.renameSync(next, path);
  } catch (error) {
    Deno.removeSync(next);
    throw error;
  }
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
