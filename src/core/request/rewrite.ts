import { formatValue, isThenable } from "../common/values.ts";
import { ensureRecord, routedUrl } from "./record.ts";
import type { Application } from "./application.ts";
import { PathReader, rawPathOf } from "../routing/pathname.ts";

/**
 * Creates the reader of paths for the option `rewrite`.
 *
 * @throws {BadPathError} If the URL, or the rewritten path, is malformed.
 * @throws {TypeError} If `rewrite` returns anything but a path or `undefined`.
 * @throws Any value that `rewrite` throws.
 */
export function rewritingReader(
  rewrite: (request: Request) => unknown,
): NonNullable<Application["readPath"]> {
  const sentPaths = new PathReader();
  const newPaths = new PathReader();
  return (request) => {
    // Read first, so that `rewrite` gets only URLs and escapes that can be parsed.
    const sent = sentPaths.read(request.url);
    const record = ensureRecord(request);
    if (record.isRouted) {
      // If a handler passes the request on, the next application rewrites it.
      record.isRouted = false;
      return sent;
    }
    const path = rewrite(request);
    if (path === undefined) return sent;
    if (typeof path !== "string" || !PATH.test(path)) {
      throw invalidPath(path, request);
    }
    record.rewrittenPath = path;
    return newPaths.read(routedUrl(request));
  };
}

const PATH = /^\/[^?#]*$/;

function invalidPath(path: unknown, { url }: Request): TypeError {
  // Ignore the rejection, since returning a promise is already the error.
  if (isThenable(path)) Promise.resolve(path).catch(() => {});
  return new TypeError(
    `Cannot rewrite "${rawPathOf(url)}": rewrite() returned ${
      isThenable(path) ? "a promise" : formatValue(path)
    }; return a path such as "/api/books", without a query, or undefined`,
  );
}
