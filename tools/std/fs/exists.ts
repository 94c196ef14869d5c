import * as fs from "npm:deno-std@1.2.0/fs/exists.js";

export interface ExistsOptions {
  isReadable?: boolean;
  isDirectory?: boolean;
  isFile?: boolean;
}

export const existsSync: (
  path: string | URL,
  options?: ExistsOptions,
) => boolean = fs.existsSync;
