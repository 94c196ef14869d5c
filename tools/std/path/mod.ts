import * as path from "npm:deno-std@1.2.0/path/mod.js";

export * from "./constants.ts";
export * from "./dirname.ts";
export * from "./from_file_url.ts";
export * from "./is_absolute.ts";
export * from "./join.ts";
export * from "./relative.ts";
export * from "./resolve.ts";
export * from "./to_file_url.ts";

export const basename: (path: string | URL, suffix?: string) => string =
  path.basename;
export const extname: (path: string | URL) => string = path.extname;
export const normalize: (path: string | URL) => string = path.normalize;
