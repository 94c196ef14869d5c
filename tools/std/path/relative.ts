import * as path from "npm:deno-std@1.2.0/path/relative.js";

export const relative: (from: string, to: string) => string = path.relative;
