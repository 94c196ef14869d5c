import * as http from "npm:deno-std@1.2.0/http/cookie.js";

export interface Cookie {
  name: string;
  value: string;
  expires?: Date | number;
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  partitioned?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  unparsed?: string[];
}

export const getCookies: (headers: Headers) => Record<string, string> =
  http.getCookies;
export const setCookie: (headers: Headers, cookie: Cookie) => void =
  http.setCookie;
