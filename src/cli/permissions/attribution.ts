import { toFileUrl } from "@std/path/to-file-url";
import type { ObservedApplication } from "./application.ts";
import type { AccessPlace, Frame } from "./audit.ts";
import { covers, temporaryFolder } from "./coverage.ts";
import type { Access } from "./log.ts";
import { isFramework, isLocal } from "./modules.ts";

/** An access at one place. */
export interface Use extends Omit<Access, "places"> {
  /** The innermost frame outside of the framework, which may be in a dependency. */
  readonly by: Frame | undefined;
  /** Whether the line of `by` certainly made the access, and not a later line. */
  readonly isSure: boolean;
  /** The innermost file of the application, if the stack is certain. */
  readonly file?: string | undefined;
}

/** Uses, by the files that must declare them. */
export interface Attribution {
  /** The uses of route and middleware files, by URL. */
  readonly byFile: ReadonlyMap<string, readonly Use[]>;
  /** Uses of the application without a known route. */
  readonly shared: readonly Use[];
  /** Uses that the output does not list: imports of routes, and addresses of servers. */
  readonly implied: readonly Use[];
  readonly tests: readonly Use[];
}

/** The owner of a use: the URLs of files, the name of another list, or `"unknown"`. */
type Owner = readonly string[] | "shared" | "implied" | "tests" | "unknown";

const MODULE = /\.(?:[cm]?[jt]sx?|json|wasm)$/;

const UNKNOWN_PLACE = {
  frames: [],
  fits: false,
  isSure: false,
  isListening: false,
};

/**
 * Finds the owner of each access. An access belongs to the tests only if all of its
 * places are certainly in the tests.
 *
 * @param sources The possible owners; `routes` are URLs of route and middleware files.
 */
export function attribute(
  accesses: readonly Access[],
  { routes, entries, tests, graph, start }:
    & Pick<ObservedApplication, "entries" | "tests" | "graph" | "start">
    & { readonly routes: readonly string[] },
): Attribution {
  const byFile = new Map<string, Use[]>(routes.map((url) => [url, []]));
  const shared: Use[] = [];
  const implied: Use[] = [];
  const ofTests: Use[] = [];
  const imports = (roots: readonly string[], url: string) =>
    roots.some((root) => graph.reaches(root, url));
  const isTest = (url: string) =>
    imports(tests, url) && !imports([...routes, ...entries], url);

  function ownerOf({ value }: Access, place: AccessPlace): Owner {
    const { frames, fits, isSure, isListening } = place;
    // `deno serve` itself listens, and needs no permission.
    if (isListening && frames.length === 0) return "tests";
    if (!fits) return "unknown";
    const local = frames.filter(({ url }) => isLocal(url));
    if (local.length > 0 && local.every(({ url }) => isTest(url))) {
      return isSure || value === temporaryFolder() ? "tests" : "unknown";
    }
    const route = frames.find(({ url }) => byFile.has(url));
    if (route !== undefined) return [route.url];
    if (isListening && isFramework(frames[0]!.url)) return "implied";
    // Every route that imports a module needs the accesses of the module's top-level
    // code.
    const outermost = frames.at(-1);
    const importers = outermost === undefined || outermost.name !== undefined
      ? []
      : routes.filter((url) => graph.uses(url, outermost.url));
    return importers.length > 0 ? importers : "shared";
  }

  /** The owner of an import, whose stack is missing or of another access. */
  function importerOf(url: string): Owner {
    // Static imports of the program need no permission.
    if (imports(entries, url)) return "tests";
    if (imports(routes, url)) return "implied";
    return imports(tests, url) ? "tests" : "unknown";
  }

  function usesOf(access: Access): { owner: Owner; use: Use }[] {
    const { places, ...permission } = access;
    const { kind, value } = permission;
    return (places.length > 0 ? places : [UNKNOWN_PLACE]).map((place) => {
      const path = kind === "read" && !place.isSure ? value : true;
      const isImport = path !== true && MODULE.test(path);
      const owner = isImport
        ? importerOf(toFileUrl(path).href)
        : ownerOf(access, place);
      const frames = isImport ? [] : place.frames;
      const isSure = owner !== "unknown";
      const file = isSure
        ? frames.find(({ url }) => isLocal(url))?.url
        : undefined;
      const by = frames.find(({ url }) => !isFramework(url));
      return { owner, use: { ...permission, by, isSure, file } };
    });
  }

  for (const access of accesses) {
    // Startup needs this access anyway.
    if (start.some((permission) => covers(permission, access))) continue;
    const uses = usesOf(access);
    const own = uses.filter(({ owner }) => owner !== "tests");
    const known = own.filter(({ owner }) => owner !== "unknown");
    for (const { owner, use } of known.length > 0 ? known : own) {
      if (typeof owner === "object") {
        for (const url of owner) byFile.get(url)!.push(use);
      } else (owner === "implied" ? implied : shared).push(use);
    }
    if (own.length === 0) ofTests.push(uses[0]!.use);
  }
  return { byFile, shared, implied, tests: ofTests };
}
