import { headerOf } from "./inner_request.ts";
import { programFault } from "../common/log.ts";
import {
  type ContentType,
  MEDIA_TYPE,
  MULTIPART,
  URLENCODED,
} from "../common/media_type.ts";
import { parseUrl } from "../common/values.ts";
import type { BodyRules, OriginCheck } from "./application.ts";
import { isSafe } from "../methods.ts";
import { ownError } from "../own_errors.ts";
import { authorityOf } from "../routing/pathname.ts";

/**
 * The hosts that requests may name, in their URL and in `Host` (RFC 9112,
 * sections 3.2 and 3.2.2).
 */
export class AllowedHosts {
  readonly #exact = new Set<string>();
  readonly #suffixes: string[] = [];

  /**
   * @param hosts Names such as `api.example.com`, which allows every port, or
   * `api.example.com:8443`, which allows only port 8443. `*.example.com` allows all
   * names below `example.com`, at any depth.
   * @throws {TypeError} If an entry is not a host name.
   */
  constructor(hosts: readonly string[]) {
    for (const host of hosts) {
      const wildcard = host.startsWith("*.");
      const parsed = parse(wildcard ? host.slice(2) : host);
      if (parsed === undefined) {
        throw programFault(
          new TypeError(
            `Cannot allow host "${host}": not a host name; write one such as "api.example.com" or "*.example.com"`,
          ),
        );
      }
      const text = parsed.name + parsed.port;
      if (wildcard) this.#suffixes.push("." + text);
      else this.#exact.add(text);
    }
  }

  /**
   * Whether the authority of the URL and the header `Host`, if present, both name an
   * allowed host. The hosts may differ if the request target is an absolute URL, or if
   * HTTP/2 sends `:authority`.
   */
  allows({ url, headers }: Request): boolean {
    const authority = authorityOf(url);
    if (authority === undefined || !this.#includes(authority)) return false;
    const host = headers.get("host");
    return host === null || host === authority || this.#includes(host);
  }

  #includes(authority: string): boolean {
    const parsed = parse(authority);
    if (parsed === undefined) return false;
    const { name, port } = parsed;
    const text = name + port;
    return this.#exact.has(name) || this.#exact.has(text) ||
      this.#suffixes.some((suffix) =>
        name.endsWith(suffix) || text.endsWith(suffix)
      );
  }
}

/** A name, an IPv4 address or an IPv6 address in brackets, then a port. */
const HOST =
  /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|(\[[0-9a-f:.]+\]))(?::(\d*))?$/;

/** `EXAMPLE.com.` has the name `example.com`. The port is `""` or `":81"`. */
function parse(authority: string): { name: string; port: string } | undefined {
  const [, name, address, port] = HOST.exec(authority.toLowerCase()) ?? [];
  const host = name ?? address;
  return host === undefined
    ? undefined
    : { name: host, port: port ? `:${port}` : "" };
}

/**
 * Creates the check of a request's origin.
 *
 * Browsers send the header `Sec-Fetch-Site`, or only `Origin`. If both headers are
 * missing, the client is not a browser with a visitor's cookies.
 *
 * @param trustedOrigins Further origins whose pages are trusted for any value of
 * `Sec-Fetch-Site`: `https://app.example.com`.
 * @throws {TypeError} If an entry is not an origin.
 */
export function createOriginCheck(
  trustedOrigins: readonly string[],
): OriginCheck {
  const trusted = new Set(trustedOrigins.map(normalize));
  return ({ headers, url }) => {
    const origin = headers.get("origin");
    if (origin !== null && trusted.has(origin)) return true;
    const site = headers.get("sec-fetch-site");
    return site === null
      ? origin === null || isSameHost(origin, url)
      : site === "same-origin" || site === "none";
  };
}

/**
 * Creates the check of bodies that browsers send to other origins without a preflight
 * request: forms, plain text, and untyped bodies. Other types, such as JSON, need a
 * preflight request (CORS), so the check accepts them without reading other headers.
 * With such a body, a page of another origin sends the cookies of its visitor.
 *
 * @param isTrusted Whether the page that sent a body is trusted.
 */
export function createCrossSiteCheck(
  isTrusted: OriginCheck,
): BodyRules["refuse"] {
  return (request, type) => {
    if (needsPreflight(type) || isSafe(request.method)) {
      return undefined;
    }
    if (headerOf(request, "content-length") === "0") return undefined;

    return isTrusted(request) ? undefined : ownError("UntrustedOrigin");
  };
}

/** The types that a page may send to any origin (Fetch, "CORS-safelisted request-header"). */
const SIMPLE_TYPES = new Set([
  URLENCODED,
  MULTIPART,
  "text/plain",
]);

/**
 * Whether a browser sends a preflight request before a body of this type. The check
 * assumes that no preflight request is sent for a malformed type, such as
 * `application/json, text/plain`, although browsers should send one.
 */
function needsPreflight({ header, media }: ContentType): boolean {
  // Nearly all bodies have this header; matching it would cost time.
  return header === "application/json" ||
    MEDIA_TYPE.test(header.trim()) && !SIMPLE_TYPES.has(media);
}

/**
 * Whether an origin has the host and port of a URL. The schemes may differ, since
 * a proxy may have received the request over HTTPS.
 */
function isSameHost(origin: string, url: string): boolean {
  const [own, sender] = [parseUrl(url), parseOrigin(origin)];
  return own !== null && sender !== null && hostOf(own) === hostOf(sender);
}

/** The host and its port, without the default port of either scheme. */
function hostOf({ host }: URL): string {
  return host.replace(/:(?:80|443)$/, "");
}

/**
 * Matches an origin as browsers write it: without a path, a user or a wildcard. Does
 * not match `null`.
 */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

function parseOrigin(origin: string): URL | null {
  return ORIGIN.test(origin) ? parseUrl(origin) : null;
}

function normalize(origin: string): string {
  const url = parseOrigin(origin);
  if (url !== null) return `${url.protocol}//${url.host}`;
  // The usual mistake is a URL with a path, such as "https://app.example.com/".
  const meant = parseOrigin(parseUrl(origin)?.origin ?? "")?.origin;
  const remedy = meant === undefined
    ? 'such as "https://app.example.com"'
    : `as in "${meant}"`;
  throw programFault(
    new TypeError(
      `Cannot trust origin "${origin}": write only the scheme and the host, ${remedy}`,
    ),
  );
}
