import { dropStack, printable } from "../common/log.ts";
import { groupBy, messageOf, quoted } from "../common/values.ts";
import { Faults, type Report } from "../common/faults.ts";
import type { ResolvedOptions } from "./options.ts";
import {
  compileSegment,
  PatternCompiler,
  type RoutePattern,
} from "../routing/pattern.ts";
import type { Discovery, RouteFile } from "./discover.ts";

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
  findConflicts(found?.compiled ?? [], [], faults);
  faults.throwIfAny();
  return found!;
}

/**
 * Finds the files and compiles their folder names. Continues after a fault, and does
 * not look for conflicts.
 *
 * @returns `undefined` if the files cannot be found.
 */
export async function discoverAndCompile(
  options: SourceOptions,
  faults: Faults,
): Promise<Compilation | undefined> {
  const { label, discover } = options.source;
  let discovery;
  try {
    discovery = await discover(faults);
  } catch (cause) {
    faults.at(label, "api-dir")(unreadable(cause, label), dropStack(cause));
    return undefined;
  }
  return { discovery, compiled: compileFiles(discovery, options, faults) };
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

function compileFiles(
  { files, folders }: Discovery,
  { source, prefix }: SourceOptions,
  faults: Faults,
): CompiledFile[] {
  const compiler = new PatternCompiler(prefix);
  const compiled: CompiledFile[] = [];
  for (const file of files) {
    try {
      compiled.push({ file, pattern: compiler.compile(file.folders) });
    } catch (error) {
      reportMalformed(error, faults.at(file.path, "folder-name"));
    }
  }
  if (folders.length === 0) return compiled;
  const valid = new Set(compiled.flatMap(({ file }) => file.folders));
  // Malformed folders without a route file are faults, too.
  for (const names of folders) {
    if (valid.has(names.at(-1)!)) continue;
    try {
      compileSegment(names.at(-1)!);
    } catch (error) {
      const isReported = files.some(({ folders }) =>
        names.every((name, index) => name === folders[index])
      );
      if (isReported) continue;
      const path = printable([source.label, ...names].join("/"));
      reportMalformed(error, faults.at(path, "folder-name"));
    }
  }
  return compiled;
}

function reportMalformed(error: unknown, report: Report): void {
  if (!(error instanceof SyntaxError)) throw error;
  report(printable(error.message));
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
