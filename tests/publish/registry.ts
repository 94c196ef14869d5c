import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";

const VENDOR = fromFileUrl(new URL("../../vendor/jsr.io/", import.meta.url));

interface Published {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly exports: Readonly<Record<string, string>>;
}

/**
 * A registry on loopback, with the parts of JSR that `deno publish` and `deno run` need.
 * It serves the `@std` packages from `vendor/`, which has them or their replacements.
 */
export class Registry implements AsyncDisposable {
  readonly #packages = new Map<string, Map<string, Published>>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => this.#answer(request),
  );

  /** The value of the variable `JSR_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  files(name: string, version: string): string[] {
    return [...this.#packages.get(name)?.get(version)?.files.keys() ?? []];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/")) return await this.#api(request, pathname);
    const [, name, path] = /^\/(@[^/]+\/[^/]+)\/(.+)$/.exec(pathname) ?? [];
    const versions = this.#packages.get(name ?? "");
    if (name === undefined || path === undefined) return notFound();
    return versions === undefined
      ? await vendored(join(name, decodeURIComponent(path)))
      : await published(versions, path, name);
  }

  async #api(request: Request, pathname: string): Promise<Response> {
    const match =
      /^\/api\/scopes\/([^/]+)\/packages\/([^/]+)\/versions\/([^/]+)$/.exec(
        pathname,
      );
    if (request.method === "POST" && match !== null) {
      const [, scope, name, version] = match;
      const files = await untar(request.body!);
      const config = JSON.parse(
        new TextDecoder().decode(files.get("/deno.json")),
      );
      const versions = new Map([[version!, {
        files,
        exports: config.exports,
      }]]);
      this.#packages.set(`@${scope}/${name}`, versions);
      return Response.json(task(scope!, name!, version!));
    }
    if (pathname.startsWith("/api/publish_status/")) {
      return Response.json(task("", "", ""));
    }
    // Scope and package exist, but the version does not exist yet.
    return pathname.includes("/versions/")
      ? Response.json({ code: "packageVersionNotFound", message: "" }, {
        status: 404,
      })
      : Response.json({
        scope: "bough",
        name: "framework",
        githubRepository: null,
      });
  }
}

function task(scope: string, name: string, version: string): object {
  return {
    id: "1",
    status: "success",
    error: null,
    packageScope: scope,
    packageName: name,
    packageVersion: version,
  };
}

async function published(
  versions: ReadonlyMap<string, Published>,
  path: string,
  name: string,
): Promise<Response> {
  if (path === "meta.json") {
    const [latest] = versions.keys();
    const [scope, base] = name.slice(1).split("/");
    return Response.json({
      scope,
      name: base,
      latest,
      versions: Object.fromEntries([...versions.keys()].map((v) => [v, {}])),
    });
  }
  const [, version, file] = /^([^/]+?)(?:_meta\.json|\/(.+))$/.exec(path) ?? [];
  const found = versions.get(version ?? "");
  if (found === undefined) return notFound();
  if (file === undefined) {
    const manifest: Record<string, object> = {};
    for (const [path, bytes] of found.files) {
      manifest[path] = await entryOf(bytes);
    }
    return Response.json({ manifest, exports: found.exports });
  }
  const bytes = found.files.get(`/${decodeURIComponent(file)}`);
  return bytes === undefined ? notFound() : new Response(bytes);
}

/** A file of a package in `vendor/`. The replacements do not have checksums yet. */
async function vendored(path: string): Promise<Response> {
  const file = join(VENDOR, path);
  try {
    const bytes = await Deno.readFile(file);
    const folder = /^(.*)_meta\.json$/.exec(file)?.[1];
    if (folder === undefined) return new Response(bytes);
    const meta = JSON.parse(new TextDecoder().decode(bytes));
    for await (const { path, isFile } of walk(folder)) {
      if (!isFile) continue;
      const name = relative(folder, path);
      meta.manifest[`/${name}`] ??= await entryOf(await Deno.readFile(path));
    }
    return Response.json(meta);
  } catch {
    return notFound();
  }
}

async function entryOf(bytes: Uint8Array<ArrayBuffer>): Promise<object> {
  return { size: bytes.length, checksum: `sha256-${await sha256(bytes)}` };
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}

function notFound(): Response {
  return new Response("Not Found", { status: 404 });
}

const BLOCK = 512;

/** The files of a compressed archive (POSIX ustar), by path. */
async function untar(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const stream = body.pipeThrough(new DecompressionStream("gzip"));
  const bytes = await new Response(stream).bytes();
  const text = (start: number, length: number): string =>
    new TextDecoder().decode(bytes.subarray(start, start + length))
      .replace(/\0.*$/s, "");
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8);
    const prefix = text(at + 345, 155);
    const name = (prefix && `${prefix}/`) + text(at, 100);
    const start = at + BLOCK;
    const path = "/" + name.replace(/^(?:\.?\/)+/, "");
    files.set(path, bytes.slice(start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
