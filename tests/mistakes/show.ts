import { assert } from "@std/assert";
import { boughIn } from "../cli/support.ts";
import {
  CapturedLog,
  FolderApplication,
  TestFolder,
} from "../support/application.ts";
import { DenoProcess } from "../support/process.ts";

export type Files = Readonly<Record<string, string>>;

/** The output or the error of a start; the files are below `api/`. */
export function atStart(files: Files): () => Promise<string> {
  return async () => {
    using log = new CapturedLog();
    await using application = await FolderApplication.create(files);
    const failure = await application.app.start()
      .then(() => undefined, (error: Error) => error.message);
    return (failure ?? log.lines.join("\n"))
      .replaceAll(`${application.folder.path}/`, "");
  };
}

/** The output of `bough check`; the files are below `api/`. */
export function atCheck(files: Files): () => Promise<string> {
  return async () => {
    await using folder = await TestFolder.create(
      Object.fromEntries(
        Object.entries(files).map(([path, code]) => [`api/${path}`, code]),
      ),
    );
    const { code, stdout } = await boughIn(folder.path, "check");
    assert(code === 1, stdout);
    return stdout;
  };
}

/** The log entry of the first `GET` of a URL; the files are below `api/`. */
export function atRequest(files: Files, url: string): () => Promise<string> {
  return async () => {
    using log = new CapturedLog();
    await using application = await FolderApplication.create(files);
    const { status } = await application.fetch(url);
    assert(status === 500, `${status}`);
    return log.lines[0]!.split("\n")[0]!
      .replaceAll(`${application.folder.path}/`, "");
  };
}

/** The message of a program that fails with these flags. */
export async function atRun(
  files: Files,
  flags: readonly string[],
): Promise<string> {
  await using folder = await TestFolder.create(files);
  await using process = new DenoProcess(folder.path, flags);
  const { code, output } = await process.outcome();
  assert(code !== 0, output);
  const [line] = /(?:Cannot|Address).*/.exec(output) ?? [];
  assert(line !== undefined, output);
  return line.replaceAll(`${folder.path}/`, "");
}
