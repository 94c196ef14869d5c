import * as path from "npm:deno-std@1.2.0/path/posix/resolve.js";

export const resolve: (...paths: string[]) => string = path.resolve;
