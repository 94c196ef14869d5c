import { dropStack, printable } from "../common/log.ts";
import { groupBy, messageOf, quoted } from "../common/values.ts";
import { Faults } from "../common/faults.ts";
import type { ResolvedOptions } from "./options.ts";
import { PatternCompiler, type RoutePattern } from "../routing/pattern.ts";
import {
  type Discovery,
  type RouteFile,
  suspiciousFolder,
  type Warning,
} from "./discover.ts";

type SourceOptions = Pick<ResolvedOptions, "source" | "prefix">;

/** A route file with its URL pattern. */
export interface CompiledFile {
  readonly file: RouteFile;
  readonly pattern: RoutePattern;
}

/** The files of an application before they are imported. */
export interface Compilation {
  readonly discovery: Discovery;
  readonly compiled: readonly CompiledFile[];
}

interface FilePattern {
  readonly file: string;
  readonly pattern: RoutePattern;
}

/**
 * Finds the files of an application and compiles their folder names.
 *
 * @throws {RouteError} If the folder cannot be read, or its files or folders have
 * faults.
 */
export async function compileOrThrow(
  options: SourceOptions,
): Promise<Compilation> {
  const faults = new Faults();
  const found = await discoverAndCompile(options, faults);
  findConflicts(found.compiled, [], faults);
  faults.throwIfAny();
  return found;
}

/**
 * Finds the files and compiles their folder names. Continues after a fault, and does
 * not look for conflicts. A folder that cannot be read counts as empty.
 */
export async function discoverAndCompile(
  options: SourceOptions,
  faults: Faults,
): Promise<Compilation> {
  const { label, discover } = options.source;
  let discovery;
  try {
    discovery = await discover(faults);
  } catch (cause) {
    faults.at(label, "api-dir")(unreadable(cause, label), dropStack(cause));
    const none = { files: [], middleware: [], warnings: [] };
    return { discovery: none, compiled: [] };
  }
  const warnings = [...discovery.warnings, ...folderWarnings(discovery)];
  if (discovery.files.length === 0) {
    const message = "it has no route file, so it serves no URL";
    warnings.push({ path: label, rule: "no-routes", message });
  }
  return {
    discovery: { ...discovery, warnings },
    compiled: compileFiles(discovery, options.prefix, faults),
  };
}

function unreadable(error: unknown, label: string): string {
  if (error instanceof Deno.errors.NotFound) {
    return "the folder does not exist; set apiDir to the folder of your routes (it is relative to the working directory)";
  }
  if (error instanceof Deno.errors.NotADirectory) {
    return "this is not a folder; set apiDir to the folder of your routes";
  }
  if (error instanceof Deno.errors.NotCapable) {
    return `reading the folder is not permitted; run deno with --allow-read=${label}`;
  }
  return `reading the folder failed: ${messageOf(error)}`;
}

/** Compiles the folders of the files, and reports malformed names. */
function compileFiles(
  { files, middleware }: Discovery,
  prefix: readonly string[],
  faults: Faults,
): CompiledFile[] {
  const compiler = new PatternCompiler(prefix);
  const compile = (file: RouteFile) => {
    try {
      return [{ file, pattern: compiler.compile(file.folders) }];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      faults.at(file.path, "folder-name")(printable(error.message));
      return [];
    }
  };
  // A guard in a malformed folder is a fault, too.
  middleware.forEach(compile);
  return files.flatMap(compile);
}

/** Warns of the folders of files that are in the notation of another framework. */
function folderWarnings({ files, middleware }: Discovery): Warning[] {
  const messages = new Map<string, string>();
  for (const { path, folders } of [...files, ...middleware]) {
    for (const [index, name] of folders.entries()) {
      const message = suspiciousFolder(name);
      if (message === undefined) continue;
      const names = path.split("/").slice(0, index - folders.length);
      messages.set(names.join("/"), message);
    }
  }
  return [...messages].sort().map(([path, message]) => (
    { path, rule: "folder-notation", message }
  ));
}

/** Reports route files and plugin routes that match the same URLs. */
export function findConflicts(
  compiled: readonly CompiledFile[],
  added: readonly FilePattern[],
  faults: Faults,
): void {
  const routes: readonly FilePattern[] = [
    ...compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
    ...added,
  ];
  for (
    const same of groupBy(routes, ({ pattern }) => pattern.key).values()
  ) {
    const [first, ...others] = same;
    if (others.length === 0) continue;
    const files = quoted(others.map(({ file }) => file), " and ");
    const url = printable(first!.pattern.text);
    // A group may have a guard, so the remedy describes how to open single methods.
    const remedy = same.some(({ file }) => file.includes("/("))
      ? ". To open single methods below a guard, set schema.get.security = []"
      : "";
    faults.at(first!.file, "same-url")(
      `${files} would serve the same URLs, "${url}"; keep one of them${remedy}`,
    );
  }
}
