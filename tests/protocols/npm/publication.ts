import { createHash } from "node:crypto";
import type { Advisory, Publication } from "./schemas.ts";

/** A vulnerability of `@acme/tree`. */
export const ADVISORY: Advisory = {
  id: 1,
  url: "https://example.com/advisories/1",
  title: "Falls",
  severity: "high",
  vulnerable_versions: "<2.0.0",
};

/** The body of `npm publish` for a version, with a tarball of any bytes. */
export function publication(name: string, version: string): Publication {
  const bytes = new TextEncoder().encode(`${name}@${version}`);
  const digest = createHash("sha512").update(bytes).digest("base64");
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${digest}`,
    tarball: `http://localhost/${name}/-/${file}`,
  };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, dist } },
    _attachments: { [file]: { data: bytes.toBase64() } },
  };
}
