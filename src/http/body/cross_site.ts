import { HttpError } from "../http_error.ts";

/**
 * Tells whether the body of a request may be read: gives the error to refuse it
 * with, where a page of another origin may have sent it in its visitor's name.
 */
export type CrossSiteCheck = (request: Request) => HttpError | undefined;

/**
 * Makes the check of bodies that browsers send to other origins without asking
 * first: forms, plain text, and such without a type. For any other type, JSON
 * above all, a browser asks first (CORS), so that no further header is read.
 *
 * Browsers say where a request is from by `Sec-Fetch-Site`, or by `Origin` alone.
 * A client that sends neither is none, and so has no cookies of a visitor.
 *
 * @param trustedOrigins The origins, beside the application's own, that such
 * bodies may come from, whatever `Sec-Fetch-Site` says: `https://app.example.com`.
 * @throws {TypeError} If one of them is no origin.
 */
export function createCrossSiteCheck(
  trustedOrigins: readonly string[],
): CrossSiteCheck {
  const trusted = new Set(trustedOrigins.map(normalize));
  return (request) => {
    const { headers } = request;
    const type = headers.get("content-type");
    // Told apart by the one type that nearly all requests have.
    if (type === "application/json") return undefined;
    if (!METHODS.has(request.method) || needsPreflight(type)) return undefined;
    if (headers.get("content-length") === "0") return undefined;

    const origin = headers.get("origin");
    if (origin !== null && trusted.has(origin)) return undefined;
    const site = headers.get("sec-fetch-site");
    const passes = site === null
      ? origin === null || isSameHost(origin, request.url)
      : site === "same-origin" || site === "none";
    return passes ? undefined : new HttpError(
      403,
      "The body was sent by a page of another origin, which is not trusted here",
    );
  };
}

/** The methods that may change something. */
const METHODS = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Types that a page may send anywhere (Fetch, "CORS-safelisted request-header"). */
const SIMPLE_TYPES = new Set([
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "text/plain",
]);

/** A media type, up to its parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE =
  /^[\t ]*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[\t ]*(?:;|$)/;

/**
 * Whether a browser asks before it sends a body of this type to another origin.
 * What is malformed, such as `application/json, text/plain`, it should ask about,
 * too, but that is not relied upon.
 */
function needsPreflight(type: string | null): boolean {
  const essence = MEDIA_TYPE.exec(type ?? "")?.[1]?.toLowerCase();
  return essence !== undefined && !SIMPLE_TYPES.has(essence);
}

/**
 * Whether host and port of an origin are those of a URL. Their schemes may
 * differ, since a proxy in front may be the one that speaks HTTPS.
 */
function isSameHost(origin: string, url: string): boolean {
  const [ours, theirs] = [URL.parse(url), parseOrigin(origin)];
  return ours !== null && theirs !== null && hostOf(ours) === hostOf(theirs);
}

/** The host, and its port unless that is the default one of either scheme. */
function hostOf({ host }: URL): string {
  return host.replace(/:(?:80|443)$/, "");
}

/** An origin as browsers write it: no `null`, no path, no user, no pattern. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\\?#@*\s]+$/i;

function parseOrigin(origin: string): URL | null {
  return ORIGIN.test(origin) ? URL.parse(origin) : null;
}

function normalize(origin: string): string {
  const url = parseOrigin(origin);
  if (url !== null) return `${url.protocol}//${url.host}`;
  throw new TypeError(
    `Cannot trust origin "${origin}": write scheme and host, such as "https://app.example.com"`,
  );
}
