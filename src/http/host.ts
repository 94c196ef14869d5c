/**
 * Checks the `Host` of requests against the names that an application answers
 * to (RFC 9112, section 3.2).
 */
export class AllowedHosts {
  readonly #exact = new Set<string>();
  readonly #suffixes: string[] = [];

  /**
   * @param hosts Names such as `api.example.com`, which allows every port, or
   * `api.example.com:8443`, which allows that one; `*.example.com` allows all
   * names below `example.com`, at any depth.
   * @throws {TypeError} If one of them is no host name.
   */
  constructor(hosts: readonly string[]) {
    for (const host of hosts) {
      const wildcard = host.startsWith("*.");
      const name = (wildcard ? host.slice(2) : host).toLowerCase();
      if (!HOST.test(name)) {
        throw new TypeError(
          `Cannot allow host "${host}": write a name such as "api.example.com" or "*.example.com"`,
        );
      }
      if (wildcard) this.#suffixes.push("." + name);
      else this.#exact.add(name);
    }
  }

  /** Whether the request was sent to one of the allowed hosts. */
  allows(request: Request): boolean {
    const header = request.headers.get("host");
    // HTTP/2 sends no `Host`; its `:authority` is in the URL.
    const host = (header || authority(request.url)).toLowerCase();
    if (!HOST.test(host)) return false;
    const name = host.replace(/:\d*$/, "");
    return this.#exact.has(host) || this.#exact.has(name) ||
      this.#suffixes.some((suffix) =>
        name.endsWith(suffix) || host.endsWith(suffix)
      );
  }
}

/** A name or an IPv4 address, or an IPv6 address in brackets, and a port. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d*)?$/;

function authority(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/\\?#]*)/i.exec(url)?.[1] ?? "";
}
