import * as types from "npm:deno-std@1.2.0/media_types/content_type.js";

export const contentType: (
  extensionOrType: string,
) => string | undefined = types.contentType;
