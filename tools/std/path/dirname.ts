import * as path from "npm:deno-std@1.2.0/path/dirname.js";

export const dirname: (path: string | URL) => string = path.dirname;
