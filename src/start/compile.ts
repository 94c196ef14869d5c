import { dropStack, printable } from "../common/log.ts";
import { Faults, type Report } from "../faults.ts";
import {
  compileSegment,
  PatternCompiler,
  type RoutePattern,
} from "../routing/pattern.ts";
import type { Discovery, RouteFile } from "./discover.ts";
import type { RouteSource } from "./source.ts";

/** Where the routes are, and the prefix of their paths. */
export interface SourceOptions {
  /** The source of the files. */
  readonly source: RouteSource;
  /** The segments of `apiPrefix`. */
  readonly prefix: readonly string[];
}

/** A route file with its URL pattern. */
export interface CompiledFile {
  readonly file: RouteFile;
  readonly pattern: RoutePattern;
}

/** What is known of an application before its files are imported. */
export interface Compilation {
  readonly discovery: Discovery;
  /** The route files whose folder names compile to a URL pattern. */
  readonly compiled: readonly CompiledFile[];
}

interface FilePattern {
  readonly file: string;
  readonly pattern: RoutePattern;
}

/**
 * Finds the files of an application and compiles their folder names.
 *
 * @throws {RouteError} If the tree cannot be served, whatever its files export.
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
 * Finds the files and compiles their folder names. It goes on after a fault, and does
 * not look for conflicts.
 *
 * @param faults Receives what is wrong with the names.
 * @returns `undefined` if the files cannot be found.
 */
export async function discoverAndCompile(
  options: SourceOptions,
  faults: Faults,
): Promise<Compilation | undefined> {
  const discovery = await discoverFiles(options, faults);
  return discovery &&
    { discovery, compiled: compileFiles(discovery, options, faults) };
}

async function discoverFiles(
  { source }: SourceOptions,
  faults: Faults,
): Promise<Discovery | undefined> {
  const { label } = source;
  try {
    return await source.discover(faults);
  } catch (cause) {
    faults.at(label, "api-dir")(unreadable(cause, label), dropStack(cause));
    return undefined;
  }
}

function unreadable(error: unknown, label: string): string {
  if (error instanceof Deno.errors.NotFound) {
    return `there is no such folder; set apiDir to the folder of your routes (it is relative to the working directory)`;
  }
  if (error instanceof Deno.errors.NotADirectory) {
    return "it is no folder; set apiDir to the folder of your routes";
  }
  if (error instanceof Deno.errors.NotCapable) {
    return `reading it is not permitted; run deno with --allow-read=${label}`;
  }
  return `reading it failed: ${error instanceof Error ? error.message : error}`;
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
  const sound = new Set(compiled.flatMap(({ file }) => file.folders));
  // Malformed folders without a route file below them are faults as well.
  for (const names of folders) {
    if (sound.has(names.at(-1)!)) continue;
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

/** Finds route files, and routes of plugins, that match the same URLs. */
export function findConflicts(
  compiled: readonly CompiledFile[],
  added: readonly FilePattern[],
  faults: Faults,
): void {
  const routes = [
    ...compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
    ...added,
  ];
  const first = new Map<string, FilePattern>();
  const others = new Map<FilePattern, FilePattern[]>();
  for (const route of routes) {
    const { key } = route.pattern;
    const known = first.get(key);
    if (known === undefined) first.set(key, route);
    else others.set(known, [...others.get(known) ?? [], route]);
  }
  for (const [route, same] of others) {
    const files = same.map(({ file }) => `"${file}"`).join(" and ");
    faults.at(route.file, "same-url")(
      `${files} would serve the same URLs, "${
        printable(route.pattern.text)
      }"; keep one of them`,
    );
  }
}
