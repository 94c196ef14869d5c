import { acceptsEncodings } from "@std/http/negotiation";
import {
  checkOptions,
  FUNCTION,
  listOf,
  matching,
  type Members,
  NAME,
} from "../core/common/forms.ts";
import { contains, folderOf, namesBelow } from "../core/common/paths.ts";
import { log } from "../core/common/log.ts";
import { preferredType } from "../core/common/media_type.ts";
import { HttpError } from "../core/errors.ts";
import { allowOf, isSafe, resolveMethod } from "../core/methods.ts";
import type { Plugin } from "../core/types/plugin.ts";
import { sendFile, typeOf } from "./send_file.ts";
import { isMissing } from "./source.ts";

/** Options of {@linkcode files}. */
export interface FilesOptions {
  /** The folder of the files: a path from the working directory, or a `file:` URL. */
  readonly dir: string | URL;
  /**
   * The path below which the files are.
   *
   * @default {"/"}
   */
  readonly at?: string;
  /**
   * The page for paths without a file, as a path from `dir`, such as `"index.html"` of an
   * application that reads the path in the browser. Only requests that name `text/html`
   * in `Accept` get the page, so a missing script stays a 404.
   *
   * @default {none}
   */
  readonly fallback?: string;
  /**
   * The folders, as paths from `dir`, whose files never change, such as `["assets"]` with
   * hashes in the names. Browsers keep these files for a year.
   *
   * @default {[]}
   */
  readonly immutable?: readonly string[];
  /**
   * Returns further headers of a file, such as a policy of pages, by its path from `dir`:
   * `"index.html"`. The headers replace those of Bough.
   *
   * @default {none}
   */
  readonly headers?: (path: string) => HeadersInit;
}

/**
 * Serves a folder of static files, such as a built frontend, to `GET` and `HEAD`. The
 * files are asked for only if no route matches, and never below `apiPrefix`. Without a
 * file, the next plugin or `onNotFound` responds.
 *
 * A folder serves its `index.html`. Names that begin with a dot, and links that lead out
 * of the folder, count as missing. If a neighbour with `.br` or `.gz` exists, clients
 * that accept it get it.
 *
 * @param options The folder, and how to serve it.
 * @returns The plugin.
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example A frontend
 * ```ts
 * import { Framework } from "@bough/framework";
 * import { files } from "@bough/framework/files";
 *
 * new Framework({
 *   apiDir: "examples/minimal/api",
 *   plugins: [
 *     files({ dir: "src/files", fallback: "index.html", immutable: ["assets"] }),
 *   ],
 * });
 * ```
 */
export function files(options: FilesOptions): Plugin {
  checkOptions("serve files", options, OPTIONS);
  const { dir, at = "/", fallback, immutable = [], headers } = options;
  const { root, label } = folderOf(dir);
  const base = at.split("/").filter(Boolean);
  const lasting = immutable.map((folder) => `${folder.replace(/\/+$/, "")}/`);

  /** Finds the file to send for a path of a URL, or the redirection to a folder. */
  async function findPage(
    { url, method, headers }: Request,
    names: readonly string[],
    find: Find,
  ): Promise<Found | Response | undefined> {
    const { pathname, search } = new URL(url);
    const isFolder = pathname.endsWith("/");
    const found = await find(names.join("/"));
    if (found?.isFile && !isFolder) return found;
    const index = found && await find([...names, "index.html"].join("/"));
    if (index?.isFile && !isFolder) {
      // Relative links of a page lead below the folder only if the URL ends with a slash.
      const location = `./${pathname.split("/").at(-1)}/${search}`;
      return new Response(null, { status: 308, headers: { location } });
    }
    if (index?.isFile) return index;
    const accepted = preferredType(headers.get("accept") ?? "", ANY_OR_HTML);
    return fallback !== undefined && isSafe(method) && accepted === "text/html"
      ? await find(fallback)
      : undefined;
  }

  async function send(
    request: Request,
    { name, path }: Found,
    find: Find,
  ): Promise<Response> {
    const own = new Headers(headers?.(name));
    own.append("vary", "accept-encoding");
    if (name === fallback) own.append("vary", "accept");
    const isLasting = lasting.some((folder) => name.startsWith(folder));
    if (isLasting && !own.has("cache-control")) {
      own.set("cache-control", "public, max-age=31536000, immutable");
    }
    let source = path;
    for (const [coding, extension] of codingsOf(request)) {
      const neighbour = await find(name + extension);
      if (!neighbour?.isFile) continue;
      source = neighbour.path;
      own.set("content-encoding", coding);
      break;
    }
    return await sendFile(request, source, {
      type: typeOf(name),
      headers: own,
    });
  }

  return {
    name: "files",
    permissions: { read: [root] },
    routes() {
      const page = `/${fallback ?? ""}`;
      try {
        Deno.statSync(root + page);
      } catch (error) {
        // Startup itself names a missing permission.
        if (!isMissing(error)) return [];
        const message =
          `"${label}${page}" does not exist; create it, or correct the options`;
        log({ level: "notice", place: "plugin files", message });
      }
      return [];
    },
    async unmatched(request, segments) {
      if (base.some((name, index) => segments[index] !== name)) {
        return undefined;
      }
      // A deployment may let a link lead to another folder.
      const folder = await orNone(Deno.realPath(root));
      if (folder === undefined) return undefined;
      const find = (name: string) => orNone(findIn(folder, name));
      const names = segments.slice(base.length);
      const found = await findPage(request, names, find);
      if (found === undefined || found instanceof Response) return found;
      const resolution = resolveMethod(["GET"], request.method);
      if ("handler" in resolution) return await send(request, found, find);
      const headers = { allow: allowOf(["GET"]) };
      if (resolution.status === 204) {
        return new Response(null, { status: 204, headers });
      }
      throw new HttpError(405, undefined, { headers });
    },
  };
}

/** A file or a folder that may be served. */
interface Found {
  /** The path from `dir`, with slashes. */
  readonly name: string;
  /** The real path, after all links. */
  readonly path: string;
  readonly isFile: boolean;
}

type Find = (name: string) => Promise<Found | undefined>;

/** Finds a file or a folder by its path from `folder`, unless it is hidden. */
async function findIn(
  folder: string,
  name: string,
): Promise<Found | undefined> {
  const path = await Deno.realPath(`${folder}/${name}`);
  const isHidden = !contains(folder, path) ||
    namesBelow(folder, path).some((each) => each.startsWith("."));
  return isHidden
    ? undefined
    : { name, path, isFile: (await Deno.stat(path)).isFile };
}

/** The result of an operation; `undefined` if its path is missing. */
async function orNone<Result>(
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** `*\/*` means no page, since scripts send it: HTML wins only if the client names it. */
const ANY_OR_HTML = ["application/octet-stream", "text/html"] as const;

/** The codings of neighbours, the smallest first. */
const CODINGS = [["br", ".br"], ["gzip", ".gz"]] as const;

/** The codings of neighbours that a client accepts. */
function codingsOf(request: Request): readonly (typeof CODINGS[number])[] {
  // Without the header, every coding is acceptable, and few clients mean that.
  if (!request.headers.get("accept-encoding")) return [];
  return CODINGS.filter(([coding]) =>
    acceptsEncodings(request, coding) === coding
  );
}

const OPTIONS: Members<keyof FilesOptions> = {
  dir: {
    accepts: (value) =>
      value instanceof URL ? value.protocol === "file:" : NAME.accepts(value),
    expected: 'must be the path or "file:" URL of a folder, such as "dist"',
    isRequired: true,
  },
  at: matching(/^\/[^%]*$/, 'must be a decoded path, such as "/" or "/app"'),
  fallback: NAME,
  immutable: listOf(
    matching(/^[^/]/, 'must be a path from dir, such as "assets"'),
    "must be an array of folders",
  ),
  headers: FUNCTION,
};
