import * as http from "npm:deno-std@1.2.0/http/status.js";

export type StatusCode = number & { readonly brand?: "StatusCode" };

export const STATUS_TEXT: Readonly<Record<StatusCode, string>> =
  http.STATUS_TEXT;
