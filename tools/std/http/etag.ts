import * as http from "npm:deno-std@1.2.0/http/etag.js";

export const eTag: (
  entity: string | Uint8Array,
  options?: { weak?: boolean },
) => Promise<string> = http.eTag;
