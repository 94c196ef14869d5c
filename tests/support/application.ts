import {
  Framework,
  type FrameworkRequest,
  type MiddlewareRequest,
  type Next,
  type ServeOptions,
} from "@bough/framework";
import type {
  CommonOptions,
  FolderOptions,
  ManifestOptions,
} from "@bough/framework/types";
import { dirname, join, toFileUrl } from "@std/path";
import { manifestText } from "../../src/cli/generate/modules.ts";
import type { Method } from "../../src/core/methods.ts";
import { discovered } from "./discovery.ts";

/** A folder of files for one test, removed at its end. */
export class TestFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Writes files into a new folder.
   *
   * @param files Their contents by relative path.
   */
  static async create(
    files: Readonly<Record<string, string>>,
  ): Promise<TestFolder> {
    // A real path: the system's folder for temporary files may be a link.
    const path = await Deno.realPath(await Deno.makeTempDir());
    const folder = new TestFolder(path);
    for (const [name, content] of Object.entries(files)) {
      await folder.write(name, content);
    }
    return folder;
  }

  /** Creates symbolic links, given as targets, relative to the link, by path. */
  async link(links: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, target] of Object.entries(links)) {
      const path = join(this.path, name);
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.symlink(target, path);
    }
  }

  async write(name: string, content: string): Promise<void> {
    const path = join(this.path, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** The way in which an application gets its files. */
export type Way = "folder" | "load" | "manifest" | "lazy manifest";

export const WAYS: readonly Way[] = [
  "folder",
  "load",
  "manifest",
  "lazy manifest",
];

/** The options for the files of a folder, in each way. */
export const ROUTES: {
  readonly [Name in Way]: (
    apiDir: string,
  ) => Promise<FolderOptions | ManifestOptions>;
} = {
  folder: (apiDir) => Promise.resolve({ apiDir }),
  load: (apiDir) => {
    const root = toFileUrl(`${apiDir}/`).href;
    const load = (_dir: string, path: string) =>
      import(root + path.split("/").map(encodeURIComponent).join("/"));
    return Promise.resolve({ apiDir, load });
  },
  manifest: (apiDir) => manifestOf(apiDir, false),
  "lazy manifest": (apiDir) => manifestOf(apiDir, true),
};

async function manifestOf(
  apiDir: string,
  lazy: boolean,
): Promise<ManifestOptions> {
  const folder = dirname(apiDir);
  const text = manifestText(await discovered(apiDir, "api"), { folder, lazy });
  const file = join(folder, lazy ? "lazy.manifest.ts" : "api.manifest.ts");
  await Deno.writeTextFile(file, text);
  return { manifest: (await import(toFileUrl(file).href)).default };
}

/** A request in a test, which may read validated values of any type. */
// deno-lint-ignore no-explicit-any
type Unchecked<Of> = Omit<Of, "validated"> & { readonly validated: any };

/** The exports of a route file or a middleware file; a test may export wrong values. */
export type TestModule =
  & {
    readonly [Name in Method]?: (
      request: Unchecked<FrameworkRequest> & Request,
    ) => unknown;
  }
  & {
    readonly default?:
      | ((
        request: Unchecked<MiddlewareRequest> & Request,
        next: Next,
      ) => unknown)
      | readonly unknown[];
    readonly [name: string]: unknown;
  };

export class TestApplication {
  readonly app: Framework;

  constructor(app: Framework) {
    this.app = app;
  }

  /**
   * Creates an application in memory, not started yet. A test whose subject is the
   * folder or the import of files creates a `FolderApplication` instead.
   *
   * @param files The exports of files by path below `api/`. With the option `lazy`,
   * Bough loads a route file at its first request.
   */
  static of(
    files: Readonly<Record<string, TestModule>>,
    options: CommonOptions = {},
  ): TestApplication {
    const manifest = Object.fromEntries(
      Object.entries(files).map(([path, exports]) => {
        const isLazy = options.lazy && !/(?:^|\/)middleware\.\w+$/.test(path);
        return [path, isLazy ? () => Promise.resolve(exports) : exports];
      }),
    );
    return new TestApplication(new Framework({ manifest, ...options }));
  }

  /** Sends a request to the application, without a server. */
  async fetch(target: string, init?: RequestInit): Promise<Response> {
    return await this.app.fetch(new Request(`http://localhost${target}`, init));
  }

  async serve(options: ServeOptions = {}): Promise<TestServer> {
    return await TestServer.start(this.app, options);
  }
}

/** An application over route files written for one test. */
export class FolderApplication extends TestApplication
  implements AsyncDisposable {
  /** The folder that holds `api/`. */
  readonly folder: TestFolder;

  private constructor(app: Framework, folder: TestFolder) {
    super(app);
    this.folder = folder;
  }

  /**
   * Creates an application, not started yet.
   *
   * @param files Contents by path below `api/`.
   * @param way How the application gets its files.
   */
  static async create(
    files: Readonly<Record<string, string>>,
    options: CommonOptions = {},
    way: Way = "folder",
  ): Promise<FolderApplication> {
    const folder = await TestFolder.create({});
    const apiDir = join(folder.path, "api");
    await Deno.mkdir(apiDir);
    for (const [name, content] of Object.entries(files)) {
      await folder.write(join("api", name), content);
    }
    return new FolderApplication(
      new Framework({ ...await ROUTES[way](apiDir), ...options }),
      folder,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}

/** A server on a free port, shut down at the end of its test. */
export class TestServer implements AsyncDisposable {
  readonly server: Deno.HttpServer<Deno.NetAddr>;

  constructor(server: Deno.HttpServer<Deno.NetAddr>) {
    this.server = server;
  }

  static async start(
    app: Pick<Framework, "serve">,
    options: ServeOptions = {},
  ): Promise<TestServer> {
    const server = await app.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      ...options,
    });
    return new TestServer(server);
  }

  get port(): number {
    return this.server.addr.port;
  }

  url(target: string): string {
    return `http://127.0.0.1:${this.port}${target}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
  }
}

/** Serves the application of a server below a prefix, which requests then lack. */
export function behindPrefix(server: TestServer, prefix: string): TestServer {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return new TestServer(Deno.serve(options, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith(`${prefix}/`)) {
      return new Response("Outside of the prefix", { status: 404 });
    }
    const { method, headers, body } = request;
    const url = server.url(pathname.slice(prefix.length) + search);
    return await fetch(url, { method, headers, body, redirect: "manual" });
  }));
}

/** Collects the output of `console.error` and `console.warn` until it is disposed. */
export class CapturedLog implements Disposable {
  /** One entry for each call, its arguments joined. */
  readonly lines: string[] = [];
  readonly #error = console.error;
  readonly #warn = console.warn;

  constructor() {
    const collect = (...values: unknown[]): void => {
      this.lines.push(
        values.map((value) =>
          typeof value === "string" ? value : Deno.inspect(value)
        ).join(" "),
      );
    };
    console.error = collect;
    console.warn = collect;
  }

  [Symbol.dispose](): void {
    console.error = this.#error;
    console.warn = this.#warn;
  }
}
