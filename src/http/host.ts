import { authorityOf } from "../routing/url.ts";

/**
 * The hosts that requests may name, in their URL and in `Host` (RFC 9112,
 * sections 3.2 and 3.2.2).
 */
export class AllowedHosts {
  readonly #exact = new Set<string>();
  readonly #suffixes: string[] = [];

  /**
   * @param hosts Names such as `api.example.com`, which allows every port, or
   * `api.example.com:8443`, which allows that one; `*.example.com` allows all
   * names below `example.com`, at any depth.
   * @throws {TypeError} If one of them is not a host name.
   */
  constructor(hosts: readonly string[]) {
    for (const host of hosts) {
      const wildcard = host.startsWith("*.");
      const parsed = parse(wildcard ? host.slice(2) : host);
      if (parsed === undefined) {
        throw new TypeError(
          `Cannot allow host "${host}": write a name such as "api.example.com" or "*.example.com"`,
        );
      }
      const text = parsed.name + parsed.port;
      if (wildcard) this.#suffixes.push("." + text);
      else this.#exact.add(text);
    }
  }

  /**
   * Whether the request names an allowed host: in the authority of its URL, and
   * also in its `Host` header if it has one. Where the request target is an absolute
   * URL, or HTTP/2 sends `:authority`, the two may differ.
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
