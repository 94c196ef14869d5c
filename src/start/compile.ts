import { dropStack, printable } from "../common/log.ts";
import { Faults, type Report, RouteError } from "../faults.ts";
import { PatternCompiler, type RoutePattern } from "../routing/pattern.ts";
import { compileSegment } from "../routing/pattern.ts";
import type { Discovery, RouteFile } from "./discover.ts";
import type { RouteSource } from "./source.ts";

/** Where the routes are, and the prefix of their paths. */
export interface ScanOptions {
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
export interface Scan {
  readonly discovery: Discovery;
  /** The route files whose folder names compile to a URL pattern. */
  readonly compiled: readonly CompiledFile[];
}

interface ScannedRoute {
  readonly file: string;
  readonly pattern: RoutePattern;
}

/**
 * Finds the files of an application and compiles their folder names.
 *
 * @throws {RouteError} If the tree cannot be served, whatever its files export.
 */
export async function scan(options: ScanOptions): Promise<Scan> {
  const faults = new Faults();
  const found = await scanFiles(options, faults);
  findConflicts(
    found.compiled.map(({ file, pattern }) => ({ file: file.path, pattern })),
    faults,
  );
  faults.throwIfAny();
  return found;
}

/**
 * Does the same, but goes on after a fault, and does not look for conflicts.
 *
 * @param faults Receives what is wrong with the names.
 */
export async function scanFiles(
  options: ScanOptions,
  faults: Faults,
): Promise<Scan> {
  const discovery = await discoverOrExplain(options, faults);
  return { discovery, compiled: compileFiles(discovery, options, faults) };
}

async function discoverOrExplain(
  { source }: ScanOptions,
  faults: Faults,
): Promise<Discovery> {
  const { label } = source;
  try {
    return await source.discover(faults);
  } catch (cause) {
    throw new RouteError([{
      path: label,
      rule: "api-dir",
      reason: unreadable(cause, label),
      cause: dropStack(cause),
    }]);
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
  { source, prefix }: ScanOptions,
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

/** Finds route files that match the same URLs. */
export function findConflicts(
  routes: readonly ScannedRoute[],
  faults: Faults,
): void {
  const first = new Map<string, ScannedRoute>();
  const others = new Map<ScannedRoute, ScannedRoute[]>();
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
