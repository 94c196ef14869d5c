import { toFileUrl } from "@std/path/to-file-url";
import type { Want } from "../../routes/permission_flags.ts";
import { covers } from "./coverage.ts";
import type { ModuleGraph } from "./graph.ts";
import type { Access, Frame } from "./log.ts";
import { isDependency, isFramework } from "./modules.ts";

/** Where something was used. */
export interface Use extends Want {
  /** The module whose line used it, the dependency if there is one; else nothing. */
  readonly by: Frame | undefined;
  /** The innermost file of the application in the stack, if there is one. */
  readonly file: string | undefined;
}

/** What was used, by who has to declare it. */
export interface Attribution {
  /** By the URL of the route file or middleware file. */
  readonly byFile: ReadonlyMap<string, readonly Use[]>;
  /** What belongs to the application, since no route is known for it. */
  readonly shared: readonly Use[];
  /** The addresses that the application listens on. */
  readonly listening: readonly Use[];
  /** How many entries were of files that are no part of the application, such as tests. */
  readonly others: number;
}

/** The files that uses may belong to. */
export interface Sources {
  /** The URLs of the route files and middleware files. */
  readonly routes: readonly string[];
  /** The URLs of the modules that start the application. */
  readonly entries: readonly string[];
  /** What they import. */
  readonly graph: ModuleGraph;
  /** What the start needs to find the routes. */
  readonly start: readonly Want[];
}

const MODULE = /\.(?:[cm]?[jt]sx?|json|wasm)$/;
/** Finds out for each access who has to declare it. */
export function attribute(
  accesses: readonly Access[],
  { routes, entries, graph, start }: Sources,
): Attribution {
  const byFile = new Map<string, Use[]>(routes.map((url) => [url, []]));
  const shared: Use[] = [];
  const listening: Use[] = [];
  const roots = [...routes, ...entries];
  const isOwn = (url: string) =>
    !isDependency(url) && !isFramework(url) &&
    roots.some((root) => graph.reaches(root, url));
  let others = 0;

  function place(access: Access): void {
    const { kind, value, frames } = access;
    const use = {
      kind,
      value,
      by: frames.find(({ url }) => !isFramework(url)),
      file: frames.find(({ url }) => isOwn(url))?.url,
    };
    const route = frames.find(({ url }) => byFile.has(url));
    if (route !== undefined) return void byFile.get(route.url)!.push(use);
    // That `deno serve` itself listens takes no permission.
    if (access.isListening && frames.length === 0) return void others++;
    const caller = frames.find(({ url }) =>
      isFramework(url) || !isDependency(url)
    );
    if (caller !== undefined && isFramework(caller.url)) {
      const isServing = access.isListening && caller === frames[0];
      if (isServing && use.file !== undefined) {
        return void listening.push(use);
      }
      // It looks for the routes, which is known to be needed.
      if (start.some((want) => covers(want, use))) return void others++;
    }
    const local = frames.find(({ url }) =>
      !isDependency(url) && !isFramework(url)
    );
    const outermost = frames.at(-1);
    const importers = outermost === undefined || outermost.name !== undefined
      ? []
      : routes.filter((url) => graph.uses(url, outermost.url));
    if (local === undefined || isOwn(local.url)) {
      // At the top level of a module: whoever imports it needs that.
      for (const url of importers) byFile.get(url)!.push(use);
      if (importers.length === 0) shared.push(use);
    } else {
      others++;
    }
  }

  for (const access of accesses) {
    // Imports have the stack of something else; the graph knows better.
    if (!isImport(access, graph, routes)) place(access);
  }
  return { byFile, shared, listening, others };
}

function isImport(
  { kind, value, frames }: Access,
  graph: ModuleGraph,
  routes: readonly string[],
): boolean {
  if (kind === "import") return true;
  if (kind !== "read" || value === true || !MODULE.test(value)) return false;
  const { href } = toFileUrl(value);
  return routes.some((route) => graph.reaches(route, href)) ||
    frames.every(({ url }) => isFramework(url) || isDependency(url));
}
