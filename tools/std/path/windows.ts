import * as path from "npm:deno-std@1.2.0/path/windows/mod.js";

export const SEPARATOR: "\\" = path.SEPARATOR;
export const basename: (path: string | URL, suffix?: string) => string =
  path.basename;
export const dirname: (path: string | URL) => string = path.dirname;
export const extname: (path: string | URL) => string = path.extname;
export const fromFileUrl: (url: string | URL) => string = path.fromFileUrl;
export const isAbsolute: (path: string) => boolean = path.isAbsolute;
export const join: (path: string | URL, ...paths: string[]) => string =
  path.join;
export const normalize: (path: string | URL) => string = path.normalize;
export const relative: (from: string, to: string) => string = path.relative;
export const resolve: (...paths: string[]) => string = path.resolve;
export const toFileUrl: (path: string) => URL = path.toFileUrl;
