import { getCookies, setCookie } from "@std/http/cookie";

/** The name in the cookie of a request. */
export function nameOf(request: Request): string {
  return getCookies(request.headers)["name"] ?? "stranger";
}

/** Sets the cookie of a name. */
export function setName(headers: Headers, name: string): void {
  setCookie(headers, {
    name: "name",
    value: name,
    path: "/",
    secure: true,
    httpOnly: true,
    // Pages of the same site send it: https://shop.example.com to
    // https://api.example.com. For other sites, it must be "None".
    sameSite: "Lax",
  });
}
