import { fromFileUrl, join } from "@std/path";
import { TestFolder } from "../support/application.ts";
import { Registry } from "./registry.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

export const CONFIG = JSON.parse(
  await Deno.readTextFile(join(ROOT, "deno.json")),
);

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/** The package in a registry on loopback, and an empty cache for Deno. */
export class Published implements AsyncDisposable {
  readonly registry: Registry;
  readonly #cache: TestFolder;

  private constructor(registry: Registry, cache: TestFolder) {
    this.registry = registry;
    this.#cache = cache;
  }

  static async create(): Promise<Published> {
    const registry = new Registry();
    const published = new Published(registry, await TestFolder.create({}));
    try {
      await published.#publish();
    } catch (error) {
      await published[Symbol.asyncDispose]();
      throw error;
    }
    return published;
  }

  get cache(): string {
    return this.#cache.path;
  }

  /**
   * A whole environment, in which Deno uses this registry instead of jsr.io. Deno would
   * measure only the coverage of the published package, so the environment excludes it.
   */
  get env(): Readonly<Record<string, string>> {
    const { DENO_COVERAGE_DIR: _, ...others } = Deno.env.toObject();
    return {
      ...others,
      NO_COLOR: "1",
      JSR_URL: this.registry.url,
      DENO_DIR: this.cache,
    };
  }

  /** Runs Deno in a folder, or another program. */
  async deno(
    cwd: string,
    args: readonly string[],
    program = Deno.execPath(),
  ): Promise<Ran> {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd,
      env: this.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    ) as [string, string];
    return { code, stdout: out, output: out + err };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    await this.#cache[Symbol.asyncDispose]();
  }

  async #publish(): Promise<void> {
    // Next to the vendor folder, Deno would use no registry.
    await using source = await TestFolder.create({});
    for (
      const name of ["mod.ts", "README.md", "LICENSE", "CHANGELOG.md", "src"]
    ) {
      await copy(join(ROOT, name), join(source.path, name));
    }
    const { vendor: _, workspace: __, ...config } = CONFIG;
    await source.write("deno.json", JSON.stringify(config));
    const args = ["publish", "--token=test", "--allow-dirty", "--no-check"];
    const { code, output } = await this.deno(source.path, args);
    if (code !== 0) throw new Error(output);
  }
}

async function copy(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) {
    return await Deno.copyFile(from, to);
  }
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    await copy(join(from, name), join(to, name));
  }
}
