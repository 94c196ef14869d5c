import { fromFileUrl } from "@std/path/from-file-url";
import { resolve } from "@std/path/resolve";
import { toFileUrl } from "@std/path/to-file-url";
import { unescaped } from "../../core/common/log.ts";
import {
  type Permission,
  permissionsOf,
} from "../../core/start/permissions.ts";
import type { Inspection } from "../../core/start/inspect.ts";
import { ModuleError } from "../command.ts";
import type { AccessPlace, Frame } from "./audit.ts";
import { temporaryFolder } from "./coverage.ts";
import { displayName, isFramework, ModuleGraph, nodeOf } from "./modules.ts";
import type { Access } from "./record.ts";

/** A recorded access, with the place in the code that made it. */
export interface Use extends Access {
  /** Whether only the tests need the access. */
  readonly isTests: boolean;
  /** The first line of the user's code: `lib/bank.ts:4`; absent if it is uncertain. */
  readonly by: string | undefined;
  /** The package whose code made the access: `npm:zod`. */
  readonly dependency: string | undefined;
  /** The URL patterns of the route in the stack. */
  readonly routes: readonly string[];
}

/** The modules whose accesses have the stack of an earlier access. */
const REPEATING = ["node:sqlite", "node:net"];

/** The declared permissions of an application, with the files that declare them. */
export function declarationsOf(
  { routes }: Inspection,
): (Permission & { readonly file: string })[] {
  return routes.flatMap(({ permissions }) =>
    permissions.flatMap(({ file, permissions }) =>
      permissionsOf(permissions).map((each) => ({ ...each, file }))
    )
  );
}

/**
 * Reads the imports of an application and of its tests.
 *
 * @param further The paths of the modules that start the application, and of those that
 * tasks run, the URLs of its tests, and the configuration of its project, if there is
 * one.
 * @returns Read access to the files outside of `apiDir` that only routes import, since
 * Deno loads the imports of the first module without a permission; and the function that
 * locates accesses.
 * @throws {ModuleError} If a route file does not exist, as with some manifests.
 */
export async function modulesOf(
  { source, files, middleware }: Inspection,
  { entries, scripts, tests, config }: {
    readonly entries: readonly string[];
    readonly scripts: readonly string[];
    readonly tests: readonly string[];
    readonly config: string | undefined;
  },
): Promise<{ imports: Permission[]; locate: (access: Access) => Use }> {
  const patterns = new Map<string, string[]>();
  for (const { file, path } of files) {
    patterns.getOrInsertComputed(realUrl(file, source), () => []).push(path);
  }
  const routes = [
    ...patterns.keys(),
    ...middleware.map((path) => realUrl(path, source)),
  ];
  const urlOf = (path: string) => toFileUrl(resolve(path)).href;
  const starts = entries.map(urlOf);
  // Another module than the application's may start the server.
  const others = scripts.map(urlOf);
  const graph = await ModuleGraph.read(
    [...routes, ...starts, ...others, ...tests],
    config,
  );
  const started = graph.from(starts);
  const application = graph.from(routes).union(started);
  const server = application.union(graph.from(others));
  // Without a known first module, nothing is certainly the tests' alone.
  const ofTests = starts.length === 0
    ? new Set<string>()
    : graph.from(tests).difference(server);
  const repeats = REPEATING.some((name) => server.has(name));
  const apiDir = `${realUrl(source, source)}/`;
  return {
    imports: [...application.difference(started)]
      .filter((url) => url.startsWith("file:") && !url.startsWith(apiDir))
      .map((url) => ({ kind: "read", value: fromFileUrl(url) })),
    locate: (access) => located(access, { patterns, tests, ofTests, repeats }),
  };
}

function realUrl(path: string, source: string): string {
  try {
    return toFileUrl(Deno.realPathSync(resolve(unescaped(path)))).href;
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new ModuleError(
      source,
      `"${path}" does not exist; if the routes come from a manifest, name the folder of the manifest's routes`,
      { cause },
    );
  }
}

/** Finds the owner and the place of an access in its stacks. */
export function located(access: Access, { patterns, tests, ofTests, repeats }: {
  readonly patterns: ReadonlyMap<string, readonly string[]>;
  readonly tests: readonly string[];
  readonly ofTests: ReadonlySet<string>;
  /** Whether the server imports a module whose accesses have an earlier stack. */
  readonly repeats: boolean;
}): Use {
  const { kind, value, places, count } = access;
  const isOfTests = ({ url }: Frame) => ofTests.has(nodeOf(url));
  // Tests make and remove many temporary files with one stack.
  const isTemporary = value === temporaryFolder() && !repeats;
  const isTests = ({ frames, fits, isSure }: AccessPlace) => {
    const own = frames.filter(({ url }) => !isFramework(url));
    return fits && (isSure || isTemporary) && own.length > 0 &&
      own.every(isOfTests) &&
      // The server may load a module as a worker, as a program, or by a computed name.
      own.some(({ url }) => tests.includes(url));
  };
  // Deno reads a module to import it, and shows the stack of an earlier access. If that
  // stack fits, and is the server's, the server may read the module as a file.
  const isImport = kind === "read" && value !== true &&
    ofTests.has(toFileUrl(value).href) &&
    !places.some(({ frames, fits, isSure }) =>
      isSure || (fits &&
        !frames.every((each) => isFramework(each.url) || isOfTests(each)))
    );
  const others = places.filter((place) => !isTests(place));
  // Each question must have a stack of its own.
  const isComplete = isTemporary ||
    places.reduce((sum, place) => sum + place.count, 0) >= count;
  const isAllTests = isImport ||
    (places.length > 0 && others.length === 0 && isComplete);
  const certain = (isAllTests ? places : others)
    .filter(({ isSure }) => isSure);
  const ofServer = certain.find(({ frames }) =>
    frames.some((frame) => !isFramework(frame.url) && !isOfTests(frame))
  );
  const { frames = [] } = ofServer ?? certain[0] ?? {};
  const outer = frames.filter(({ url }) => !isFramework(url));
  const line = outer.find(({ url }) =>
    url.startsWith("file:") && nodeOf(url) === url
  );
  const [inner] = outer;
  const dependency = inner && inner !== line
    ? displayName(inner.url)
    : undefined;
  return {
    ...access,
    isTests: isAllTests,
    by: line && `${displayName(line.url)}:${line.line}`,
    dependency,
    routes: [...new Set(frames.flatMap(({ url }) => patterns.get(url) ?? []))],
  };
}
