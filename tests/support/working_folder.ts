import { resolve } from "@std/path";

/** The functions of `Deno` whose first arguments are paths, and how many are. */
const PATHS: Readonly<Record<string, number>> = {
  chmod: 1,
  copyFile: 2,
  lstat: 1,
  mkdir: 1,
  open: 1,
  readDir: 1,
  readFile: 1,
  readLink: 1,
  readTextFile: 1,
  realPath: 1,
  remove: 1,
  rename: 2,
  stat: 1,
  writeFile: 1,
  writeTextFile: 1,
};

/**
 * The working directory of one test, until it is disposed. `Deno.chdir` would change
 * that of all test files, because Deno runs them in threads of one process.
 */
export class WorkingFolder implements Disposable {
  readonly #before: Record<string, unknown> = {};

  constructor(folder: string) {
    this.#replace("cwd", () => folder);
    const resolved = (path: unknown): unknown =>
      typeof path === "string" ? resolve(folder, path) : path;
    for (const [name, count] of Object.entries(PATHS)) {
      for (const key of [name, `${name}Sync`]) {
        const call = Reflect.get(Deno, key);
        this.#replace(
          key,
          (...args: unknown[]) =>
            call(...args.map((arg, at) => at < count ? resolved(arg) : arg)),
        );
      }
    }
    this.#replace(
      "Command",
      class extends Deno.Command {
        constructor(command: string | URL, options?: Deno.CommandOptions) {
          super(command, { cwd: folder, ...options });
        }
      },
    );
  }

  #replace(name: string, value: unknown): void {
    this.#before[name] = Reflect.get(Deno, name);
    Reflect.set(Deno, name, value);
  }

  [Symbol.dispose](): void {
    Object.assign(Deno, this.#before);
  }
}
