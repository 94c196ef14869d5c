import { Random } from "../instruments/soak/random.ts";

/** A request that a malicious client may send; each character is a byte. */
export interface HostileRequest {
  readonly method: string;
  /** The scheme of an absolute-form target, or of HTTP/2. */
  readonly scheme: string;
  /** The authority of an absolute-form target, or of HTTP/2. */
  readonly authority: string;
  /** The header `Host`, where there is one. */
  readonly host: string | undefined;
  /** The path, query and fragment, or what stands in their place. */
  readonly path: string;
}

const METHODS = "GET GET GET GET GET HEAD POST OPTIONS CONNECT get".split(" ");
const SCHEMES =
  "http http https HTTP ftp ws file foo javascript http+unix 1x data".split(
    " ",
  );

/** Pieces of hosts; most of them are valid alone. */
const HOST_PIECES = [
  ..."good.example GOOD.Example. evil h 127.0.0.1 [::1] 1.2.3.4.5".split(" "),
  ..."good.example:81 h:99999 : :80 @ user@ u:p@good.example * , ;".split(" "),
  ..."/ // /x /a/b / \\ \\\\ ? # . .. /.. %2e %2f % [ ] | < xn--a".split(" "),
  ..."\t~\t../~/\t~/.\t./~a\tb~ ~\xe9~/%2\te/~\\@good.example".split("~"),
];

const PATH_PIECES = [
  ..."/ / / / / a b a/b x .. . /../ /./ // \\ \\..\\ %2e %2E%2e".split(" "),
  ..."%2f %5C %61 %C3%A9 %00 %ff % %G1 ? # ?x #x ?# #? @ : ; C| C|/..".split(
    " ",
  ),
  ..."*~\t~\x7f~\xc3\xa9~\xe9~ ~://~http://evil~good.example".split("~"),
];

export class HostileRequests {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(): HostileRequest {
    const random = this.#random;
    return {
      method: random.pick(METHODS),
      scheme: random.pick(SCHEMES),
      authority: this.#host(),
      host: random.below(4) === 0 ? undefined : this.#host(),
      path: (random.below(8) === 0 ? "" : "/") + this.#join(PATH_PIECES, 6),
    };
  }

  #host(): string {
    return this.#random.below(2) === 0
      ? "good.example"
      : this.#join(HOST_PIECES, 3);
  }

  /** Joins pieces at random, up to a number of them. */
  #join(pieces: readonly string[], max: number): string {
    const length = this.#random.below(max + 1);
    return Array.from({ length }, () => this.#random.pick(pieces)).join("");
  }
}
