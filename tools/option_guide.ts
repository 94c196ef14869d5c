/**
 * Writes the tables of `src/guide/options.md` from the declarations of the options and
 * their doc comments, and the table of `bough check` from its rules: `deno task guide`.
 * A test fails if a page is out of date.
 */
import { fromFileUrl } from "@std/path";
import { WARNINGS } from "../src/cli/check/rules.ts";
import type { OptionForm } from "../src/core/common/forms.ts";
import { SETTINGS } from "../src/core/start/modules.ts";
import { OPTIONS as SERVE_OPTIONS } from "../src/core/server/serve.ts";
import { OPTIONS } from "../src/core/start/options.ts";
import { anchorOf } from "../tests/support/pages.ts";

const SRC = new URL("../src/", import.meta.url);
const TARGET = new URL("guide/options.md", SRC);
const COMMAND = new URL("cli/README.md", SRC);

/** An option with its doc comment, as `deno doc --json` prints it. */
interface Documented {
  readonly name: string;
  readonly jsDoc?: {
    readonly doc?: string;
    readonly tags?: readonly {
      readonly kind: string;
      readonly value: string;
    }[];
  };
  readonly tsType?: { readonly value?: unknown };
}

interface Module {
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly {
      readonly def: { readonly properties?: readonly Documented[] };
    }[];
  }[];
}

/** A table of the page. */
interface Table {
  /** The file that declares the types of the options. */
  readonly file: string;
  /** The types, whose doc comments describe the options. */
  readonly types: readonly string[];
  readonly declarations: Readonly<Record<string, object>>;
}

/** The tables, by the heading above each. */
const TABLES: Readonly<Record<string, Table>> = {
  "new Framework(options)": {
    file: "src/core/types/options.ts",
    types: ["FolderOptions", "ManifestOptions", "CommonOptions"],
    declarations: OPTIONS,
  },
  "app.serve(options)": {
    file: "src/core/server/serve.ts",
    types: ["ServeOptions"],
    declarations: SERVE_OPTIONS,
  },
  "export const config": {
    file: "src/core/start/modules.ts",
    types: ["FileConfig"],
    declarations: SETTINGS,
  },
};

/** Sections of the guides that show how to use an option. */
const GUIDES: Readonly<Record<string, string>> = {
  rewrite:
    "[rewritten paths](./routing.md#serve-urls-that-folders-cannot-express)",
  invalidParams: "[invalid requests](./validation.md#invalid-requests)",
  load: "[own imports](./deployment.md#an-import-of-your-own)",
  manifest: "[manifests](./deployment.md#a-manifest)",
  lazy: "[lazy routes](./deployment.md#lazy-routes)",
  validateResponses: "[responses](./validation.md#responses)",
  serverTiming: "[timings](./deployment.md#logs-traces-and-timings)",
  exitOnUncaughtError: "[unexpected errors](./errors.md#unexpected-errors)",
  middleware: "[middleware](./middleware.md#around-the-whole-application)",
  errors: "[error formats](./errors.md#declare-an-error-format)",
  onError: "[your own responses](./errors.md#your-own-error-responses)",
  permissions: "[permissions](./permissions.md#declare)",
  plugins: "[plugins](./routing.md#routes-from-a-plugin)",
  env: "[port and host](./deployment.md#port-and-host)",
  shutdownTimeout: "[signals](./deployment.md#signals-and-health-checks)",
};

/** Returns the page for the current declarations and doc comments. */
export async function optionGuide(): Promise<string> {
  let page = await Deno.readTextFile(TARGET);
  for (const [heading, table] of Object.entries(TABLES)) {
    page = withTable(page, heading, await rowsOf(table));
  }
  return await formatted(page);
}

/** Returns the page of the command for the current rules of `bough check`. */
export async function commandGuide(): Promise<string> {
  const page = await Deno.readTextFile(COMMAND);
  return await formatted(withTable(page, "Check an application", [
    ["warning", "finding"],
    ...Object.entries(WARNINGS)
      .map(([rule, meaning]) => [`\`${rule}\``, meaning]),
  ]));
}

/** Replaces the first table below a heading. */
function withTable(
  page: string,
  heading: string,
  [titles, ...rows]: readonly (readonly string[])[],
): string {
  const from = page.indexOf("\n| ", page.indexOf(`\n## ${heading}\n`));
  const lines = page.slice(from + 1).split("\n");
  const rest = lines.slice(lines.findIndex((line) => !line.startsWith("|")));
  const table = [titles!, titles!.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`);
  return [page.slice(0, from), ...table, ...rest].join("\n");
}

async function rowsOf(
  { file, types, declarations }: Table,
): Promise<string[][]> {
  const { symbols } = await documentation(file);
  const options = types.flatMap((type) =>
    symbols.find(({ name }) => name === type)!.declarations[0]!.def
      .properties!
  );
  const behaviour = await Deno.readTextFile(new URL("guide/behaviour.md", SRC));
  const rows = Object.entries(declarations).flatMap(([name, declaration]) => {
    // The options of Deno have no rule.
    if (!("rule" in declaration)) return [];
    // `apiDir?: never` excludes an option, and has no description.
    const option = options.find((each) =>
      each.name === name && each.tsType?.value !== "never"
    )!;
    const { rule, default: value } = declaration as OptionForm<unknown>;
    return [[
      ruleLink(name, rule, behaviour),
      defaultOf(option, value),
      firstParagraph(option),
      GUIDES[name] ?? "",
    ]];
  });
  return [["option", "default", "meaning", "see"], ...rows];
}

/** Reads the doc comments of a file. */
async function documentation(file: string): Promise<Module> {
  const text = await deno(["doc", "--json", `../${file}`]);
  const { nodes } = JSON.parse(text) as { nodes: Record<string, Module> };
  return Object.values(nodes)[0]!;
}

/** The first paragraph of a doc comment, as a cell of a table. */
function firstParagraph({ jsDoc }: Documented): string {
  const [paragraph = ""] = (jsDoc?.doc ?? "").split("\n\n");
  return paragraph.replaceAll(/\s+/g, " ").trim()
    .replaceAll(/\{@linkcode (?:\S+\|)?([^}]+)\}/g, "`$1`")
    .replaceAll("|", "\\|");
}

async function formatted(markdown: string): Promise<string> {
  return await deno(["fmt", "--ext=md", "-"], markdown);
}

async function deno(args: string[], input = ""): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: fromFileUrl(SRC),
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** @throws {Error} If `@default` differs from the declaration. */
function defaultOf(
  { name, jsDoc }: Documented,
  value: unknown,
): string {
  const tag = jsDoc?.tags?.find(({ kind, value }) =>
    kind === "default" || value.startsWith("@default ")
  );
  const declared = value === undefined ? undefined : code(value);
  const documented = tag?.kind === "default" ? tag.value : undefined;
  if (declared !== documented) {
    throw new Error(
      `The default of "${name}" is ${declared}; its @default is ${documented}`,
    );
  }
  return declared === undefined
    ? tag?.value.slice("@default ".length) ?? ""
    : `\`${declared}\``;
}

function code(value: unknown): string {
  return typeof value === "number"
    ? value.toLocaleString("en").replaceAll(",", "_")
    : JSON.stringify(value);
}

/**
 * The name of an option, which links to its rule.
 *
 * @throws {Error} If the rule does not name the option.
 */
function ruleLink(name: string, rule: string, behaviour: string): string {
  const start = behaviour.indexOf(`\n### ${rule} `) + 1;
  const text = behaviour.slice(start, behaviour.indexOf("\n#", start));
  if (start === 0 || !new RegExp(`\`[^\`]*\\b${name}\\b`).test(text)) {
    throw new Error(`Rule ${rule} does not name the option "${name}"`);
  }
  const heading = text.slice("### ".length, text.indexOf("\n"));
  return `[\`${name}\`](./behaviour.md#${anchorOf(heading)})`;
}

if (import.meta.main) {
  await Deno.writeTextFile(TARGET, await optionGuide());
  await Deno.writeTextFile(COMMAND, await commandGuide());
}
