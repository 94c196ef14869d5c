import { z } from "zod";

const OLD = "4.3.6";

/**
 * Two versions of zod, which differ in their options for JSON Schema. If the specifier
 * was a literal, Deno would resolve all imports of zod to the old version.
 */
export const ZODS: Readonly<Record<string, typeof z>> = {
  zod: z,
  "zod before 4.5": (await import(`npm:zod@${OLD}`)).z,
};
