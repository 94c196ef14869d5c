import { join } from "@std/path/join";
import { toFileUrl } from "@std/path/to-file-url";
import { isFramework, packageOf } from "./modules.ts";

/** What `deno info --json` has of a module. */
interface Module {
  readonly kind?: string;
  readonly specifier: string;
  readonly npmPackage?: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
  }[];
}

interface Info {
  readonly modules: readonly Module[];
  readonly redirects: Readonly<Record<string, string>>;
  readonly npmPackages: Readonly<
    Record<string, { readonly dependencies: readonly string[] }>
  >;
}

/** Which modules import which, as Deno resolves them. */
export class ModuleGraph {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();
  readonly #used = new Map<string, ReadonlySet<string>>();

  /** @param info What `deno info --json` prints. */
  constructor({ modules, redirects, npmPackages }: Info) {
    const resolved = (specifier: string): string => {
      const target = redirects[specifier] ?? specifier;
      return packages.get(target) ?? target;
    };
    const packages = new Map(
      modules.flatMap(({ specifier, npmPackage }) =>
        npmPackage === undefined ? [] : [[specifier, npmNode(npmPackage)]]
      ),
    );
    for (const { specifier, dependencies = [] } of modules) {
      const targets = dependencies.flatMap(({ code }) =>
        code === undefined ? [] : [resolved(code.specifier)]
      );
      this.#targets.set(packages.get(specifier) ?? specifier, targets);
    }
    for (const [name, { dependencies }] of Object.entries(npmPackages)) {
      this.#targets.set(npmNode(name), dependencies.map(npmNode));
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
    const folder = await Deno.makeTempDir({ prefix: "bough-graph-" });
    try {
      const file = join(folder, "roots.ts");
      // Dynamic, so that one that is broken does not hide the others.
      const lines = roots.map((url) => `import(${JSON.stringify(url)});\n`);
      await Deno.writeTextFile(file, lines.join(""));
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: [
          "info",
          "--json",
          ...(config === undefined ? [] : [`--config=${config}`]),
          toFileUrl(file).href,
        ],
        stderr: "null",
      }).output();
      return new ModuleGraph(JSON.parse(new TextDecoder().decode(stdout)));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
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
