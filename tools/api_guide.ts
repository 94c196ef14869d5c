/**
 * Writes `src/API.md`, an overview of what each entry point exports, from the doc
 * comments: `deno task guide`. A test fails when it is out of date.
 */
import { fromFileUrl } from "@std/path";

const ROOT = new URL("../", import.meta.url);
const TARGET = new URL("src/API.md", ROOT);

interface Documented {
  readonly name?: string;
  readonly jsDoc?: { readonly doc?: string };
}

interface Declaration extends Documented {
  readonly kind: string;
  readonly def: {
    readonly methods?: readonly (Documented & { isStatic?: boolean })[];
    readonly properties?: readonly Documented[];
  };
}

interface Module {
  readonly module_doc: { readonly doc: string };
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly Declaration[];
  }[];
}

/** The overview as it should be. */
export async function apiGuide(): Promise<string> {
  const { name, exports } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  ) as { name: string; exports: Record<string, string> };
  const parts = [];
  for (const [entryPoint, file] of Object.entries(exports)) {
    parts.push(section(name + entryPoint.slice(1), await documentation(file)));
  }
  return await formatted(`# What the entry points export

Written by \`deno task guide\` from the doc comments. They say more, and
[the package's page](https://jsr.io/${name}/doc) shows them.
[The README](../README.md) shows how the parts work together.

${parts.join("\n")}`);
}

async function documentation(file: string): Promise<Module> {
  const text = await deno(["doc", "--json", fromFileUrl(new URL(file, ROOT))]);
  const { nodes } = JSON.parse(text) as { nodes: Record<string, Module> };
  return Object.values(nodes)[0]!;
}

function section(specifier: string, module: Module): string {
  const values: string[] = [];
  const types: string[] = [];
  for (const { name, declarations } of module.symbols) {
    const declaration = declarations[0]!;
    if (declaration.kind === "interface" || declaration.kind === "typeAlias") {
      types.push(row(name, declaration));
      continue;
    }
    values.push(row(name, declaration));
    if (declaration.kind !== "class") continue;
    const { methods = [], properties = [] } = declaration.def;
    for (const member of [...properties, ...methods]) {
      // The `name` that every error class overrides says nothing new.
      if (member.name === "name") continue;
      values.push(row(`${name}.${member.name}`, member));
    }
  }
  return `## \`${specifier}\`

${module.module_doc.doc.trim()}

${table("export", values)}
${table("type", types)}`;
}

function table(head: string, rows: readonly string[]): string {
  if (rows.length === 0) return "";
  return `| ${head} | what it is |\n| --- | --- |\n${rows.join("\n")}\n`;
}

function row(name: string, { jsDoc }: Documented): string {
  const summary = firstSentence(jsDoc?.doc ?? "").replaceAll("|", "\\|");
  return `| \`${name}\` | ${summary} |`;
}

function firstSentence(doc: string): string {
  const [paragraph = ""] = doc.split("\n\n");
  const text = paragraph.replaceAll(/\s+/g, " ").trim()
    .replaceAll(/\{@linkcode (?:\S+\|)?([^}]+)\}/g, "`$1`");
  return /^.*?[.?!](?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}

async function formatted(markdown: string): Promise<string> {
  return await deno(["fmt", "--ext=md", "-"], markdown);
}

async function deno(args: string[], input = ""): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: fromFileUrl(ROOT),
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

if (import.meta.main) await Deno.writeTextFile(TARGET, await apiGuide());
