import { Buffer } from "node:buffer";
import { createHash, type Hash } from "node:crypto";

/** A digest of a body that the client declares. */
export interface DeclaredDigest {
  /** The name of the algorithm, such as `sha-256`. */
  readonly algorithm: string;
  /** Hashes the bytes that arrive. */
  readonly hash: Hash;
  /** Whether the bytes have the declared digest. */
  readonly matches: () => boolean;
}

/** Matches a string, which may contain commas. */
const STRING = /"(?:\\.|[^"\\])*"?/g;

/** Captures the algorithm of a member, and its value if the value is a byte sequence. */
const MEMBER = /^[ \t]*(sha-256|sha-512)(?![\w.*-])(?:=:([A-Za-z\d+/=]*):)?/;

/**
 * The digests of a `Content-Digest` (RFC 9530) that can be compared:
 * `sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:`. The last member of a name
 * counts (RFC 9651, 4.2.2), so a long header hashes the body at most twice.
 */
export function digestsOf(header: string): readonly DeclaredDigest[] {
  const declared = new Map<string, string | undefined>();
  for (const member of header.replace(STRING, "").split(",")) {
    const [, algorithm, value] = MEMBER.exec(member) ?? [];
    if (algorithm !== undefined) declared.set(algorithm, value);
  }
  return [...declared].flatMap(([algorithm, value]) => {
    if (value === undefined) return [];
    const hash = createHash(algorithm.replace("-", ""));
    // `Buffer` ignores missing padding (RFC 9651, 4.2.7).
    const matches = () => hash.digest().equals(Buffer.from(value, "base64"));
    return [{ algorithm, hash, matches }];
  });
}
