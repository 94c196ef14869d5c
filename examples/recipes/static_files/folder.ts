import { fromFileUrl } from "@std/path";

/** The files to serve. They are next to this module, and next to a bundle of `main.ts`. */
export const FOLDER = await Deno.realPath(
  fromFileUrl(new URL("./public/", import.meta.url)),
);
