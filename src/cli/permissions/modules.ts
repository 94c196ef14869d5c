import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";

/** Where a package of npm is on disk: in a `node_modules`, or in Deno's cache. */
const NPM = /.*(?:\/node_modules\/|\/npm\/[^/]+\/)((?:@[^/]+\/)?[^/]+)(?:\/|$)/;
/** A module of a package of JSR, which Deno imports from its files. */
const JSR = /^https:\/\/jsr\.io\/(@[^/]+\/[^/]+)\/([^/]+)\/.*/s;
/** The package itself, be it this copy or another. */
const PACKAGE = new URL("../../../", import.meta.url).href;

/** Whether a module is one of the framework. */
export function isFramework(url: string): boolean {
  return url.startsWith(`${PACKAGE}src/`) || url === `${PACKAGE}mod.ts` ||
    /\/@bough\/framework\//.test(url);
}

/** Whether a module is one that others publish, and the application imports. */
export function isDependency(url: string): boolean {
  return !url.startsWith("file:") || packageOf(url) !== undefined;
}

/** The package of npm that a file belongs to: `zod`. */
function packageOf(url: string): string | undefined {
  return url.startsWith("file:") ? NPM.exec(url)?.[1] : undefined;
}

/** A module as a person names it: by its path, or by its package. */
export function spelled(url: string): string {
  if (!url.startsWith("file:")) return url.replace(JSR, "jsr:$1@$2");
  const node = nodeOf(url);
  return node === url ? spelledPath(fromFileUrl(url)) : node;
}

/** A path as a person writes it: relative to the working directory, if below it. */
export function spelledPath(path: string): string {
  const way = relative(Deno.cwd(), path).replaceAll("\\", "/");
  if (way === "") return ".";
  return /^\.\.(?:\/|$)/.test(way) ? path : way;
}

/** A module in the output of `deno info --json`. */
interface Module {
  readonly kind?: string;
  readonly specifier: string;
  readonly npmPackage?: string;
  readonly dependencies?: readonly {
    /** Has no specifier if the module was not found. */
    readonly code?: { readonly specifier?: string };
  }[];
}

interface Info {
  readonly modules: readonly Module[];
  readonly redirects: Readonly<Record<string, string>>;
  /** Absent in a project with a `package.json`, where packages are files. */
  readonly npmPackages?: Readonly<
    Record<string, { readonly dependencies: readonly string[] }>
  >;
}

/** How many modules `deno info` is asked for at once: an argument has a limit of size. */
const ASKED = 300;

/** Which modules import which, as Deno resolves them. */
export class ModuleGraph {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();
  readonly #used = new Map<string, ReadonlySet<string>>();

  /** @param infos What `deno info --json` prints. */
  constructor(...infos: readonly Info[]) {
    for (const { modules, redirects, npmPackages = {} } of infos) {
      const packages = new Map(
        modules.flatMap(({ specifier, npmPackage }) =>
          npmPackage === undefined ? [] : [[specifier, npmNode(npmPackage)]]
        ),
      );
      const resolved = (specifier: string): string => {
        const target = redirects[specifier] ?? specifier;
        return packages.get(target) ?? nodeOf(target);
      };
      for (const { specifier, dependencies = [] } of modules) {
        const targets = dependencies.flatMap(({ code }) =>
          code?.specifier === undefined ? [] : [resolved(code.specifier)]
        );
        this.#targets.set(resolved(specifier), targets);
      }
      for (const [name, { dependencies }] of Object.entries(npmPackages)) {
        this.#targets.set(npmNode(name), dependencies.map(npmNode));
      }
    }
  }

  /**
   * Reads the graph of modules.
   *
   * @param roots The URLs of the modules to begin with.
   * @param config The configuration of the project, if it has one.
   */
  static async read(
    roots: readonly string[],
    config: string | undefined,
  ): Promise<ModuleGraph> {
    const infos: Info[] = [];
    for (let first = 0; first < roots.length; first += ASKED) {
      // Dynamic, so that one that is broken does not hide the others.
      const text = roots.slice(first, first + ASKED)
        .map((url) => `import(${JSON.stringify(url)});`).join("");
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: [
          "info",
          "--json",
          ...(config === undefined ? [] : [`--config=${config}`]),
          `data:text/javascript,${encodeURIComponent(text)}`,
        ],
        stderr: "null",
      }).output();
      infos.push(JSON.parse(new TextDecoder().decode(stdout)));
    }
    return new ModuleGraph(...infos);
  }

  /** Whether a module imports another, be it through others, or is the same. */
  reaches(from: string, to: string): boolean {
    return this.from(from).has(nodeOf(to));
  }

  /** The same, without what only the framework imports. */
  uses(from: string, to: string): boolean {
    return this.used(from).has(nodeOf(to));
  }

  /** All that a module imports, and itself: URLs, and packages as `npm:zod`. */
  from(url: string): ReadonlySet<string> {
    return this.#cached(this.#reached, url, () => false);
  }

  /** The same, without the framework and what only that imports. */
  used(url: string): ReadonlySet<string> {
    return this.#cached(this.#used, url, isFramework);
  }

  #cached(
    cache: Map<string, ReadonlySet<string>>,
    url: string,
    isLeftOut: (url: string) => boolean,
  ): ReadonlySet<string> {
    const known = cache.get(url);
    if (known !== undefined) return known;
    const reached = new Set<string>();
    const open = [nodeOf(url)];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next) || isLeftOut(next)) continue;
      reached.add(next);
      open.push(...this.#targets.get(next) ?? []);
    }
    cache.set(url, reached);
    return reached;
  }
}

/** The node of a package: without its version, which its path on disk has not. */
function npmNode(name: string): string {
  return `npm:${/^(?:@[^/]+\/)?[^@_]+/.exec(name)![0]}`;
}

function nodeOf(url: string): string {
  const name = packageOf(url);
  return name === undefined ? url : `npm:${name}`;
}
