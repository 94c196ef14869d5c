import { eTag, ifNoneMatch } from "@std/http/etag";

/** A text that is served again and again, unchanged. */
export class Asset {
  readonly #text: string;
  readonly #headers: Headers;

  private constructor(text: string, headers: Headers) {
    this.#text = text;
    this.#headers = headers;
  }

  /** Makes an asset; its `ETag` is that of its text. */
  static async create(text: string, headers: HeadersInit): Promise<Asset> {
    const all = new Headers(headers);
    all.set("etag", (await eTag(text))!);
    // Asked about each time, and mostly answered with 304.
    all.set("cache-control", "no-cache");
    all.set("x-content-type-options", "nosniff");
    return new Asset(text, all);
  }

  /** Answers a `GET`: with 304 if the client has the text (RFC 9110, 13.1.2). */
  answer(request: Request): Response {
    const headers = this.#headers;
    const known = request.headers.get("if-none-match");
    return ifNoneMatch(known, headers.get("etag")!)
      ? new Response(this.#text, { headers })
      : new Response(null, { status: 304, headers });
  }
}
