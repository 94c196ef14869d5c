import { eTag } from "@std/http/etag";

/** A fixed text, served with an `ETag`. */
export class Asset {
  readonly #text: string;
  readonly #headers: Headers;

  private constructor(text: string, headers: Headers) {
    this.#text = text;
    this.#headers = headers;
  }

  /** Creates an asset, and computes the `ETag` of its text. */
  static async create(text: string, headers: HeadersInit): Promise<Asset> {
    const all = new Headers(headers);
    all.set("etag", (await eTag(text))!);
    // Clients ask each time, and mostly get a 304.
    all.set("cache-control", "no-cache");
    all.set("x-content-type-options", "nosniff");
    return new Asset(text, all);
  }

  /** Responds to a `GET`: with 304 if the client has the text (RFC 9110, 13.1.2). */
  respond(request: Request): Response {
    const headers = this.#headers;
    const known = request.headers.get("if-none-match");
    return known !== null && listsTag(known, headers.get("etag")!)
      ? new Response(null, { status: 304, headers })
      : new Response(this.#text, { headers });
  }
}

/**
 * Whether an `If-None-Match` header lists a tag, by weak comparison: `*`,
 * `"x", "abc"` and `W/"abc"` all list `"abc"`.
 *
 * A plain search is enough: commas separate the tags of a list, and `tag` holds
 * none, so it is found only where it is a member. `ifNoneMatch` of `@std/http`
 * parses the list, which takes seconds for 65,000 spaces.
 */
function listsTag(header: string, tag: string): boolean {
  return header.trim() === "*" || header.includes(tag);
}
