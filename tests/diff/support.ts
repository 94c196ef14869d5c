import { walk } from "@std/fs/walk";
import { dirname, fromFileUrl, join, relative, toFileUrl } from "@std/path";
import type { Change } from "@bough/framework/diff";
import { boughIn, type CommandOutcome } from "../cli/support.ts";
import { TestFolder } from "../support/application.ts";

/** A route file whose `POST` has a body, and imports zod. */
export function post(body: string, more = ""): string {
  return `
    import { z } from "zod";
    export const schema = { post: { body: ${body}, ${more} } };
    export const POST = () => new Response();
  `;
}

/** A folder with an application, and the document of its earlier files. */
export class ChangedFolder implements AsyncDisposable {
  readonly #folder: TestFolder;

  private constructor(folder: TestFolder) {
    this.#folder = folder;
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Writes the document of the first files, and then the second files. */
  static async create(
    before: Readonly<Record<string, string>>,
    after: Readonly<Record<string, string>>,
    app = "api",
  ): Promise<ChangedFolder> {
    await using earlier = await TestFolder.create(before);
    const folder = await TestFolder.create(after);
    await folder.write("api.json", await documentOf(earlier.path, app));
    return new ChangedFolder(folder);
  }

  write(name: string, content: string): Promise<void> {
    return this.#folder.write(name, content);
  }

  diff(...args: readonly string[]): Promise<CommandOutcome> {
    const against = args.some((each) => each.startsWith("--against"))
      ? []
      : ["--against=api.json"];
    return boughIn(this.path, "diff", ...against, ...args);
  }

  async changes(app = "api"): Promise<(Change & { file?: string })[]> {
    const { stdout, stderr } = await this.diff(app, "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout).changes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** The document of the application in a folder. */
export async function documentOf(folder: string, app: string): Promise<string> {
  const { stdout, stderr, code } = await boughIn(folder, "openapi", app);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** The folders and modules of all examples, from the root of the package. */
export const EXAMPLES = ["bookshop/main.ts", "minimal/api", "realworld/main.ts"]
  .concat(
    [...Deno.readDirSync(
      fromFileUrl(new URL("../../examples/recipes", import.meta.url)),
    )]
      .map(({ name }) => `recipes/${name}/main.ts`).sort(),
  );

const EXAMPLES_FOLDER = fromFileUrl(
  new URL("../../examples/", import.meta.url),
);

export function exampleFolder(name: string): string {
  return join(EXAMPLES_FOLDER, name);
}

/** A copy of the bookshop in which a text of a file is replaced. */
export async function changedBookshop(
  file: string,
  [text, replacement]: readonly [string, string],
): Promise<TestFolder> {
  const folder = await TestFolder.create({});
  const root = exampleFolder("bookshop");
  for await (const { path } of walk(root, { includeDirs: false })) {
    const target = join(folder.path, relative(root, path));
    await Deno.mkdir(dirname(target), { recursive: true });
    if (!path.endsWith(".ts")) await Deno.copyFile(path, target);
    else {
      // The import map of the bookshop ends at its folder.
      const source = (await Deno.readTextFile(path))
        .replaceAll('"@/', `"${toFileUrl(folder.path)}/`);
      await Deno.writeTextFile(target, source);
    }
  }
  const path = join(folder.path, file);
  const source = await Deno.readTextFile(path);
  if (!source.includes(text)) throw new Error(`"${text}" is not in ${file}`);
  await Deno.writeTextFile(path, source.replace(text, replacement));
  return folder;
}
