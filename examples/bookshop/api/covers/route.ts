import { respond, type RoutePermissions } from "@bough/framework";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative, SEPARATOR } from "@std/path";
import { z } from "zod";

export const schema = {
  get: {
    summary: "List the covers by their paths",
    response: z.array(z.string()),
  },
};

const FOLDER = fromFileUrl(import.meta.resolve("@/covers/"));

export const permissions = { read: [FOLDER] } satisfies RoutePermissions;

/** A wildcard matches at least one segment, so `covers/[...]` does not match `covers`. */
export async function GET(): Promise<Response> {
  const files = await Array.fromAsync(walk(FOLDER, { includeDirs: false }));
  const paths = files.map(({ path }) =>
    relative(FOLDER, path).replaceAll(SEPARATOR, "/")
  );
  return respond(schema.get, 200, paths.sort());
}
