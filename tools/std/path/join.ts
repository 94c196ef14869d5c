import * as path from "npm:deno-std@1.2.0/path/join.js";

export const join: (path: string | URL, ...paths: string[]) => string =
  path.join;
