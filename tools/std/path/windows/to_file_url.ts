import * as path from "npm:deno-std@1.2.0/path/windows/to_file_url.js";

export const toFileUrl: (path: string) => URL = path.toFileUrl;
