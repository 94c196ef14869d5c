import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative, toFileUrl } from "@std/path";
import { type Change, diffDocuments } from "@bough/framework/diff";
import {
  createDocument,
  type JsonSchema,
  type OpenApiDocument,
} from "@bough/framework/openapi";
import { boughIn, type CommandOutcome } from "../cli/support.ts";
import {
  TestApplication,
  TestFolder,
  type TestModule,
} from "../support/application.ts";
import { schemaOf } from "../support/schema_of.ts";
import { type Files, setApp } from "./current_app.ts";
import { route } from "./documents.ts";

const CURRENT_APP = fromFileUrl(new URL("current_app.ts", import.meta.url));

/** A route file with a `POST` whose body has a schema. */
export function post(body: object): TestModule {
  return route({ post: { body } });
}

/** A route file with a `GET` that has some schemas. */
export function get(schemas: object): TestModule {
  return route({ get: schemas });
}

/** An application, and the document of its earlier version, in `api.json`. */
export class ChangedFolder implements AsyncDisposable {
  readonly #folder: TestFolder;
  readonly #app: () => readonly string[];

  private constructor(folder: TestFolder, app: () => readonly string[]) {
    this.#folder = folder;
    this.#app = app;
  }

  get path(): string {
    return this.#folder.path;
  }

  /** Writes the document of the first files, and then the second files. */
  static async create(
    before: Readonly<Record<string, string>>,
    after: Readonly<Record<string, string>>,
  ): Promise<ChangedFolder> {
    await using earlier = await TestFolder.create(before);
    const folder = await TestFolder.create(after);
    await folder.write("api.json", await documentOf(earlier.path, "api"));
    return new ChangedFolder(folder, () => []);
  }

  /** Writes the document of the first application, and then uses the second. */
  static async of(
    before: Files,
    after: Files,
    options?: Parameters<typeof setApp>[1],
  ): Promise<ChangedFolder> {
    const folder = await TestFolder.create({});
    setApp(before, options);
    await folder.write("api.json", await documentOf(folder.path, CURRENT_APP));
    return new ChangedFolder(folder, () => {
      setApp(after, options);
      return [CURRENT_APP];
    });
  }

  write(name: string, content: string): Promise<void> {
    return this.#folder.write(name, content);
  }

  diff(...args: readonly string[]): Promise<CommandOutcome> {
    const against = args.some((each) => each.startsWith("--against"))
      ? []
      : ["--against=api.json"];
    return boughIn(this.path, "diff", ...this.#app(), ...against, ...args);
  }

  async changes(): Promise<(Change & { file?: string })[]> {
    const { stdout, stderr } = await this.diff("--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout).changes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** The changes that `bough diff` finds between two applications. */
export async function changesOf(
  before: Files,
  after: Files,
  options?: Parameters<typeof setApp>[1],
): Promise<Change[]> {
  await using folder = await ChangedFolder.of(before, after, options);
  return await folder.changes();
}

/** The source of a function that returns a schema, for the name of a test. */
export function sourceOf(schema: () => unknown): string {
  return String(schema).replace(/^\(\)\s*=>\s*/, "").replaceAll(/\s+/g, " ");
}

/** The document of the application in a folder. */
export async function documentOf(folder: string, app: string): Promise<string> {
  const { stdout, stderr, code } = await boughIn(folder, "openapi", app);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const EXAMPLES_FOLDER = fromFileUrl(
  new URL("../../examples/", import.meta.url),
);

export function exampleFolder(name: string): string {
  return join(EXAMPLES_FOLDER, name);
}

/** A copy of the bookshop in which texts of a file are replaced. */
export async function changedBookshop(
  file: string,
  replacements: Readonly<Record<string, string>>,
): Promise<TestFolder> {
  const folder = await TestFolder.create({});
  const root = exampleFolder("bookshop");
  for await (const { path } of walk(root, { includeDirs: false })) {
    const name = relative(root, path);
    // The import map of the bookshop ends at its folder.
    let source = (await Deno.readTextFile(path))
      .replaceAll('"@/', `"${toFileUrl(folder.path)}/`);
    if (name === file) {
      for (const [text, replacement] of Object.entries(replacements)) {
        if (!source.includes(text)) throw new Error(`"${text}" is not in it`);
        source = source.replace(text, () => replacement);
      }
    }
    await folder.write(name, source);
  }
  return folder;
}

/** A schema with a JSON Schema, which accepts each value. */
export function form(json: JsonSchema): object {
  return schemaOf(undefined, () => json);
}

/** The OpenAPI document of an application. */
export async function openApiOf(
  { app }: Pick<TestApplication, "app">,
): Promise<OpenApiDocument> {
  const info = { title: "Changes", version: "1.0.0" };
  return createDocument(await app.routes(), { info }).document;
}

/** The changes from the first to the second document, and back. */
export async function changesInBothDirections(
  first: OpenApiDocument,
  second: OpenApiDocument,
): Promise<string[]> {
  return [
    ...await diffDocuments(first, second),
    ...await diffDocuments(second, first),
  ].map(textOf);
}

function textOf(
  { verdict, operation, place, message, value }: Change,
): string {
  return [verdict, operation, place, message, JSON.stringify(value)].join(" ");
}

/**
 * Pairs of schemas with a change, with the changes; the two versions of an application
 * have one route for each pair.
 */
export async function changedPairs(
  pairs: readonly (readonly [name: string, object, object])[],
): Promise<string[]> {
  const [first, second] = await Promise.all(
    ([1, 2] as const).map((version) =>
      openApiOf(TestApplication.of(Object.fromEntries(
        pairs.map((pair, index) => {
          const post = { body: pair[version], response: pair[version] };
          return [`r${index}/route.ts`, route({ post })];
        }),
      )))
    ),
  );
  return (await changesInBothDirections(first!, second!)).map((text) => {
    const [, index] = /\/r(\d+)/.exec(text)!;
    return `${pairs[Number(index)]![0]}: ${text}`;
  });
}
