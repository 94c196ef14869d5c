import * as http from "npm:deno-std@1.2.0/http/etag.js";

export const eTag: (
  entity: string | Uint8Array,
  options?: { weak?: boolean },
) => Promise<string> = http.eTag;

export const ifMatch: (
  value: string | null,
  etag: string | undefined,
) => boolean = http.ifMatch;

export const ifNoneMatch: (
  value: string | null,
  etag: string | undefined,
) => boolean = http.ifNoneMatch;
