import * as path from "npm:deno-std@1.2.0/path/posix/mod.js";

export const SEPARATOR: "/" = path.SEPARATOR;
export const fromFileUrl: (url: string | URL) => string = path.fromFileUrl;
export const isAbsolute: (path: string) => boolean = path.isAbsolute;
export const relative: (from: string, to: string) => string = path.relative;
export const resolve: (...paths: string[]) => string = path.resolve;
export const toFileUrl: (path: string) => URL = path.toFileUrl;
