/**
 * Writes `src/guide/API.md`, which lists the names for users' own code by task, from the doc
 * comments: `deno task guide`. A test fails if the page is out of date.
 */
import { fromFileUrl } from "@std/path";

const ROOT = new URL("../", import.meta.url);
const TARGET = new URL("src/guide/API.md", ROOT);

/** A name with its doc comment, as `deno doc --json` prints it. */
export interface Documented {
  readonly name?: string;
  readonly jsDoc?: {
    readonly doc?: string;
    readonly tags?: readonly {
      readonly kind: string;
      readonly value: string;
    }[];
  };
  readonly tsType?: { readonly value?: unknown };
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

/** A task, and the names of `@bough/framework` for it. */
interface Group {
  readonly title: string;
  readonly text: string;
  readonly names: readonly string[];
}

const GROUPS: readonly Group[] = [
  {
    title: "An application",
    text:
      "A `Framework` serves a folder of route files. [The first hour](./first_hour.md) creates a project, [Options](./options.md) lists the settings, and [Deployment](./deployment.md) covers production.",
    names: [
      "Framework",
      "FrameworkOptions",
      "ServeOptions",
      "RouteLoader",
      "RouteManifest",
      "draining",
      "RouteError",
      "RouteFault",
    ],
  },
  {
    title: "Route files: handlers and requests",
    text:
      "A `route.ts` exports a handler for each method: see [Routing](./routing.md), [Handlers](./handlers.md) and [Permissions](./permissions.md).",
    names: ["Handler", "FrameworkRequest", "Method", "RoutePermissions"],
  },
  {
    title: "Middleware",
    text:
      "A `middleware.ts` runs around the routes of its folder: see [Middleware](./middleware.md).",
    names: ["Middleware", "MiddlewareRequest", "Next", "RequestState"],
  },
  {
    title: "Schemas and contracts",
    text:
      "Schemas check requests and describe responses, for a method or for a whole folder: see [Validation](./validation.md) and [Contracts](./middleware.md#contracts).",
    names: [
      "RouteSchema",
      "MethodSchema",
      "ResponseSchemas",
      "content",
      "negotiate",
      "SecurityRequirement",
      "FolderContract",
      "WithContracts",
      "Validated",
      "StandardSchemaV1",
    ],
  },
  {
    title: "Responses and errors",
    text:
      "A handler returns a `Response`, or throws an `HttpError`: see [Responses](./validation.md#responses) and [Errors](./errors.md).",
    names: [
      "respond",
      "HttpError",
      "HttpErrorOptions",
      "errorFormat",
      "ErrorFormat",
      "ErrorDetails",
      "Problem",
      "errorResponse",
      "ErrorHandler",
      "NotFoundHandler",
    ],
  },
  {
    title: "Plugins and tools",
    text:
      "A plugin adds routes to an application; a tool inspects its routes: see [Routes from a plugin](./routing.md#routes-from-a-plugin).",
    names: [
      "Plugin",
      "PluginContext",
      "PluginRoute",
      "RouteInfo",
      "Inspection",
      "RouteWarning",
    ],
  },
];

/** For each other entry point: its guide, and the types for users' own code. */
const OTHERS: Readonly<
  Record<string, { readonly guide?: string; readonly types?: string[] }>
> = {
  "./cli": { guide: "cli" },
  "./client": {
    guide: "client",
    types: [
      "ClientOptions",
      "Client",
      "CallOptions",
      "CallResult",
      "ProblemDocument",
      "EventsIterator",
      "ReceivedEvent",
      "ClientSocket",
      "SocketClosing",
    ],
  },
  "./client/progress": { guide: "client", types: ["UploadProgress"] },
  "./create": { guide: "cli" },
  "./dev": {
    guide: "dev",
    types: ["InspectorOptions", "RouteChangeOptions", "RouteMemory"],
  },
  "./diff": {
    guide: "diff",
    types: ["DiffOptions", "Change", "Clients", "ShownRequest"],
  },
  "./files": {
    guide: "files",
    types: ["SendFileOptions", "FilesOptions", "ReadableSource"],
  },
  "./hono": { guide: "hono", types: ["HonoMiddleware"] },
  "./live": {
    guide: "live",
    types: [
      "EventsOptions",
      "EventsContext",
      "SocketOptions",
      "SocketHandlers",
      "LiveSocket",
    ],
  },
  "./log": { guide: "log", types: ["AccessLogOptions", "AccessLogEntry"] },
  "./mcp": { guide: "mcp", types: ["McpOptions", "McpTool"] },
  "./openapi": {
    guide: "openapi",
    types: [
      "OpenApiOptions",
      "ProblemDocument",
      "DocumentOptions",
      "CreatedDocument",
      "OpenApiDocument",
      "DocumentWarning",
      "JsonSchema",
      "EffectiveSchema",
    ],
  },
  "./protect": {
    guide: "./protection.md",
    types: [
      "RateLimitOptions",
      "IdempotencyOptions",
      "MemoryStoreOptions",
      "ProtectionStore",
      "Counter",
      "Claim",
      "ClaimResult",
      "Outcome",
    ],
  },
  "./protect/sqlite": {
    guide: "./protection.md",
    types: ["SqliteStore", "SqliteStoreOptions"],
  },
  "./testing": {
    guide: "testing",
    types: [
      "ContractTestOptions",
      "CheckOptions",
      "ContractReport",
      "ContractFailure",
      "LogIn",
      "PartGenerators",
      "TestedApplication",
    ],
  },
  "./types": {},
  "./uploads": {
    guide: "uploads",
    types: ["FileOptions", "FormOptions", "FormFile", "SavedFile"],
  },
};

/** Returns the page of the exported names for the current doc comments. */
export async function apiGuide(): Promise<string> {
  const { name, exports } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  ) as { name: string; exports: Record<string, string> };
  const parts = [];
  for (const [entryPoint, file] of Object.entries(exports)) {
    const module = await documentation(file);
    const content = entryPoint === "."
      ? coreSections(module)
      : otherSection(module, entryPoint);
    parts.push(`## \`${name + entryPoint.slice(1)}\`\n\n${content}`);
  }
  return await formatted(`# Exported names

This page lists the names for your own code, by entry point.
[The package's page](https://jsr.io/${name}/doc) has details, examples, and the
types that appear only in signatures. [The README](../../README.md) shows how the
parts work together. \`deno task guide\` writes this page from the doc comments.

${parts.join("\n")}`);
}

/** Reads the doc comments of a file. */
export async function documentation(file: string): Promise<Module> {
  const text = await deno(["doc", "--json", fromFileUrl(new URL(file, ROOT))]);
  const { nodes } = JSON.parse(text) as { nodes: Record<string, Module> };
  return Object.values(nodes)[0]!;
}

/** @throws {Error} If a name is not in exactly one group. */
function coreSections(module: Module): string {
  const grouped = GROUPS.flatMap(({ names }) => names).sort();
  const exported = module.symbols.map(({ name }) => name).sort();
  if (String(grouped) !== String(exported)) {
    const wrong = [...grouped, ...exported].filter((name, _, all) =>
      all.filter((other) => other === name).length !== 2
    );
    throw new Error(
      `mod.ts and GROUPS differ in ${[...new Set(wrong)].join(", ")}`,
    );
  }
  const sections = GROUPS.map(({ title, text, names }) =>
    `### ${title}\n\n${text}\n\n${table(module, names)}`
  );
  return `${summary(module)}\n\n${sections.join("\n")}`;
}

function otherSection(module: Module, entryPoint: string): string {
  const { guide, types = [] } = OTHERS[entryPoint]!;
  const values = module.symbols
    .filter(({ declarations: [first] }) =>
      first!.kind !== "interface" && first!.kind !== "typeAlias"
    )
    .map(({ name }) => name);
  const page = guide?.endsWith(".md") ? guide : `../${guide}/README.md`;
  const link = guide ? ` See [its guide](${page}).` : "";
  return `${summary(module)}${link}\n\n${table(module, [...values, ...types])}`;
}

/** The first paragraph of the doc comment of an entry point. */
function summary({ module_doc: { doc } }: Module): string {
  return doc.trim().split("\n\n")[0]!;
}

function table({ symbols }: Module, names: readonly string[]): string {
  if (names.length === 0) return "";
  const rows = names.flatMap((name) => {
    const symbol = symbols.find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`"${name}" is not exported`);
    const declaration = symbol.declarations[0]!;
    const { methods = [], properties = [] } = declaration.kind === "class"
      ? declaration.def
      : {};
    return [
      row(name, declaration),
      ...[...properties, ...methods]
        // Every error class overrides `name`.
        .filter((member) => member.name !== "name")
        .map((member) => row(`${name}.${member.name}`, member)),
    ];
  });
  return `| name | description |\n| --- | --- |\n${rows.join("\n")}\n`;
}

function row(name: string, documented: Documented): string {
  return `| \`${name}\` | ${firstSentence(documented)} |`;
}

/** The first paragraph of a doc comment, as a cell of a table. */
export function firstParagraph({ jsDoc }: Documented): string {
  const [paragraph = ""] = (jsDoc?.doc ?? "").split("\n\n");
  return paragraph.replaceAll(/\s+/g, " ").trim()
    .replaceAll(/\{@linkcode (?:\S+\|)?([^}]+)\}/g, "`$1`")
    .replaceAll("|", "\\|");
}

function firstSentence(documented: Documented): string {
  const text = firstParagraph(documented);
  return /^.*?[.?!](?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}

export async function formatted(markdown: string): Promise<string> {
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
