import { fromFileUrl } from "@std/path/from-file-url";
import { relative } from "@std/path/relative";

/** The path of an npm package on disk: in a folder `node_modules`, or in Deno's cache. */
const NPM = /.*(?:\/node_modules\/|\/npm\/[^/]+\/)((?:@[^/]+\/)?[^/]+)(?:\/|$)/;
/** The URL of a module of a JSR package. */
const JSR = /^https:\/\/jsr\.io\/(@[^/]+\/[^/]+)\/([^/]+)\/.*/s;
/** The URL of this copy of the package. */
const PACKAGE = new URL("../../../", import.meta.url).href;

/** Whether a module belongs to this copy of the framework, or to another copy. */
export function isFramework(url: string): boolean {
  return url.startsWith(`${PACKAGE}src/`) || url === `${PACKAGE}mod.ts` ||
    /\/@bough\/framework\//.test(url);
}

/** A readable name of a module: its path, or its package. */
export function displayName(url: string): string {
  if (!url.startsWith("file:")) return url.replace(JSR, "jsr:$1@$2");
  const node = nodeOf(url);
  return node === url ? displayPath(fromFileUrl(url)) : node;
}

/** A readable path, relative to the working directory if the path is below it. */
export function displayPath(path: string): string {
  const shown = relative(Deno.cwd(), path).replaceAll("\\", "/");
  if (shown === "") return ".";
  return /^\.\.(?:\/|$)/.test(shown) ? path : shown;
}

/** A module in the output of `deno info --json`. */
interface Module {
  readonly kind?: string;
  readonly specifier: string;
  readonly npmPackage?: string;
  readonly dependencies?: readonly {
    /** The specifier is absent if the module was not found. */
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

/** The maximum number of modules in one call of `deno info`, whose arguments have a limit. */
const ASKED = 300;

/** The imports of modules, as Deno resolves them. */
export class ModuleGraph {
  readonly #targets = new Map<string, readonly string[]>();

  /** @param infos The output of `deno info --json`. */
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
   * @param roots The URLs of the modules to start from.
   * @param config The configuration of the project, if it has one.
   */
  static async read(
    roots: readonly string[],
    config: string | undefined,
  ): Promise<ModuleGraph> {
    const infos: Info[] = [];
    for (let first = 0; first < roots.length; first += ASKED) {
      // With dynamic imports, a broken module does not hide the other modules.
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

  /** Some modules and all their imports, as URLs, or as packages such as `npm:zod`. */
  from(urls: readonly string[]): ReadonlySet<string> {
    const reached = new Set<string>();
    const open = urls.map(nodeOf);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(...this.#targets.get(next) ?? []);
    }
    return reached;
  }
}

/** The node of a package, without a version, since a path on disk may lack the version. */
function npmNode(name: string): string {
  return `npm:${/^(?:@[^/]+\/)?[^@_]+/.exec(name)![0]}`;
}

/** The name of a module in the graph: its URL, or its package. */
export function nodeOf(url: string): string {
  const name = url.startsWith("file:") ? NPM.exec(url)?.[1] : undefined;
  return name === undefined ? url : `npm:${name}`;
}
