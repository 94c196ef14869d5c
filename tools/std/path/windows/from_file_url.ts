import * as path from "npm:deno-std@1.2.0/path/windows/from_file_url.js";

export const fromFileUrl: (url: string | URL) => string = path.fromFileUrl;
