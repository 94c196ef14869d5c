import { contentType } from "npm:deno-std@1.2.0/media_types/content_type.js";
import { eTag, ifNoneMatch } from "npm:deno-std@1.2.0/http/etag.js";

export interface ServeFileOptions {
  etagAlgorithm?: AlgorithmIdentifier;
  fileInfo?: Deno.FileInfo;
}

/**
 * Serves one file, as the real `serveFile` does, save for ranges. It is written
 * out because the package's own module imports a file that the package lacks.
 */
export async function serveFile(
  request: Request,
  filePath: string,
  options: ServeFileOptions = {},
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return answer(405);
  }
  const info = options.fileInfo ??
    await Deno.stat(filePath).catch(() => undefined);
  if (info === undefined || info.isDirectory) {
    await request.body?.cancel();
    return answer(404);
  }
  const headers = new Headers({ "content-length": String(info.size) });
  const extension = /\.[^./\\]+$/.exec(filePath)?.[0];
  const type = extension && contentType(extension);
  if (type) headers.set("content-type", type);
  if (info.mtime) headers.set("last-modified", info.mtime.toUTCString());
  const tag: string | undefined = await eTag(info);
  if (tag !== undefined) {
    headers.set("etag", tag);
    if (!ifNoneMatch(request.headers.get("if-none-match"), tag)) {
      headers.delete("content-length");
      return new Response(null, { status: 304, headers });
    }
  }
  if (request.method === "HEAD") return new Response(null, { headers });
  const file = await Deno.open(filePath);
  return new Response(file.readable, { headers });
}

function answer(status: number): Response {
  return new Response(null, { status });
}
