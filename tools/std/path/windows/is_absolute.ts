import * as path from "npm:deno-std@1.2.0/path/windows/is_absolute.js";

export const isAbsolute: (path: string) => boolean = path.isAbsolute;
