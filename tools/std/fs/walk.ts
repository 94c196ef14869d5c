import * as fs from "npm:deno-std@1.2.0/fs/walk.js";

export interface WalkOptions {
  maxDepth?: number;
  includeFiles?: boolean;
  includeDirs?: boolean;
  includeSymlinks?: boolean;
  followSymlinks?: boolean;
  canonicalize?: boolean;
  exts?: string[];
  match?: RegExp[];
  skip?: RegExp[];
}

export interface WalkEntry extends Deno.DirEntry {
  path: string;
}

export const walk: (
  root: string | URL,
  options?: WalkOptions,
) => AsyncIterableIterator<WalkEntry> = fs.walk;

export const walkSync: (
  root: string | URL,
  options?: WalkOptions,
) => IterableIterator<WalkEntry> = fs.walkSync;
