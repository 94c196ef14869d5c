import { contentType } from "npm:deno-std@1.2.0/media_types/content_type.js";
import { eTag, ifNoneMatch } from "npm:deno-std@1.2.0/http/etag.js";
import { ByteSliceStream } from "npm:deno-std@1.2.0/streams/byte_slice_stream.js";

export interface ServeFileOptions {
  etagAlgorithm?: AlgorithmIdentifier;
  fileInfo?: Deno.FileInfo;
}

/**
 * Serves one file, as the real `serveFile` does. It is written out because the
 * package's own module imports a file that the package lacks.
 */
export async function serveFile(
  request: Request,
  filePath: string,
  options: ServeFileOptions = {},
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("Method Not Allowed", { status: 405 });
  }
  const info = options.fileInfo ??
    await Deno.stat(filePath).catch(() => undefined);
  if (info === undefined || info.isDirectory) {
    await request.body?.cancel();
    return new Response("Not Found", { status: 404 });
  }
  const headers = new Headers({ "server": "deno", "accept-ranges": "bytes" });
  const tag: string | undefined = await eTag(info);
  if (info.mtime) headers.set("last-modified", info.mtime.toUTCString());
  if (tag !== undefined) headers.set("etag", tag);
  const extension = /\.[^./\\]+$/.exec(filePath)?.[0];
  const type = extension && contentType(extension);
  if (type) headers.set("content-type", type);
  if (request.method === "HEAD") {
    headers.set("content-length", String(info.size));
    return new Response(null, { headers });
  }
  if (isKnown(request.headers, info.mtime, tag)) {
    return new Response(null, { status: 304, headers });
  }
  const range = rangeOf(request.headers.get("range"), info.size);
  if (range === undefined) {
    headers.set("content-length", String(info.size));
    const file = await Deno.open(filePath);
    return new Response(file.readable, { headers });
  }
  if (range.end < 0 || range.end < range.start || info.size <= range.start) {
    headers.set("content-range", `bytes */${info.size}`);
    return new Response("Range Not Satisfiable", { status: 416, headers });
  }
  const start = Math.max(0, range.start);
  const end = Math.min(range.end, info.size - 1);
  headers.set("content-range", `bytes ${start}-${end}/${info.size}`);
  headers.set("content-length", String(end - start + 1));
  const file = await Deno.open(filePath);
  await file.seek(start, Deno.SeekMode.Start);
  const sliced = file.readable.pipeThrough(
    new ByteSliceStream(0, end - start),
  );
  return new Response(sliced as ReadableStream<Uint8Array>, {
    status: 206,
    headers,
  });
}

function isKnown(
  headers: Headers,
  mtime: Date | null,
  tag: string | undefined,
): boolean {
  const known = headers.get("if-none-match");
  if (!ifNoneMatch(known, tag)) return true;
  const since = headers.get("if-modified-since");
  return known === null && mtime !== null && since !== null &&
    mtime.getTime() < new Date(since).getTime() + 1000;
}

function rangeOf(
  value: string | null,
  size: number,
): { start: number; end: number } | undefined {
  const [, start, end] = /bytes=(\d+)?-(\d+)?$/.exec(value ?? "") ?? [];
  if (size === 0 || (start === undefined && end === undefined)) return;
  if (start === undefined) return { start: size - Number(end), end: size - 1 };
  return { start: Number(start), end: end === undefined ? size - 1 : +end };
}
