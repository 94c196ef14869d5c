import { dirname, join } from "@std/path";

/** How a run of a program ended. */
export interface Outcome {
  /** `"late"` if it was stopped. */
  readonly result: "good" | "failed" | "late";
  /** What it printed. */
  readonly output: string;
}

/** How to run a program. */
export interface RunOptions {
  /** The milliseconds after which it is stopped. */
  readonly timeout?: number;
  /** The folder for coverage, also of programs that it starts. */
  readonly coverage?: string;
}

/** The memory for a mutant that loops, which must not use up the machine's. */
const MEMORY = "--v8-flags=--max-old-space-size=1024";

/** A copy of the repository, in which files can be changed. */
export class Workspace implements AsyncDisposable {
  /** The folder of the copy. */
  readonly root: string;
  /** The files of the repository that are in it. */
  readonly files: readonly string[];

  private constructor(root: string, files: readonly string[]) {
    this.root = root;
    this.files = files;
  }

  /** Copies the files that git tracks or would add, and `vendor/`. */
  static async create(): Promise<Workspace> {
    const folder = await Deno.makeTempDir({ prefix: "mutation_" });
    const root = await Deno.realPath(folder);
    const files = await repositoryFiles();
    for (const file of [...files, ...filesBelow("vendor")]) {
      const target = join(root, file);
      await Deno.mkdir(dirname(target), { recursive: true });
      await Deno.copyFile(file, target);
    }
    return new Workspace(root, files);
  }

  /** Reads a file of the copy. */
  read(file: string): Promise<string> {
    return Deno.readTextFile(join(this.root, file));
  }

  /** Writes a file of the copy. */
  async write(file: string, text: string): Promise<void> {
    await Deno.writeTextFile(join(this.root, file), text);
  }

  /** Removes a file of the copy. */
  async remove(file: string): Promise<void> {
    await Deno.remove(join(this.root, file));
  }

  /** Runs a test file, up to the first test that fails. */
  test(file: string, options: RunOptions = {}): Promise<Outcome> {
    const { coverage } = options;
    const flags = coverage === undefined
      ? []
      : [`--coverage=${coverage}`, "--coverage-raw-data-only"];
    return this.run(
      ["test", "--permission-set=test", "--no-check", "--fail-fast", MEMORY]
        .concat(flags, file),
      options,
    );
  }

  /** Runs Deno in the copy, with all the processes that it starts. */
  async run(
    args: readonly string[],
    { timeout, coverage }: RunOptions = {},
  ): Promise<Outcome> {
    const child = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: this.root,
      env: coverage === undefined ? {} : { DENO_COVERAGE_DIR: coverage },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      // In a process group of its own, which can be ended as a whole.
      detached: true,
    }).spawn();
    let late = false;
    const timer = timeout === undefined ? undefined : setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, timeout);
    const { success, stdout, stderr } = await child.output();
    clearTimeout(timer);
    endGroup(child.pid);
    const decoder = new TextDecoder();
    return {
      result: late ? "late" : success ? "good" : "failed",
      output: decoder.decode(stdout) + decoder.decode(stderr),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}

function endGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended already.
  }
}

/** The files of the repository as they are now, committed or not. */
async function repositoryFiles(): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
  }).output();
  return new TextDecoder().decode(stdout).split("\0").filter((file) =>
    file !== "" && exists(file)
  );
}

/** Whether a file exists: git also lists those that were just removed. */
function exists(file: string): boolean {
  try {
    return Deno.lstatSync(file).isFile;
  } catch {
    return false;
  }
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(join(folder, name)) : [join(folder, name)]
  );
}
