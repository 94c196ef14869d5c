import { dirname, join } from "@std/path";

/** How a run of a program ended. */
export interface Outcome {
  /** `"late"` where it was stopped. */
  readonly result: "good" | "failed" | "late";
  /** What it printed. */
  readonly output: string;
}

/** What to run, beside the arguments. */
export interface RunOptions {
  /** The milliseconds after which it is stopped. */
  readonly timeout?: number;
  /** The folder for coverage, of programs that it starts as well. */
  readonly coverage?: string;
}

/** Room for a mutant that loops: it ends before it takes the machine's memory. */
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

  /** Copies the files that git knows or would take, and `vendor/`. */
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
      // A group of its own, to be ended as a whole.
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
    // All of it ended already.
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

/** Whether a file is there: git lists those that were removed just now, too. */
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
